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

    private static Outcome all(Trial trial, Limits limits) throws Exception {
        return new Exploration(trial, limits).exhaustive(Exploration.ALL, 2_000_000);
    }

    private static void holds(Trial trial, Limits limits) throws Exception {
        Outcome outcome = all(trial, limits);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.complete()).isTrue();
        assertThat(outcome.cut()).isZero();
        Outcome random = new Exploration(trial, limits).random(SEED, 2000);
        assertThat(random.counterexample()).as("seed %d", SEED).isNull();
    }

    private static Counterexample fails(Trial trial, Limits limits, String wrong) throws Exception {
        Counterexample found = all(trial, limits).counterexample();
        assertThat(found).isNotNull();
        assertThat(found.wrong()).contains(wrong);
        Counterexample replayed = new Exploration(trial, limits)
                .replay(Schedule.parse(found.schedule().toString()));
        assertThat(replayed.wrong()).isEqualTo(found.wrong());
        assertThat(replayed.timeline()).isEqualTo(found.timeline());

        Counterexample random =
                new Exploration(trial, limits).random(SEED, 20_000).counterexample();
        assertThat(random).as("seed %d", SEED).isNotNull();
        assertThat(random.wrong()).contains(wrong);
        assertThat(random.switches()).isGreaterThanOrEqualTo(found.switches());
        return found;
    }

    @Test
    void anUpdateByReadAndWriteIsLost() throws Exception {
        Counterexample found = fails(Protocols.lostUpdate(2), Limits.USUAL, "word 0 is 1, not 2");
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
        holds(Protocols.transactions(), Limits.USUAL);
    }

    @Test
    void anUpdateByCompareAndSwapIsNot() throws Exception {
        holds(Protocols.update(2, 1), Limits.USUAL);
        holds(Protocols.update(3, 1), Limits.USUAL);
        holds(Protocols.update(2, 3), Limits.USUAL);
    }

    @Test
    void aPairIsReadHalfUnlessItVerifiesItself() throws Exception {
        fails(Protocols.tornRead(), Limits.USUAL, "client 1 failed: read half of a pair");
        holds(Protocols.verifiedRead(), Limits.USUAL);
        holds(Protocols.verifiedRead(), Limits.USUAL.withTearing(Limits.Tearing.EITHER_WAY));
        holds(Protocols.tornRead(), Limits.USUAL.withTearing(Limits.Tearing.NONE));
    }

    @Test
    void aHeadWithoutVersionIsTakenForUnchanged() throws Exception {
        fails(Protocols.freeItems(false), Limits.USUAL, "item 2 is free and has an owner");
        holds(Protocols.freeItems(true), Limits.USUAL);
    }

    @Test
    void aDeadHolderOfALockBlocksTheOthers() throws Exception {
        holds(Protocols.lock(2), Limits.USUAL);
        Counterexample found = fails(Protocols.lock(2), Limits.USUAL.withCrashes(1), "waits for ever");
        assertThat(found.timeline()).isEqualTo("""
                      client 0                 client 1
                   1  dies
                   2  CAS word 0 0 to 1 -> 0
                   3                           CAS word 0 0 to 2 -> 1, fails (3 times)
                   4                           ... and so on
                """);
    }

    @Test
    void twoCopiesOfARegisterAreNotARegister() throws Exception {
        holds(Protocols.register(3, 1), Limits.USUAL.withCrashes(1));
        fails(Protocols.register(3, 2), Limits.USUAL, "No order of these operations explains");
    }

    /** The number of a schedule must not matter for what is in it, so that a seed and a number replay it. */
    @Test
    void theSameSeedGivesTheSameCounterexample() throws Exception {
        Exploration exploration = new Exploration(Protocols.freeItems(false), Limits.USUAL);
        Counterexample first = exploration.random(SEED, 20_000).counterexample();
        Counterexample second = exploration.random(SEED, 20_000).counterexample();
        assertThat(second).as("seed %d", SEED).isEqualTo(first);
    }

    /**
     * Random programs of READs, WRITEs and swaps of one or two words: what is left in memory and what clients read, in any
     * schedule, is what trying all orders of single words on a plain array gives.
     */
    @Test
    void everythingThatCanComeOutDoesAndNothingElse() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int trial = 0; trial < 60; trial++) {
            RandomPrograms programs = RandomPrograms.of(random);
            Set<String> met = new TreeSet<>();
            Outcome outcome =
                    new Exploration(programs.trial(met::add), Limits.USUAL).exhaustive(Exploration.ALL, Long.MAX_VALUE);
            assertThat(outcome.complete()).isTrue();
            assertThat(met).as("seed %d, trial %d: %s", SEED, trial, programs).isEqualTo(programs.outcomes());
        }
    }

    @Test
    void aScheduleThatDoesNotFitIsRefused() {
        Exploration exploration = new Exploration(Protocols.lostUpdate(2), Limits.USUAL);
        assertThatThrownBy(() -> exploration.replay(Schedule.parse("s0,g1")))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("choice 2 is g1, but possible there are s0, s1");
        assertThatThrownBy(() -> Schedule.parse("s0,q,7"))
                .isInstanceOf(InvalidInputException.class)
                .hasMessageContaining("\"q\" is no part")
                .hasMessageContaining("\"7\" is no part");
    }
}
