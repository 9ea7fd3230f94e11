package org.reprobe.farm.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.Trial;
import org.reprobe.farm.transactions.AllocationFaults;
import org.reprobe.testing.Seeds;

/** Necessity of each part of the allocation protocol: without it, a schedule fails. */
class AllocationTrialTest {
    static Trial replaced() {
        return FarmTrials.replaced();
    }

    static Trial replacedOnBoth() {
        return FarmTrials.replacedOnBoth();
    }

    @ParameterizedTest
    @CsvSource({
        "replaced, IGNORES_INCARNATION, returned another object",
        "replaced, KEEPS_ABORTED, parts are allocated",
        "replaced, KEEPS_REPLACED, parts are allocated",
        "replacedOnBoth, FREES_AT_PREPARE, 'machine 0 has 1 objects, but 0 parts'",
        "replacedOnBoth, KEEPS_ABORTED, parts are allocated"
    })
    void aFaultIsFound(String trial, AllocationFaults fault, String wrong) throws Exception {
        Counterexample found =
                random((Trial) Objects.requireNonNull(fault.seeded().call(AllocationTrialTest.class, trial)), 10_000);
        assertThat(found).as("%s, %s", fault, Seeds.replay()).isNotNull();
        assertThat(found.violation()).contains(wrong);
    }

    private static @Nullable Counterexample random(Trial trial, long schedules) throws Exception {
        return new Exploration(trial, FarmTrials.DISTRIBUTED)
                .random(Seeds.seed(), schedules)
                .counterexample();
    }

    static Stream<Trial> right() {
        return Stream.of(replaced(), replacedOnBoth());
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
