package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.farm.EpochTrial.Fault;
import org.reprobe.testing.Seeds;

/** Each part of epochs is needed: without it a stale pointer reads what was never the object's. */
class EpochTrialTest {
    private static final long SEED = Seeds.seed();

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of(Fault.NO_INCARNATION, 1, 0),
                Arguments.of(Fault.REUSED_BEFORE_THE_END, 2, 9),
                Arguments.of(Fault.ANSWERED_BEFORE_THE_END, 2, 9),
                Arguments.of(Fault.POINTER_KEPT, 3, 9));
    }

    /**
     * @param switches up to which a counterexample is met
     * @param read the value that nobody may read: the freed object's, or what a larger one has there
     */
    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(Fault fault, int switches, int read) throws Exception {
        Counterexample found = new Exploration(new EpochTrial(fault, true), ExplorationLimits.USUAL)
                .exhaustive(switches, 20_000)
                .counterexample();
        assertThat(found).as("%s", fault).isNotNull();
        assertThat(found.wrong())
                .contains("No order of these operations explains")
                .contains("read(0) -> " + read);
    }

    /** It takes many switches, which a whole search does not reach; one random schedule in about a thousand has them. */
    @Test
    void anOperationOfTheEpochBeforeMustNotCacheAPointer() throws Exception {
        Counterexample found = new Exploration(
                        new EpochTrial(Fault.POINTER_CACHED_LATE, false), ExplorationLimits.USUAL)
                .random(SEED, 50_000)
                .counterexample();
        assertThat(found).as(Seeds.replay()).isNotNull();
        assertThat(found.wrong()).contains("read(0) -> 9");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReadReturnsTheObjectMeantOrSaysFreed(boolean cached) throws Exception {
        EpochTrial trial = new EpochTrial(Fault.NONE, cached);
        assertThat(new Exploration(trial, ExplorationLimits.USUAL)
                        .exhaustive(2, 10_000)
                        .counterexample())
                .isNull();
        assertThat(new Exploration(trial, ExplorationLimits.USUAL)
                        .random(SEED, 4_000)
                        .counterexample())
                .as(Seeds.replay())
                .isNull();
    }
}
