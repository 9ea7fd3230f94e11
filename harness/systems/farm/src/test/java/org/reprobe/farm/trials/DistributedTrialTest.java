package org.reprobe.farm.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.testing.SeededFaults;
import org.reprobe.testing.Seeds;

/** Necessity of each part of the distributed commit: without it, a schedule fails. */
class DistributedTrialTest {
    private static final long SEED = Seeds.seed();
    private static final int MAX_SWITCHES = 2;
    private static final String NO_ORDER = "No order";
    private static final String FAILED = "When all primaries have failed";

    private static ExplorationLimits limits(int crashes) {
        return FarmTrials.DISTRIBUTED.withCrashes(crashes);
    }

    private static final String TRANSACTION = "transactions.DistributedTransaction";
    private static final String PARTICIPANT = "commit.Participant";

    private static SeededFaults seeded() {
        return new SeededFaults("org.reprobe.farm.");
    }

    private static SeededFaults notValidated() {
        return seeded().without(TRANSACTION, "sendToPrimaries(CommitMessage.VALIDATE, sender);");
    }

    private static SeededFaults primariesFirst() {
        return seeded().replacing(
                        TRANSACTION,
                        "yield writes() ? Phase.COMMIT_REPLICAS",
                        "yield writes() ? Phase.COMMIT_PRIMARIES")
                .replacing(TRANSACTION, "yield Phase.COMMIT_PRIMARIES;", "yield Phase.OVER;")
                .replacing(
                        TRANSACTION,
                        "committed = true; yield Phase.OVER;",
                        "committed |= places.replicas() == 0; yield Phase.COMMIT_REPLICAS;");
    }

    private static SeededFaults acknowledgedWhenDecided() {
        return seeded().replacing(TRANSACTION, "committed = !writes();", "committed = true;");
    }

    private static SeededFaults lockedWhateverTheVersion() {
        String lock = "long version = CommitMessage.version(words[at + 1]);";
        return seeded().replacing(PARTICIPANT, lock, """
                        words[at + 1] = CommitMessage.version(writer.header(memory(address), offset))
                                | CommitMessage.change(words[at + 1]);
                        """ + lock);
    }

    static Trial skew() {
        return FarmTrials.skew(CommitRules.CORRECTED);
    }

    static Trial writeBoth() {
        return FarmTrials.writeBoth(CommitRules.CORRECTED);
    }

    static Trial writeBothCommitOnly() {
        return FarmTrials.writeBoth(CommitRules.CORRECTED.with(ReplicationMode.COMMIT_ONLY));
    }

    static Trial shippedSkew() {
        return FarmTrials.shippedSkew(CommitRules.CORRECTED);
    }

    static Trial shippedDualMode() {
        return FarmTrials.shippedBoth(FarmTrials.DUAL_MODE);
    }

    static Trial oneObject() {
        return FarmTrials.oneObject(CommitRules.CORRECTED);
    }

    private static Trial trial(String name, SeededFaults fault) throws Exception {
        return (Trial) Objects.requireNonNull(fault.call(DistributedTrialTest.class, name));
    }

    static Stream<Arguments> faults() throws Exception {
        CommitRules right = CommitRules.CORRECTED;
        return Stream.of(
                Arguments.of(
                        "locks ignored by validation, as printed", FarmTrials.skew(CommitRules.PRINTED), 0, NO_ORDER),
                Arguments.of("not validated", trial("skew", notValidated()), 0, NO_ORDER),
                Arguments.of(
                        "readable locks", FarmTrials.writeBoth(right.with(CommitRules.Locking.READABLE)), 0, NO_ORDER),
                Arguments.of(
                        "primaries commit first, and the coordinator dies",
                        trial("writeBoth", primariesFirst()),
                        1,
                        FAILED),
                Arguments.of(
                        "the commit is acknowledged before replicas log it, and the coordinator dies",
                        trial("writeBoth", acknowledgedWhenDecided()),
                        1,
                        FAILED),
                Arguments.of(
                        "the same, with messages to replicas at commit only",
                        trial("writeBothCommitOnly", acknowledgedWhenDecided()),
                        1,
                        FAILED),
                Arguments.of(
                        "shipped, locks ignored by validation",
                        FarmTrials.shippedSkew(CommitRules.PRINTED),
                        0,
                        NO_ORDER),
                Arguments.of("shipped, not validated", trial("shippedSkew", notValidated()), 0, NO_ORDER),
                Arguments.of(
                        "shipped, dual mode, with an object that is only read",
                        FarmTrials.shippedReader(FarmTrials.DUAL_MODE),
                        0,
                        NO_ORDER),
                Arguments.of(
                        "shipped, written before the replica logs it, and the machine dies",
                        trial("shippedDualMode", primariesFirst()),
                        1,
                        FAILED),
                Arguments.of(
                        "shipped, dual mode, acknowledged while READs go on",
                        trial("shippedDualMode", acknowledgedWhenDecided()),
                        0,
                        NO_ORDER),
                Arguments.of(
                        "locked whatever the version", trial("oneObject", lockedWhateverTheVersion()), 0, NO_ORDER),
                Arguments.of(
                        "not unlocked after an abort",
                        trial("skew", seeded().without(TRANSACTION, "sendToPrimaries(CommitMessage.ABORT, sender);")),
                        0,
                        "remains locked"),
                Arguments.of(
                        "a dead coordinator's lock remains",
                        FarmTrials.twoReplicas(right, false),
                        1,
                        "remains locked"));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(String fault, Trial trial, int crashes, String wrong) throws Exception {
        Counterexample found = null;
        for (int switches = 0; switches <= MAX_SWITCHES && found == null; switches++) {
            found = found(trial, crashes, switches, 50_000);
        }
        assertThat(found).as(fault).isNotNull();
        assertThat(found.violation()).as(fault).contains(wrong);
    }

    private static @Nullable Counterexample found(Trial trial, int crashes, int switches, long schedules)
            throws Exception {
        return new Exploration(trial, limits(crashes))
                .exhaustive(switches, schedules)
                .counterexample();
    }

    static Stream<Arguments> right() {
        CommitRules right = CommitRules.CORRECTED;
        CommitRules commitOnly = right.with(ReplicationMode.COMMIT_ONLY);
        return Stream.of(
                Arguments.of("skew", FarmTrials.skew(right), 0),
                Arguments.of("one object", FarmTrials.oneObject(right), 0),
                Arguments.of("write both", FarmTrials.writeBoth(right), 1),
                Arguments.of("write both, replicas at commit only", FarmTrials.writeBoth(commitOnly), 1),
                Arguments.of("shipped", FarmTrials.shippedSkew(right), 0),
                Arguments.of("shipped, dual mode", FarmTrials.shippedBoth(FarmTrials.DUAL_MODE), 1),
                Arguments.of("shipped, with an object that is only read", FarmTrials.shippedReader(commitOnly), 0),
                Arguments.of("two replicas", FarmTrials.twoReplicas(right, true), 1),
                Arguments.of("two replicas at commit only", FarmTrials.twoReplicas(commitOnly, true), 1));
    }

    @ParameterizedTest
    @MethodSource("right")
    void allResultsFollowFromSomeOrder(String name, Trial trial, int crashes) throws Exception {
        Counterexample found = found(trial, crashes, 2, 3_000);
        assertThat(found).as("%s: %s", name, found).isNull();
        assertThat(new Exploration(trial, limits(crashes)).random(SEED, 500).counterexample())
                .as("%s, %s", name, Seeds.replay())
                .isNull();
    }
}
