package org.reprobe.farm.trials;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationOutcome;
import org.reprobe.explore.Trial;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.CommitRules.CommitAcknowledgement;
import org.reprobe.testing.SeededFaults;
import org.reprobe.testing.Seeds;

/** Necessity of each part of recovery from a machine failure; nightly runs explore more schedules. */
class RecoveryTrialTest {
    private static final long SEED = Seeds.seed();
    private static final int SCHEDULES = 100;
    private static final int SCHEDULES_WITH_A_FAULT = 4000;

    private static final String NO_ORDER = "explain";
    private static final String LOCKED = "remains locked";
    private static final CommitRules RIGHT = CommitRules.RECOVERABLE;

    private static final String MACHINE = "trials.RecoveryMachine";
    private static final String CLIENT = "trials.RecoveryClient";
    private static final String RESTORED = "commit.RestoredObjects";
    private static final String RESTART = "After a restart";
    /** Part of the messages about a program that waits forever and about a deadlock. */
    private static final String WAITS = "waits for";

    private static final String WORDS = "recovery.MachineWords";
    private static final String HOLDS =
            "return state() == State.ACTIVE && hasLease(nowNs) && configuration().equals(asked);";
    private static final String DECIDE = "for (Participant each : participants) { each.decide(committed); }";

    private static SeededFaults seeded() {
        return new SeededFaults("org.reprobe.farm.");
    }

    private static SeededFaults allCommitted() {
        return seeded().replacing(MACHINE, DECIDE, """
                        Votes own = votes();
                        long[] known = new long[own.words()];
                        own.put(known, 0);
                        for (int i = 0; i < known.length; i++) {
                            known[i] = known[i] < 0 ? known[i] : ~known[i];
                        }
                        committed.add(Votes.of(known, 0, known.length));
                        """ + DECIDE);
    }

    private static SeededFaults withoutNumbers() {
        return seeded().without(MACHINE, "participants.forEach(each -> each.repliesIn(next.number()));")
                .replacing(WORDS, HOLDS, "return hasLease(nowNs);")
                .replacing(
                        CLIENT, "transaction.begin(configuration.number(),", "transaction.begin(Configuration.FIRST,");
    }

    private static SeededFaults comesBack() {
        return seeded().replacing(
                        MACHINE,
                        "if (firstStart) { memory.set(WORD, setting.runStateAt(), RecoveryTrial.RUNS);",
                        "if (true) { memory.set(WORD, setting.runStateAt(), firstStart ? 1 : 3);");
    }

    static Trial written() {
        return FarmTrials.written(RIGHT);
    }

    static Trial slowWrites() {
        return FarmTrials.slowWrites(RIGHT);
    }

    static Trial threeMachines() {
        return FarmTrials.threeMachines(RIGHT);
    }

    static Trial restart() {
        return FarmTrials.restart(RIGHT);
    }

    static Trial rejoin() {
        return FarmTrials.rejoin(RIGHT);
    }

    /** One of two machines fails and rejoins before all lose power. */
    static Trial rejoinAndRestart() {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(2, 2, 1, 1, 3, false, RIGHT),
                List.of(
                        List.of(DistributedTrial.update(List.of(), 0L, 1L)),
                        List.of(DistributedTrial.update(List.of(0L), 1L), DistributedTrial.update(List.of(), 0L))),
                true,
                List.of());
    }

    /** Two of three machines fail, one after the other or together, and rejoin. */
    private static Trial rejoinThree() {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(3, 2, 1, 1, 3, false, RIGHT),
                List.of(
                        List.of(DistributedTrial.update(List.of(), 0L, 1L)),
                        List.of(DistributedTrial.update(List.of(0L), 1L), DistributedTrial.reads(0L, 1L)),
                        List.of(DistributedTrial.update(List.of(1L), 0L))),
                false,
                List.of(DistributedTrial.update(List.of(), 0L, 1L), DistributedTrial.reads(0L)));
    }

    /** Machines may be slow while they rejoin. */
    private static Trial rejoinSlow() {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(2, 2, 1, 1, 3, true, RIGHT),
                List.of(List.of(DistributedTrial.update(List.of(), 0L, 1L)), List.of(DistributedTrial.reads(0L, 1L))),
                false,
                List.of(DistributedTrial.update(List.of(), 0L, 1L), DistributedTrial.reads(0L)));
    }

    static Stream<Arguments> rejoiningFaults() throws Exception {
        return Stream.of(
                Arguments.of(
                        "a restarted machine lacks the last object",
                        trial(
                                "rejoin",
                                seeded().replacing(
                                                MACHINE,
                                                "if (own && !copy(",
                                                "if (own && object < setting.objects() - 1 && !copy(")),
                        NO_ORDER),
                Arguments.of(
                        "a mailbox is not reset: a message counts like a former one",
                        trial(
                                "rejoin",
                                seeded().replacing(
                                                MACHINE, "process << Integer.SIZE | (long) number << Short.SIZE", "0")),
                        WAITS),
                Arguments.of(
                        "numbers of transactions start again",
                        trial(
                                "rejoin",
                                seeded().without(
                                                CLIENT,
                                                "rejoined.transaction.continueIn(rejoined.words.configuration().number());")),
                        NO_ORDER),
                Arguments.of(
                        "transactions continue while regions are copied",
                        trial(
                                "rejoin",
                                seeded().replacing(
                                                "recovery.Membership",
                                                ": stage == Stage.ACTIVE ? MachineWords.State.ACTIVE",
                                                ": !stage.isBehind(Stage.READY) ? MachineWords.State.ACTIVE")),
                        NO_ORDER),
                Arguments.of(
                        "the report of a former process counts",
                        trial(
                                "rejoin",
                                seeded().replacing(
                                                "recovery.Membership",
                                                "from == joining && process == joiningProcess",
                                                "from == joining")),
                        ""),
                Arguments.of(
                        "connections to a restarted machine are not reset",
                        trial("rejoin", seeded().without(CLIENT, "Arrays.fill(readers, null);")),
                        WAITS),
                Arguments.of(
                        "a former primary does not log its objects",
                        trial(
                                "rejoinAndRestart",
                                seeded().replacing(
                                                MACHINE,
                                                "if (!logAgain(region -> after.isReplica(machine, region) && !before.isReplica(machine, region))) {",
                                                "if (false) {")),
                        RESTART),
                Arguments.of(
                        "a restarted machine does not log its objects",
                        trial(
                                "rejoinAndRestart",
                                seeded().replacing(
                                                MACHINE,
                                                "return logAgain(region -> after.isReplica(machine, region));",
                                                "return true;")),
                        RESTART));
    }

    @ParameterizedTest
    @MethodSource("rejoiningFaults")
    void aFaultOfRejoiningIsFound(String fault, Trial trial, String wrong) throws Exception {
        Counterexample found = Exploration.asFound(trial, FarmTrials.REJOINING, () -> false)
                .random(SEED, SCHEDULES_WITH_A_FAULT)
                .counterexample();
        assertThat(found).as("%s, %s", fault, Seeds.replay()).isNotNull();
        assertThat(found.violation()).as(fault).contains(wrong);
    }

    /** Transaction of machine 0, which logs both writes; each of the others logs one of them. */
    static Trial restartAfterEviction() {
        return new RecoveryTrial(
                new RecoveryTrial.Setting(3, List.of(1, 2), 2, 1, 1, 1, false, RIGHT),
                List.of(List.of(DistributedTrial.update(List.of(), 0L, 1L))),
                true);
    }

    private static Trial trial(String name, SeededFaults fault) throws Exception {
        return (Trial) Objects.requireNonNull(fault.call(RecoveryTrialTest.class, name));
    }

    static Stream<Arguments> faults() throws Exception {
        return Stream.of(
                Arguments.of(
                        "the log's last record is not redone",
                        trial("written", seeded().replacing("commit.LogReplay", "log.forEach(words -> {", """
                                                int[] records = new int[2];
                                                log.forEach(_ -> records[0]++);
                                                log.forEach(words -> {
                                                    if (++records[1] == records[0]) {
                                                        return;
                                                    }
                                                """)),
                        NO_ORDER),
                Arguments.of("failed machines keep locks", trial("written", seeded().without(MACHINE, DECIDE)), LOCKED),
                Arguments.of("all is committed", trial("written", allCommitted()), NO_ORDER),
                Arguments.of(
                        "all is aborted",
                        trial("written", seeded().replacing(MACHINE, DECIDE, "committed = new Votes();" + DECIDE)),
                        "an acknowledged transaction was aborted"),
                Arguments.of(
                        "no configuration numbers, so that replies of an evicted machine are accepted",
                        trial("slowWrites", withoutNumbers()),
                        NO_ORDER),
                Arguments.of(
                        "no leases",
                        trial("slowWrites", seeded().replacing(WORDS, HOLDS, "return configuration().equals(asked);")),
                        NO_ORDER),
                Arguments.of(
                        "evicted before the lease has ended",
                        trial(
                                "slowWrites",
                                seeded().replacing(
                                                "recovery.Membership",
                                                "Math.max(receivedNs[other] + plan.leaseNs(), notBeforeNs)",
                                                "Math.max(receivedNs[other] + plan.leaseNs() / 2, notBeforeNs)")),
                        NO_ORDER),
                Arguments.of(
                        "the manager does not wait",
                        trial(
                                "threeMachines",
                                seeded().without(
                                                "recovery.Membership",
                                                "for (int other : configuration.all()) {"
                                                        + " if (reached[other].isBehind(target)) { return false; } }")),
                        ""),
                Arguments.of(
                        "a restart aborts what only another log has committed",
                        trial("restart", seeded().replacing(RESTORED, "committed::contains)", "_ -> false)")),
                        "the logs of two replicas have different last versions"),
                Arguments.of(
                        "a restart commits all that was prepared",
                        trial("restart", seeded().replacing(RESTORED, "committed::contains)", "_ -> true)")),
                        ""),
                Arguments.of(
                        "a restart takes the first version of an object",
                        trial(
                                "restart",
                                seeded().replacing(
                                                RESTORED,
                                                "next.version > known.version ? next",
                                                "known == next ? next")),
                        RESTART),
                Arguments.of(
                        "a restart ignores the logs before an interrupted one",
                        trial(
                                "restart",
                                seeded().replacing(
                                                RESTORED,
                                                "merge(replayed(places, logs));",
                                                "last.clear(); merge(replayed(places, logs));")),
                        "After a restart during a restart"),
                Arguments.of(
                        "objects are logged again with another version",
                        trial(
                                "restart",
                                seeded().replacing(
                                                RESTORED,
                                                "reader.object(address, replaced, payload);",
                                                "reader.object(address, replaced - ObjectWriter.ONE_VERSION, payload);")),
                        ""),
                Arguments.of("a restarted machine continues", trial("written", comesBack()), LOCKED),
                Arguments.of(
                        "acknowledged before replicas have logged",
                        trial(
                                "written",
                                seeded().replacing(
                                                "transactions.DistributedTransaction",
                                                "committed = !writes();",
                                                "committed = true;")),
                        NO_ORDER),
                Arguments.of(
                        "acknowledged before a primary has written, which suffices if only primaries fail",
                        FarmTrials.recoveredSkew(RIGHT.with(CommitAcknowledgement.LOGGED)),
                        NO_ORDER));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(String fault, Trial trial, String wrong) throws Exception {
        Counterexample found = Exploration.asFound(trial, FarmTrials.RECOVERY, () -> false)
                .random(SEED, SCHEDULES_WITH_A_FAULT)
                .counterexample();
        assertThat(found).as("%s, %s", fault, Seeds.replay()).isNotNull();
        assertThat(found.violation()).as(fault).contains(wrong);
    }

    static Stream<Arguments> right() {
        return Stream.of(
                Arguments.of("written", FarmTrials.written(RIGHT)),
                Arguments.of("skew", FarmTrials.recoveredSkew(RIGHT)),
                Arguments.of("slow", FarmTrials.slow(RIGHT)),
                Arguments.of("slow writes", FarmTrials.slowWrites(RIGHT)),
                Arguments.of("three machines", FarmTrials.threeMachines(RIGHT)),
                Arguments.of("restart", FarmTrials.restart(RIGHT)),
                Arguments.of("restart after eviction", restartAfterEviction()));
    }

    static Stream<Arguments> rejoining() {
        return Stream.of(
                Arguments.of("rejoin", rejoin()),
                Arguments.of("rejoin and restart", rejoinAndRestart()),
                Arguments.of("rejoin, three machines", rejoinThree()),
                Arguments.of("rejoin, slow", rejoinSlow()));
    }

    @ParameterizedTest
    @MethodSource("rejoining")
    void acknowledgedWritesSurviveOnARejoinedMachine(String name, Trial trial) throws Exception {
        acknowledgedWritesSurvive(name, trial, FarmTrials.REJOINING);
    }

    @ParameterizedTest
    @MethodSource("right")
    void acknowledgedWritesSurvive(String name, Trial trial) throws Exception {
        acknowledgedWritesSurvive(name, trial, FarmTrials.RECOVERY);
    }

    private static void acknowledgedWritesSurvive(String name, Trial trial, ExplorationLimits limits) throws Exception {
        ExplorationOutcome outcome = new Exploration(trial, limits).random(SEED, SCHEDULES);
        System.out.printf(
                "recovery, %s: %d random schedules, %d of them with a failure, seed %d%n",
                name, outcome.schedules(), outcome.faulty(), SEED);
        assertThat(outcome.counterexample()).as("%s, %s", name, Seeds.replay()).isNull();
        assertThat(outcome.faulty()).isPositive();
    }
}
