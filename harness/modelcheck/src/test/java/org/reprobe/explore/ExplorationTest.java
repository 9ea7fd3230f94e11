package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.testing.Seeds;

class ExplorationTest {
    private static final long SEED = Seeds.seed();

    private static ExplorationOutcome all(Trial trial, ExplorationLimits limits) throws Exception {
        return new Exploration(trial, limits).exhaustive(Exploration.ALL, 2_000_000);
    }

    static void holds(Trial trial, ExplorationLimits limits) throws Exception {
        ExplorationOutcome outcome = all(trial, limits);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.complete()).isTrue();
        assertThat(outcome.cut()).isZero();
        ExplorationOutcome random = new Exploration(trial, limits).random(SEED, 2000);
        assertThat(random.counterexample()).as("seed %d", SEED).isNull();
    }

    static Counterexample fails(Trial trial, ExplorationLimits limits, String wrong) throws Exception {
        Counterexample found = all(trial, limits).counterexample();
        assertThat(found).isNotNull();
        assertThat(found.violation()).contains(wrong);
        if (found.switches() > 0) {
            // All schedules with fewer switches succeed.
            ExplorationOutcome fewer = new Exploration(trial, limits).exhaustive(found.switches() - 1, 2_000_000);
            assertThat(fewer.counterexample()).isNull();
        }
        Counterexample replayed = new Exploration(trial, limits)
                .replay(Schedule.parse(found.schedule().toString()));
        assertThat(replayed.violation()).isEqualTo(found.violation());
        assertThat(replayed.timeline()).isEqualTo(found.timeline());

        Counterexample random =
                new Exploration(trial, limits).random(SEED, 20_000).counterexample();
        assertThat(random).as("seed %d", SEED).isNotNull();
        assertThat(random.violation()).contains(wrong);
        assertThat(random.switches()).isGreaterThanOrEqualTo(found.switches());
        return found;
    }

    @Test
    void anUpdateByReadAndWriteIsLost() throws Exception {
        Counterexample found = fails(Protocols.lostUpdate(2), ExplorationLimits.USUAL, "word 0 is 1, not 2");
        assertThat(found.switches()).isEqualTo(1);
        assertThat(found.schedule()).hasToString("s0,s1");
        assertThat(found.timeline()).isEqualTo("""
                      client 0            client 1
                   1  READ word 0 -> 0
                   2                      READ word 0 -> 0
                   3                      WRITE word 0 := 1
                   4  WRITE word 0 := 1
                """);
    }

    @Test
    void anUpdateByATransactionIsNot() throws Exception {
        holds(Protocols.transactions(), ExplorationLimits.USUAL);
    }

    @Test
    void anUpdateByCompareAndSwapIsNot() throws Exception {
        holds(Protocols.update(2, 1), ExplorationLimits.USUAL);
        holds(Protocols.update(3, 1), ExplorationLimits.USUAL);
        holds(Protocols.update(2, 3), ExplorationLimits.USUAL);
    }

    @Test
    void aPairIsReadHalfUnlessItVerifiesItself() throws Exception {
        fails(Protocols.tornRead(), ExplorationLimits.USUAL, "client 1 failed: read half of a pair");
        holds(Protocols.verifiedRead(), ExplorationLimits.USUAL);
        holds(Protocols.verifiedRead(), ExplorationLimits.USUAL.withTearing(ExplorationLimits.Tearing.EITHER_WAY));
        holds(Protocols.tornRead(), ExplorationLimits.USUAL.withTearing(ExplorationLimits.Tearing.NONE));
    }

    @Test
    void aReadIsAtomicInUnitsOfTheTrial() throws Exception {
        ExplorationLimits eitherWay = ExplorationLimits.USUAL.withTearing(ExplorationLimits.Tearing.EITHER_WAY);
        fails(Protocols.wordsInTurn(2, 8), eitherWay, "client 1 failed: word 1 is newer than the one before");
        holds(Protocols.wordsInTurn(2, 16), eitherWay);
        // Half of four words at a time.
        fails(Protocols.wordsInTurn(4, 16), eitherWay, "client 1 failed: word 2 is newer than the one before");
        holds(Protocols.wordsInTurn(4, 64), eitherWay);
    }

    @Test
    void aHeadWithoutVersionIsTakenForUnchanged() throws Exception {
        fails(Protocols.freeItems(false), ExplorationLimits.USUAL, "item 2 is free and has an owner");
        holds(Protocols.freeItems(true), ExplorationLimits.USUAL);
    }

    @Test
    void aDeadHolderOfALockBlocksTheOthers() throws Exception {
        holds(Protocols.lock(2), ExplorationLimits.USUAL);
        Counterexample found = fails(Protocols.lock(2), ExplorationLimits.USUAL.withCrashes(1), "waits forever");
        assertThat(found.timeline()).isEqualTo("""
                      client 0                 client 1
                   1  dies
                   2  CAS word 0 0 to 1 -> 0
                   3                           CAS word 0 0 to 2 -> 1, fails (3 times)
                   4                           ... (repeats)
                """);
    }

    /**
     * A client must not assume either outcome of an operation without a reply, even after a read: it may still arrive.
     */
    @Test
    void anOperationWithoutAnswerMayHaveTakenEffectAndStillMay() throws Exception {
        ExplorationLimits breaks = ExplorationLimits.USUAL.withBreaks(1);
        holds(Protocols.swaps(Protocols.Unanswered.PENDING), breaks);
        holds(Protocols.swaps(Protocols.Unanswered.AGAIN), ExplorationLimits.USUAL);
        String wrong = "No order of these operations explains";
        fails(Protocols.swaps(Protocols.Unanswered.DONE), breaks, wrong);
        fails(Protocols.swaps(Protocols.Unanswered.AGAIN), breaks, wrong);
        Counterexample late = fails(Protocols.swaps(Protocols.Unanswered.LOOK), breaks, wrong);
        assertThat(late.timeline()).contains("its connection 0 breaks");
    }

    /** After a machine's failure a read determines the outcome: nothing arrives late. */
    @Test
    void nothingArrivesLateAtAMachineThatHasFailed() throws Exception {
        ExplorationLimits failures = ExplorationLimits.USUAL.withFailures(1);
        holds(Protocols.swaps(Protocols.Unanswered.PENDING), failures);
        fails(Protocols.swaps(Protocols.Unanswered.DONE), failures, "No order of these operations explains");
        fails(Protocols.swaps(Protocols.Unanswered.AGAIN), failures, "No order of these operations explains");
    }

    /**
     * After a refused connection a client may assume a failed machine, where a read suffices; behind a cut link it does
     * not.
     */
    @Test
    void aCutLinkIsNoMachineThatHasFailed() throws Exception {
        ExplorationLimits others =
                ExplorationLimits.USUAL.withCrashes(1).withBreaks(1).withFailures(1);
        ExplorationLimits cuts = ExplorationLimits.USUAL.withCuts(1);
        holds(Protocols.swaps(Protocols.Unanswered.PENDING), cuts);
        holds(Protocols.addsAgainAfterAnOutage(), others);
        Counterexample found = fails(Protocols.addsAgainAfterAnOutage(), cuts, "added 3 times");
        assertThat(found.timeline())
                .contains("the link to server 0 is cut")
                .contains("its connection 0 times out")
                .contains("the link to server 0 is mended");
    }

    @Test
    void aServerProgramRestartsOnItsKeptMemory() throws Exception {
        holds(Protocols.restarts(), ExplorationLimits.USUAL);
        Counterexample found =
                fails(Protocols.restarts(), ExplorationLimits.USUAL.withFailures(1), "the server has begun twice");
        assertThat(found.timeline()).contains("server 0 fails").contains("server 0 restarts");
    }

    /** A pause would reveal that nothing changes; without pauses the number of steps ends the schedule. */
    @Test
    void endlessClientsAreDetected() throws Exception {
        ExplorationLimits fewSteps =
                new ExplorationLimits(0, 0, 0, 0, ExplorationLimits.Tearing.ASCENDING, 100, 20, 20);
        Counterexample found =
                new Exploration(Protocols.spin(2), fewSteps).exhaustive(1, 1).counterexample();
        assertThat(found).isNotNull();
        assertThat(found.violation()).startsWith("client 0 still runs after 100 steps");
    }

    @Test
    void twoCopiesOfARegisterAreNotARegister() throws Exception {
        holds(Protocols.register(3, 1), ExplorationLimits.USUAL.withCrashes(1));
        fails(Protocols.register(3, 2), ExplorationLimits.USUAL, "No order of these operations explains");
    }

    /** The schedule depends only on its seed and number, not on earlier ones. */
    @Test
    void theSameSeedGivesTheSameCounterexample() throws Exception {
        Exploration exploration = new Exploration(Protocols.freeItems(false), ExplorationLimits.USUAL);
        Counterexample first = exploration.random(SEED, 20_000).counterexample();
        Counterexample second = exploration.random(SEED, 20_000).counterexample();
        assertThat(second).as("seed %d", SEED).isEqualTo(first);
    }

    /**
     * Random programs of READs, WRITEs and swaps of one or two words: outcomes over all schedules equal those of all
     * orders of single words on a plain array.
     */
    @Test
    void everythingThatCanComeOutDoesAndNothingElse() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int trial = 0; trial < 60; trial++) {
            RandomPrograms programs = RandomPrograms.of(random);
            Set<String> met = new TreeSet<>();
            ExplorationOutcome outcome = new Exploration(programs.trial(met::add), ExplorationLimits.USUAL)
                    .exhaustive(Exploration.ALL, Long.MAX_VALUE);
            assertThat(outcome.complete()).isTrue();
            assertThat(met).as("seed %d, trial %d: %s", SEED, trial, programs).isEqualTo(programs.outcomes());
        }
    }

    @Test
    void aScheduleThatDoesNotFitIsRefused() {
        Exploration exploration = new Exploration(Protocols.lostUpdate(2), ExplorationLimits.USUAL);
        assertThatThrownBy(() -> exploration.replay(Schedule.parse("s0,g1")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("choice 2 is g1, but possible actions are s0, s1");
        assertThatThrownBy(() -> Schedule.parse("s0,q,7"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("\"q\" is no part")
                .hasMessageContaining("\"7\" is no part");
    }
}
