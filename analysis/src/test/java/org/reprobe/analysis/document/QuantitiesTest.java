package org.reprobe.analysis.document;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class QuantitiesTest {
    @Test
    void verbsAgreeWithCounts() {
        assertThat(Quantities.share(0, 1, "run", "are")).isEqualTo("0 of 1 run is");
        assertThat(Quantities.share(1, 3, "run", "were")).isEqualTo("1 of 3 runs was");
        assertThat(Quantities.share(2, 3, "run", "have")).isEqualTo("2 of 3 runs have");
        assertThat(Quantities.count(2, "process")).isEqualTo("2 processes");
        assertThat(Quantities.verb(1, "wait")).isEqualTo("waits");
    }
}
