package org.reprobe.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.testing.Project;

/** Computed part of {@code ./run.sh bench ScaleOut}. */
class ScaleOutTest {
    @Test
    void estimatesCoverAllShippedPapersAtBothScales() throws Exception {
        String page = ScaleOut.estimates(Project.path(""));

        assertThat(page.lines().filter(line -> line.matches("\\| .*, (quick|full) \\|.*")))
                .hasSize(10)
                .allMatch(row -> row.contains(" 1.0 [1.0] | 2.0 ["));
    }
}
