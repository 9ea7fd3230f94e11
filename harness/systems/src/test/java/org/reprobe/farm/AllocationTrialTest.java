package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.Trial;
import org.reprobe.farm.ObjectAllocations.Fault;
import org.reprobe.testing.Seeds;

/** Each part of how transactions allocate and free objects is needed. */
class AllocationTrialTest {
    private static Arguments fault(Function<Fault, Trial> trial, Fault fault, String wrong) {
        return Arguments.of(fault, trial.apply(fault), wrong);
    }

    static Stream<Arguments> faults() {
        return Stream.of(
                fault(FarmTrials::replaced, Fault.IGNORES_INCARNATION, "had brought another's"),
                fault(FarmTrials::replaced, Fault.KEEPS_ABORTED, "parts are allocated"),
                fault(FarmTrials::replaced, Fault.KEEPS_REPLACED, "parts are allocated"),
                fault(FarmTrials::replacedOnBoth, Fault.FREES_AT_PREPARE, "machine 0 has 1 objects, but 0 parts"),
                fault(FarmTrials::replacedOnBoth, Fault.KEEPS_ABORTED, "parts are allocated"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(Fault fault, Trial trial, String wrong) throws Exception {
        Counterexample found = random(trial, 10_000);
        assertThat(found).as("%s, %s", fault, Seeds.replay()).isNotNull();
        assertThat(found.wrong()).contains(wrong);
    }

    private static @Nullable Counterexample random(Trial trial, long schedules) throws Exception {
        return new Exploration(trial, FarmTrials.DISTRIBUTED)
                .random(Seeds.seed(), schedules)
                .counterexample();
    }

    static Stream<Trial> right() {
        return Stream.of(FarmTrials.replaced(Fault.NONE), FarmTrials.replacedOnBoth(Fault.NONE));
    }

    @ParameterizedTest
    @MethodSource("right")
    void everyObjectHasItsPart(Trial trial) throws Exception {
        assertThat(new Exploration(trial, FarmTrials.DISTRIBUTED)
                        .exhaustive(2, 2_000)
                        .counterexample())
                .isNull();
        assertThat(random(trial, 500)).as(Seeds::replay).isNull();
    }
}
