package org.reprobe.analysis.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CuckooThresholdTest {
    /** Ten digits as published for non-overlapping blocks, see Walzer, ICALP 2018. */
    @ParameterizedTest
    @CsvSource({
        "2, 1, 0.5",
        "3, 1, 0.9179352767",
        "4, 1, 0.9767701649",
        "2, 2, 0.8970118682",
        "2, 3, 0.9591542686",
        "2, 4, 0.9803697743",
        "3, 2, 0.9882014140",
        "3, 3, 0.9972857393"
    })
    void theThresholdIsTheOneKnown(int hashes, int associativity, double threshold) {
        assertThat(CuckooThreshold.loadFactor(hashes, associativity)).isCloseTo(threshold, within(1e-9));
    }

    @Test
    void moreHashesAndMoreRecordsASlotFillTheTableFurther() {
        for (int hashes = 2; hashes <= 8; hashes++) {
            for (int associativity = 1; associativity <= 8; associativity++) {
                double threshold = CuckooThreshold.loadFactor(hashes, associativity);
                assertThat(threshold).isBetween(0.5, 1.0);
                // For many hashes, thresholds differ from 1 by less than the precision of the arithmetic.
                assertThat(CuckooThreshold.loadFactor(hashes + 1, associativity))
                        .isGreaterThan(threshold - 1e-9);
                assertThat(CuckooThreshold.loadFactor(hashes, associativity + 1))
                        .isGreaterThan(threshold - 1e-9);
            }
        }
    }

    @Test
    void theLargestTablesThatAScenarioMayAskForHaveAThreshold() {
        assertThat(CuckooThreshold.loadFactor(16, 64)).isBetween(0.999, 1.0);
        assertThat(CuckooThreshold.loadFactor(2, 64)).isBetween(0.999, 1.0);
    }

    @Test
    void aTableWithOneHashHasNone() {
        assertThatIllegalArgumentException().isThrownBy(() -> CuckooThreshold.loadFactor(1, 4));
    }
}
