package org.reprobe.farm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationOutcome;
import org.reprobe.explore.Trial;
import org.reprobe.farm.DistributedTransaction.Rules;
import org.reprobe.farm.DistributedTransaction.Says;
import org.reprobe.farm.RecoveryTrial.Fault;
import org.reprobe.testing.Seeds;

/** Each part of how machines recover from the failure of one of them is needed. More schedules are explored at night. */
class RecoveryTrialTest {
    private static final long SEED = Seeds.seed();
    private static final int SCHEDULES = 100;
    private static final int SCHEDULES_WITH_A_FAULT = 4000;

    private static final String NO_ORDER = "explain";
    private static final String LOCKED = "is locked for ever";
    private static final Rules RIGHT = Rules.RECOVERABLE;

    static Stream<Arguments> faults() {
        return Stream.of(
                Arguments.of(
                        "the log's last record is not redone",
                        FarmTrials.written(RIGHT, Fault.REPLAY_WITHOUT_TAIL),
                        NO_ORDER),
                Arguments.of("locks of the dead are kept", FarmTrials.written(RIGHT, Fault.LOCKS_KEPT), LOCKED),
                Arguments.of("all is committed", FarmTrials.written(RIGHT, Fault.ALL_COMMITTED), NO_ORDER),
                Arguments.of("all is aborted", FarmTrials.written(RIGHT, Fault.ALL_ABORTED), "committed"),
                Arguments.of(
                        "no numbers of configurations, so that what an evicted machine answers is accepted",
                        FarmTrials.slowWrites(RIGHT, Fault.NO_NUMBERS),
                        NO_ORDER),
                Arguments.of("no leases", FarmTrials.slowWrites(RIGHT, Fault.NO_LEASES), NO_ORDER),
                Arguments.of(
                        "evicted before the lease has ended",
                        FarmTrials.slowWrites(RIGHT, Fault.EVICTED_EARLY),
                        NO_ORDER),
                Arguments.of("the manager waits for nobody", FarmTrials.threeMachines(RIGHT, Fault.AWAITS_NOBODY), ""),
                Arguments.of("a machine that comes back goes on", FarmTrials.written(RIGHT, Fault.COMES_BACK), LOCKED),
                Arguments.of(
                        "told before replicas have logged",
                        FarmTrials.written(RIGHT.saying(Says.DECIDED), Fault.NONE),
                        NO_ORDER),
                Arguments.of(
                        "told when replicas have logged, and no primary has written, which is enough where only primaries fail",
                        FarmTrials.recoveredSkew(RIGHT.saying(Says.LOGGED), Fault.NONE),
                        NO_ORDER));
    }

    @ParameterizedTest
    @MethodSource("faults")
    void aFaultIsFound(String fault, Trial trial, String wrong) throws Exception {
        Counterexample found = Exploration.asFound(trial, FarmTrials.RECOVERY, () -> false)
                .random(SEED, SCHEDULES_WITH_A_FAULT)
                .counterexample();
        assertThat(found).as("%s, %s", fault, Seeds.replay()).isNotNull();
        assertThat(found.wrong()).as(fault).contains(wrong);
    }

    static Stream<Arguments> right() {
        return Stream.of(
                Arguments.of("written", FarmTrials.written(RIGHT, Fault.NONE)),
                Arguments.of("skew", FarmTrials.recoveredSkew(RIGHT, Fault.NONE)),
                Arguments.of("slow", FarmTrials.slow(RIGHT, Fault.NONE)),
                Arguments.of("slow writes", FarmTrials.slowWrites(RIGHT, Fault.NONE)),
                Arguments.of("three machines", FarmTrials.threeMachines(RIGHT, Fault.NONE)));
    }

    @ParameterizedTest
    @MethodSource("right")
    void whatAnybodyWasToldSurvives(String name, Trial trial) throws Exception {
        ExplorationOutcome outcome = new Exploration(trial, FarmTrials.RECOVERY).random(SEED, SCHEDULES);
        System.out.printf(
                "recovery, %s: %d random schedules, %d of them with a failure, seed %d%n",
                name, outcome.schedules(), outcome.faulty(), SEED);
        assertThat(outcome.counterexample()).as("%s, %s", name, Seeds.replay()).isNull();
        assertThat(outcome.faulty()).isPositive();
    }
}
