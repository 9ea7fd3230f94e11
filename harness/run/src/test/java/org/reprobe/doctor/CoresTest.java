package org.reprobe.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CoresTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private void file(String name, String text) throws IOException {
        Path file = dir.resolve(name);
        Files.createDirectories(file.getParent());
        Files.writeString(file, text + "\n");
    }

    @Test
    void coresAreNumbersOrThoseOfANode() throws Exception {
        file("sys/devices/system/cpu/online", "0-3,6");
        file("sys/devices/system/node/online", "0-1");
        file("sys/devices/system/node/node1/cpulist", "2-3,6");
        Cores cores = new Cores(dir);
        assertThat(cores.of("all")).containsExactly(0, 1, 2, 3, 6);
        assertThat(cores.of("1-2,6")).containsExactly(1, 2, 6);
        assertThat(cores.of("node-1")).containsExactly(2, 3, 6);
        assertThatThrownBy(() -> cores.of("3-8")).hasMessage("there is no core 4-5,7-8: this host has 0-3,6");
        assertThatThrownBy(() -> cores.of("4-2")).hasMessage("4-2 names no core");
        assertThatThrownBy(() -> cores.of("node-2"))
                .hasMessage("node-2 does not exist or has no cores: this host has the nodes 0-1");
    }

    @Test
    void anotherSystemIsRefused() {
        assertThatThrownBy(() -> new Cores(dir).of("0-1")).hasMessage("processes are pinned to cores on Linux only");
    }
}
