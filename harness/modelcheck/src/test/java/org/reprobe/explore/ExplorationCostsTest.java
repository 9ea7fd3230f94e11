package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reprobe.check.Event;
import org.reprobe.check.History;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.UnreachableException;
import org.reprobe.testing.Seeds;

class ExplorationCostsTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final long SEED = Seeds.seed();
    private static final int NOBODY = -1;

    private static int cost(int last, int chosen, int... actions) {
        return Execution.cost(actions, chosen, last);
    }

    private static int of(int kind, int process) {
        return Action.of(kind, process, 0);
    }

    @Test
    void anotherProgramsStepIsASwitchWhereTheLastCouldHaveGoneOn() {
        int serve0 = of(Action.SERVE, 0);
        int serve1 = of(Action.SERVE, 1);
        assertThat(cost(0, 0, serve0, serve1)).isZero();
        assertThat(cost(0, 1, serve0, serve1)).isEqualTo(1);
        assertThat(cost(1, 1, serve0, serve1)).isZero();
        assertThat(cost(1, 0, serve1, serve0)).isZero();
        assertThat(cost(2, 0, serve0, serve1)).isZero();
        assertThat(cost(2, 1, serve0, serve1)).isZero();
        assertThat(cost(NOBODY, 1, serve0, serve1)).isZero();
        for (int kind : new int[] {Action.SERVE, Action.REVERSE, Action.DELIVER, Action.GO}) {
            assertThat(cost(0, 1, of(kind, 0), serve1)).isEqualTo(1);
        }
    }

    @Test
    void faultsOfAProgramAreNotItsSteps() {
        for (int kind :
                new int[] {Action.CRASH, Action.LOSE, Action.NOTICE, Action.PASS, Action.RESTART, Action.GIVE_UP}) {
            assertThat(cost(0, 1, of(kind, 0), of(Action.SERVE, 1))).isZero();
        }
    }

    @Test
    void eachFaultCostsOne() {
        for (int kind : new int[] {Action.CRASH, Action.BREAK, Action.FAIL, Action.CUT}) {
            for (int last = NOBODY; last < 2; last++) {
                assertThat(cost(last, 1, of(Action.SERVE, 0), of(kind, 0))).isEqualTo(1);
                assertThat(cost(last, 0, of(kind, 0))).isEqualTo(1);
            }
        }
    }

    @Test
    void theEndOfACutCostsOneWhereTheLastCouldHaveGoneOn() {
        for (int kind : new int[] {Action.MEND, Action.GIVE_UP}) {
            assertThat(cost(0, 1, of(Action.SERVE, 0), of(kind, 0))).isEqualTo(1);
            assertThat(cost(1, 1, of(Action.SERVE, 0), of(kind, 1))).isZero();
            assertThat(cost(0, 0, of(kind, 0))).isZero();
        }
        assertThat(cost(0, 1, of(Action.SERVE, 0), of(Action.RESTART, 0))).isZero();
    }

    /** The next step is of the same client: of the six orders of two two-step clients, four take at most one switch. */
    @Test
    void aClientThatBeginsAnOperationContinuesIt() throws Exception {
        Recorded trial = new Recorded(2);
        ExplorationOutcome outcome = new Exploration(trial, USUAL).exhaustive(Exploration.ALL, Long.MAX_VALUE);
        assertThat(outcome.complete()).isTrue();
        assertThat(trial.orders.stream().distinct().sorted())
                .containsExactly("0011", "0101", "0110", "1001", "1010", "1100");
        List<Long> bounded = new ArrayList<>();
        for (int switches = 0; switches < 3; switches++) {
            bounded.add(new Exploration(trial, USUAL)
                    .exhaustive(switches, Long.MAX_VALUE)
                    .schedules());
        }
        assertThat(bounded).containsExactly(2L, 4L, 6L);
    }

    /** Clients that swap a word in two operations each, with a record of the interleaving. */
    private static class Recorded implements Trial {
        private final int clients;
        private final Programs words = new Programs(0);
        final List<String> orders = new ArrayList<>();

        Recorded(int clients) {
            this.clients = clients;
        }

        @Override
        public int clients() {
            return clients;
        }

        @Override
        public void build(Fabric fabric) throws FabricException {
            words.build(fabric);
        }

        @Override
        public void run(Client client, HistoryRecorder history) throws FabricException {
            Programs.Me<Client> me = words.me(client);
            for (int times = 0; times < 2; times++) {
                int invocation = history.invoked(client.index(), Operation.READ, 1, 0);
                me.server().fetchAndAdd(0, 0, words.at(0), words.region.key(), 1, true);
                me.server().doorbell();
                me.end(me.server());
                history.returned(invocation, me.word(0) + 1);
            }
        }

        @Override
        public @Nullable String violation(History history) {
            StringBuilder order = new StringBuilder();
            for (Event event : history.events()) {
                order.append(event.client());
                if (event.returned() > event.invoked() + 1) {
                    return "another event comes between";
                }
            }
            orders.add(order.toString());
            return null;
        }
    }

    @Test
    void aSearchEndsAfterAsManySchedulesAsItMayTry() throws Exception {
        Exploration exploration = new Exploration(Protocols.update(2, 3), USUAL);
        ExplorationOutcome all = exploration.exhaustive(Exploration.ALL, Long.MAX_VALUE);
        assertThat(all.complete()).isTrue();
        assertThat(all.schedules()).isGreaterThan(1);
        ExplorationOutcome enough = exploration.exhaustive(Exploration.ALL, all.schedules());
        assertThat(enough.schedules()).isEqualTo(all.schedules());
        assertThat(enough.complete()).isTrue();
        ExplorationOutcome less = exploration.exhaustive(Exploration.ALL, all.schedules() - 1);
        assertThat(less.schedules()).isEqualTo(all.schedules() - 1);
        assertThat(less.complete()).isFalse();
        ExplorationOutcome random = exploration.random(SEED, 7);
        assertThat(random.schedules()).isEqualTo(7);
        assertThat(random.states()).isZero();
        assertThat(random.complete()).isFalse();
        assertThat(random.faulty()).isZero();
    }

    @Test
    void aSearchEndsWhenItIsStopped() throws Exception {
        int[] asked = {0};
        ExplorationOutcome outcome = new Exploration(Protocols.update(2, 3), USUAL, () -> asked[0]++ == 5)
                .exhaustive(Exploration.ALL, Long.MAX_VALUE);
        assertThat(outcome.schedules()).isEqualTo(5);
        assertThat(outcome.complete()).isFalse();
        asked[0] = 0;
        new Exploration(Protocols.update(2, 3), USUAL, () -> asked[0]++ == 5).random(SEED, 1000);
        assertThat(asked[0]).isEqualTo(6);
    }

    @Test
    void randomSchedulesWithFaultsAreCounted() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            me.read(me.server(), 0, 1);
            me.end(me.server());
        });
        ExplorationOutcome outcome = new Exploration(programs, USUAL.withBreaks(1)).random(1, 200);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.faulty()).isBetween(20L, 180L);
        assertThat(outcome.cut()).isZero();
    }

    @Test
    void aCounterexampleIsShortenedUnlessDisabled() throws Exception {
        Trial trial = Protocols.freeItems(false);
        Counterexample asFound = Exploration.asFound(trial, USUAL, () -> false)
                .exhaustive(Exploration.ALL, Long.MAX_VALUE)
                .counterexample();
        Counterexample shortened = new Exploration(trial, USUAL)
                .exhaustive(Exploration.ALL, Long.MAX_VALUE)
                .counterexample();
        assertThat(asFound).isNotNull();
        assertThat(shortened).isNotNull();
        assertThat(shortened.switches()).isLessThanOrEqualTo(asFound.switches());
        assertThat(shortened.schedule().length()).isLessThan(asFound.schedule().length());
        Counterexample random =
                Exploration.asFound(trial, USUAL, () -> false).random(1, 20_000).counterexample();
        Counterexample shortRandom =
                new Exploration(trial, USUAL).random(1, 20_000).counterexample();
        assertThat(random).isNotNull();
        assertThat(shortRandom).isNotNull();
        assertThat(shortRandom.schedule().length()).isLessThan(random.schedule().length());
    }

    @Test
    void aScheduleMayHaveAsManyStepsAsTheLimitsSay() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            for (int i = 0; i < 5; i++) {
                me.doWrite(0, i);
            }
        });
        ExplorationLimits five = new ExplorationLimits(0, 0, 0, 0, Tearing.ASCENDING, 5, 20, 20);
        ExplorationLimits four = new ExplorationLimits(0, 0, 0, 0, Tearing.ASCENDING, 4, 20, 20);
        programs.comesTo(five, " : 4");
        assertThat(programs.violation(four))
                .isEqualTo("client 0 still runs after 4 steps: it does not terminate, or retries without a pause");
    }

    private static Trial judging(String how) {
        return new Recorded(1) {
            @Override
            public void build(Fabric fabric) throws FabricException {
                switch (how) {
                    case "fabric" -> throw new FabricException("can't be built");
                    case "unchecked" -> throw new IllegalArgumentException("can't be built");
                    case "error" -> throw new AssertionError("can't be built");
                    default -> super.build(fabric);
                }
            }

            @Override
            public @Nullable String violation(History history) {
                return switch (how) {
                    case "wrong" -> "wrong";
                    case "throws" -> throw new IllegalStateException("no end");
                    case "asserts" -> throw new AssertionError("no end");
                    default -> null;
                };
            }
        };
    }

    private static ExplorationOutcome explore(String how) throws Exception {
        return new Exploration(judging(how), USUAL).exhaustive(Exploration.ALL, Long.MAX_VALUE);
    }

    @Test
    void anExceptionOfTheFinalCheckIsAFailure() throws Exception {
        assertThat(explore("fine").counterexample()).isNull();
        assertThat(explore("wrong").counterexample().violation()).isEqualTo("wrong");
        assertThat(explore("throws").counterexample().violation())
                .isEqualTo("the trial's final check failed: java.lang.IllegalStateException: no end");
        assertThat(explore("asserts").counterexample().violation())
                .isEqualTo("the trial's final check failed: java.lang.AssertionError: no end");
    }

    @Test
    void aTrialThatCanNotBeBuiltIsNotExplored() {
        assertThatThrownBy(() -> explore("fabric"))
                .isInstanceOf(FabricException.class)
                .hasMessage("can't be built");
        assertThatThrownBy(() -> explore("unchecked"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("can't be built");
        assertThatThrownBy(() -> explore("error"))
                .isInstanceOf(AssertionError.class)
                .hasMessage("can't be built");
    }

    @Test
    void aReplayedScheduleReportsTooManyPauses() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    for (int i = 0; i < 3; i++) {
                        me.self.pause(1);
                    }
                })
                .client(me -> {
                    for (int i = 1; i < 6; i++) {
                        me.doWrite(0, i);
                    }
                });
        for (int pauses = 2; pauses < 4; pauses++) {
            Counterexample replayed = new Exploration(programs, USUAL.withPauses(pauses)).replay(Schedule.parse(""));
            assertThat(replayed.violation()).isEqualTo(pauses == 2 ? "the schedule exceeds the limit of pauses" : "");
        }
    }

    private static long count(Trial trial, ExplorationLimits limits, int switches) throws Exception {
        ExplorationOutcome outcome = new Exploration(trial, limits).exhaustive(switches, Long.MAX_VALUE);
        assertThat(outcome.counterexample()).isNull();
        assertThat(outcome.complete()).isTrue();
        return outcome.schedules();
    }

    /** A change of these numbers means lost or wasted schedules, unless a change of the search explains it. */
    @Test
    void knownProtocolsTakeAsManySchedulesAsEver() throws Exception {
        Trial swaps = Protocols.swaps(Protocols.Unanswered.PENDING);
        assertThat(List.of(
                        count(swaps, USUAL.withBreaks(1), 2),
                        count(swaps, USUAL.withCuts(1), 2),
                        count(Protocols.transactions(), USUAL, 2),
                        count(Protocols.lock(2), USUAL, Exploration.ALL)))
                .containsExactly(65L, 514L, 228L, 18L);
    }

    @Test
    void aScheduleMayHaveManyChoices() throws Exception {
        Programs programs = new Programs(0);
        for (int client = 0; client < 2; client++) {
            programs.client(me -> {
                for (int times = 0; times < 50; times++) {
                    me.read(me.server(), 0, 1);
                    me.end(me.server());
                }
            });
        }
        assertThat(count(programs, USUAL, 1)).isGreaterThan(50);
        Counterexample replayed = new Exploration(programs, USUAL)
                .replay(Schedule.parse("s1,s0".repeat(49).replace("0s", "0,s")));
        assertThat(replayed.schedule().length()).isEqualTo(99);
        assertThat(replayed.violation()).isEmpty();
    }

    /** Late WRITEs land at any step of random schedules or at their end; also after a cut. */
    @Test
    void lateWritesLandAtAnyStepOfRandomSchedules() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            me.write(me.server(), 0, 1);
            me.say(me.end(me.server()).charAt(0));
            for (int tries = 0; tries < 3; tries++) {
                QueuePair again;
                try {
                    again = me.to(0);
                } catch (UnreachableException e) {
                    me.self.pause(1);
                    continue;
                }
                me.read(again, 0, 1);
                me.end(again);
                me.say(me.word(0));
            }
        });
        assertThat(programs.random(USUAL.withBreaks(1), 4000))
                .contains("r 0 0 0 : 0", "r 0 0 0 : 1", "r 0 0 1 : 1", "r 0 1 1 : 1", "r 1 1 1 : 1");
        assertThat(programs.random(USUAL.withCuts(1), 4000))
                .contains("o 0 1 : 1", "o 1 1 : 1", "r 0 0 : 0", "r 0 0 : 1", "r 1 1 : 1");
        assertThat(programs.random(USUAL.withCrashes(1), 4000)).containsExactly("died : 0", "died : 1", "o 1 1 1 : 1");
    }
}
