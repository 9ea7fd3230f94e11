package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;
import org.reprobe.farm.DistributedTransaction.Rules;
import org.reprobe.farm.DistributedTransaction.Validation;
import org.reprobe.farm.FarmSystem.FarmSettings.Told;
import org.reprobe.testing.Seeds;

/** Each part of how transactions of several machines commit is needed. */
class DistributedTrialTest {
    private static final long SEED = Seeds.seed();
    private static final int MAX_SWITCHES = 2;
    private static final String NO_ORDER = "No order";
    private static final String FAILED = "When all primaries have failed";

    private static ExplorationLimits limits(int crashes) {
        return FarmTrials.DISTRIBUTED.withCrashes(crashes);
    }

    static Stream<Arguments> faults() {
        Rules right = Rules.RIGHT;
        return Stream.of(
                Arguments.of("locks ignored by validation, as printed", FarmTrials.skew(Rules.PRINTED), 0, NO_ORDER),
                Arguments.of("not validated", FarmTrials.skew(right.with(Validation.NONE)), 0, NO_ORDER),
                Arguments.of(
                        "readable locks", FarmTrials.writeBoth(right.with(Participant.Locking.READABLE)), 0, NO_ORDER),
                Arguments.of(
                        "primaries commit first, and the coordinator dies",
                        FarmTrials.writeBoth(right.primariesFirst()),
                        1,
                        FAILED),
                Arguments.of(
                        "the coordinator says that it has committed before replicas know, and dies",
                        FarmTrials.writeBoth(right.saying(DistributedTransaction.Says.DECIDED)),
                        1,
                        FAILED),
                Arguments.of(
                        "the same, and replicas are told at commit only",
                        FarmTrials.writeBoth(right.saying(DistributedTransaction.Says.DECIDED)
                                .with(Told.COMMIT_ONLY)),
                        1,
                        FAILED),
                Arguments.of(
                        "shipped, locks ignored by validation", FarmTrials.shippedSkew(Rules.PRINTED), 0, NO_ORDER),
                Arguments.of(
                        "shipped, not validated", FarmTrials.shippedSkew(right.with(Validation.NONE)), 0, NO_ORDER),
                Arguments.of(
                        "shipped, dual mode, with an object that is only read",
                        FarmTrials.shippedReader(FarmTrials.DUAL_MODE),
                        0,
                        NO_ORDER),
                Arguments.of(
                        "shipped, written before the replica knows, and the machine dies",
                        FarmTrials.shippedBoth(FarmTrials.DUAL_MODE.primariesFirst()),
                        1,
                        FAILED),
                Arguments.of(
                        "shipped, dual mode, answered while READs go on",
                        FarmTrials.shippedBoth(FarmTrials.DUAL_MODE.saying(DistributedTransaction.Says.DECIDED)),
                        0,
                        NO_ORDER),
                Arguments.of(
                        "locked whatever the version",
                        FarmTrials.oneObject(right.with(Participant.Locking.WITHOUT_VERSION)),
                        0,
                        NO_ORDER),
                Arguments.of(
                        "not unlocked after an abort",
                        FarmTrials.skew(right.withoutUnlocking()),
                        0,
                        "is locked for ever"),
                Arguments.of(
                        "the lock of a coordinator that has died, which stays",
                        FarmTrials.twoReplicas(right, false),
                        1,
                        "is locked for ever"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(String fault, Trial trial, int crashes, String wrong) throws Exception {
        Counterexample found = null;
        for (int switches = 0; switches <= MAX_SWITCHES && found == null; switches++) {
            found = found(trial, crashes, switches, 50_000);
        }
        assertThat(found).as(fault).isNotNull();
        assertThat(found.wrong()).as(fault).contains(wrong);
    }

    private static @Nullable Counterexample found(Trial trial, int crashes, int switches, long schedules)
            throws Exception {
        return new Exploration(trial, limits(crashes))
                .exhaustive(switches, schedules)
                .counterexample();
    }

    static Stream<Arguments> right() {
        Rules right = Rules.RIGHT;
        Rules commitOnly = right.with(Told.COMMIT_ONLY);
        return Stream.of(
                Arguments.of("skew", FarmTrials.skew(right), 0),
                Arguments.of("one object", FarmTrials.oneObject(right), 0),
                Arguments.of("write both", FarmTrials.writeBoth(right), 1),
                Arguments.of("write both, told at commit only", FarmTrials.writeBoth(commitOnly), 1),
                Arguments.of("shipped", FarmTrials.shippedSkew(right), 0),
                Arguments.of("shipped, dual mode", FarmTrials.shippedBoth(FarmTrials.DUAL_MODE), 1),
                Arguments.of("shipped, with an object that is only read", FarmTrials.shippedReader(commitOnly), 0),
                Arguments.of("two replicas", FarmTrials.twoReplicas(right, true), 1),
                Arguments.of("two replicas, told at commit only", FarmTrials.twoReplicas(commitOnly, true), 1));
    }

    @ParameterizedTest
    @MethodSource("right")
    void whatAnybodyIsToldFollowsFromSomeOrder(String name, Trial trial, int crashes) throws Exception {
        Counterexample found = found(trial, crashes, 2, 3_000);
        assertThat(found).as("%s: %s", name, found).isNull();
        assertThat(new Exploration(trial, limits(crashes)).random(SEED, 500).counterexample())
                .as("%s, %s", name, Seeds.replay())
                .isNull();
    }
}
