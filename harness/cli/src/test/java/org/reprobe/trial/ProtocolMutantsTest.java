package org.reprobe.trial;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.reprobe.testing.Project;

/** Preparation of {@code ./run.sh bench ProtocolMutants}. */
class ProtocolMutantsTest {
    /** Sources of the checkers are found from there. */
    @BeforeEach
    void setHome() {
        System.setProperty("reprobe.home", Project.path("").toString());
    }

    @AfterEach
    void clearHome() {
        System.clearProperty("reprobe.home");
    }

    @Test
    void everyEquivalentFaultIsAFaultOfThePresentCode() throws Exception {
        assertThat(new ProtocolMutants().unmatched(Project.path("results/benchmarks/equivalent-mutants.txt")))
                .isEmpty();
    }
}
