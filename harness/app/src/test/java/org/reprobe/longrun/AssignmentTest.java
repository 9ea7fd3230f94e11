package org.reprobe.longrun;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.reprobe.nessie.Geometry;

class AssignmentTest {
    @Test
    void aProcessUnderstandsWhatItIsToldInAFolderWithSpacesToo() {
        Assignment told = new Assignment(
                "shm",
                "/dev/shm/server-1:secret",
                6,
                2,
                1,
                3,
                5_000_000_000L,
                Long.MIN_VALUE,
                -1,
                new Geometry(1L << 20, 8, 512, 16),
                Path.of("/tmp/a folder of  logs"));
        assertThat(Assignment.parse(told.line())).isEqualTo(told);
        assertThat(told.line()).doesNotContain("\n");
    }
}
