package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.testing.Seeds;

/** Pruning at known states loses no outcome of full schedules. */
class ExploredStatesTest {
    private static final long SEED = Seeds.seed();
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

    /** Few retries, since a search without pruning has many more schedules. */
    private static final ExplorationLimits LIMITS =
            new ExplorationLimits(0, 0, 0, 0, ExplorationLimits.Tearing.ASCENDING, 200, 4, 2);

    /** All schedules as of {@link DepthFirst}, without pruning. */
    private static final class AllSchedules implements Chooser {
        private final List<int[]> path = new ArrayList<>();

        private int depth;

        @Override
        public int choose(World world, int[] actions, int count) {
            if (depth == path.size()) {
                path.add(new int[] {0, count});
            }
            return path.get(depth++)[0];
        }

        boolean next() {
            depth = 0;
            while (!path.isEmpty() && ++path.getLast()[0] == path.getLast()[1]) {
                path.removeLast();
            }
            return !path.isEmpty();
        }
    }

    @FunctionalInterface
    private interface Search {
        void in(Execution execution, Set<String> met);
    }

    private static Set<String> outcomes(Programs programs, Search search) throws Exception {
        FutureTask<Set<String>> task = new FutureTask<>(() -> {
            Set<String> met = new TreeSet<>();
            try (Arena arena = Arena.ofShared()) {
                World world = new World(programs, LIMITS, arena, Thread.currentThread());
                try {
                    search.in(new Execution(programs, world), met);
                } finally {
                    world.close();
                }
            }
            met.addAll(programs.takeMet());
            return met;
        });
        Thread.ofVirtual().start(task);
        return task.get();
    }

    private static void run(Execution execution, Chooser chooser, Set<String> met) {
        if (execution.run(chooser) == Execution.End.VIOLATED) {
            met.add(String.valueOf(execution.violation()));
        }
    }

    private static Set<String> leavingKnownStates(Programs programs) throws Exception {
        return outcomes(programs, (execution, met) -> {
            DepthFirst choices = new DepthFirst(Exploration.ALL, true);
            do {
                run(execution, choices, met);
            } while (choices.next());
        });
    }

    /** Outcomes of the first schedules, and of random ones in case there are more. */
    private static Set<String> leavingNothing(Programs programs, int schedules) throws Exception {
        return outcomes(programs, (execution, met) -> {
            AllSchedules all = new AllSchedules();
            int tried = 0;
            do {
                run(execution, all, met);
            } while (++tried < schedules && all.next());
            for (int i = 0; tried == schedules && i < schedules / 10; i++) {
                run(execution, new RandomChoice(SEED, i, programs.programs(), 20, 0), met);
            }
        });
    }

    private static void comesTo(Programs programs, String... outcomes) throws Exception {
        assertThat(leavingNothing(programs, 1_000_000)).containsExactlyInAnyOrder(outcomes);
        assertThat(leavingKnownStates(programs)).containsExactlyInAnyOrder(outcomes);
    }

    private static List<String> seenByBoth(Set<String> outcomes, String seen) {
        return outcomes.stream()
                .filter(outcome -> outcome.contains(" | " + seen + " | " + seen + " : "))
                .toList();
    }

    /** Two READs before or after another's WRITE, then a pause that ends at once or with the next WRITE. */
    @Test
    void whetherAPauseEndsAtOnceIsPartOfTheState() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    me.doWrite(0, 1);
                    me.doWrite(1, 1);
                })
                .recorded((me, history) -> {
                    history.invoked(1, Operation.READ, 1, 0);
                    me.sayRead(1, 1);
                    me.sayRead(0, 1);
                    me.self.pause(1);
                    me.sayRead(1, 1);
                });
        comesTo(programs, " | 0 0 0 : 1 1", " | 0 0 1 : 1 1", " | 0 1 0 : 1 1", " | 0 1 1 : 1 1", " | 1 1 1 : 1 1");
    }

    @Test
    void whetherADeadlineMayPassAgainIsPartOfTheState() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    me.doWrite(0, 1);
                    me.doWrite(1, 1);
                })
                .client(me -> {
                    me.server().await(me.completions, me.self.nowNs() + 10_000);
                    me.sayRead(1, 1);
                    me.sayRead(0, 1);
                    me.server().await(me.completions, me.self.nowNs() + 10_000);
                    me.sayRead(1, 1);
                });
        comesTo(programs, " | 0 0 0 : 1 1", " | 0 0 1 : 1 1", " | 0 1 0 : 1 1", " | 0 1 1 : 1 1", " | 1 1 1 : 1 1");
    }

    /** Programs notified of different words are in different states, although both words have changed in the end. */
    @Test
    void whichWordHasChangedIsPartOfTheState() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> me.doWrite(0, 1))
                .client(me -> me.doWrite(1, 1))
                .client(me -> {
                    me.self.watch(0, programs.memory, 0, 0);
                    me.self.watch(1, programs.memory, 8, 0);
                    me.self.next(me.completions, Long.MAX_VALUE);
                    me.say(me.self.changed());
                })
                .client(me -> me.sayRead(0, 2))
                .client(me -> me.sayRead(0, 2));
        assertThat(seenByBoth(leavingKnownStates(programs), "1,1"))
                .containsExactly(" |  | 0 | 1,1 | 1,1 : 1 1", " |  | 1 | 1,1 | 1,1 : 1 1");
    }

    @Test
    void theResultOfAWaitIsPartOfTheState() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.self.watch(0, programs.memory, 0, 0);
                    me.say(me.self.next(me.completions, me.self.nowNs() + 10_000));
                })
                .client(me -> me.doWrite(0, 1))
                .client(me -> me.sayRead(0, 1))
                .client(me -> me.sayRead(0, 1));
        assertThat(seenByBoth(leavingKnownStates(programs), "1"))
                .containsExactly("DEADLINE |  | 1 | 1 : 1", "WORDS |  | 1 | 1 : 1");
    }

    /** Waits for available events count as well, so that a clock does not reveal their duration. */
    @Test
    void aClockCountsWaitsThatEndAtOnce() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.read(me.server(), 0, 1);
                    me.self.accesses(8);
                    me.end(me.server());
                    me.read(me.server(), 0, 1);
                    me.self.accesses(8);
                    me.server().await(me.completions, Long.MAX_VALUE);
                    me.say(me.self.nowNs());
                })
                .client(me -> me.doWrite(0, 1));
        comesTo(programs, "4000 |  : 1");
        programs.server(me -> {
            me.self.accesses(8);
            me.self.accept(me.local, OPTIONS);
            me.self.accesses(8);
            me.say(me.self.next(me.completions, Long.MAX_VALUE));
            me.self.accept(me.local, OPTIONS);
            me.say(me.self.nowNs());
        });
        comesTo(programs, "4000 |  | CONNECTION 5000 : 1");
    }

    /** The order of two connections determines their numbers. */
    @Test
    void theOrderOfConnectionsIsPartOfTheState() throws Exception {
        for (boolean waits : new boolean[] {true, false}) {
            Programs programs = new Programs(0);
            for (int value = 5; value < 7; value++) {
                int sent = value;
                programs.client(me -> {
                    me.self.accesses(8);
                    QueuePair by = me.server();
                    me.self.accesses(8);
                    me.put(64, sent);
                    by.send(1, 64, 8, true);
                    by.doorbell();
                    me.end(by);
                });
            }
            programs.server(me -> {
                if (!waits) {
                    me.self.accesses(8);
                }
                QueuePair one = me.self.accept(me.local, OPTIONS);
                QueuePair other = me.self.accept(me.local, OPTIONS);
                one.receive(0, 0, 8);
                other.receive(0, 8, 8);
                me.self.accesses(8);
                me.end(one);
                me.say(me.word(0));
            });
            comesTo(programs, " |  | 5 : 0", " |  | 6 : 0");
        }
    }

    /** A message before or after the completion of a WRITE. */
    @Test
    void theOrderOfCompletionsIsPartOfTheState() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.server().receive(1, 0, 8);
                    me.write(me.server(), 0, 0);
                    me.self.accesses(8);
                    me.say(me.end(me.server()));
                })
                .server(me -> {
                    QueuePair by = me.self.accept(me.local, OPTIONS);
                    by.send(1, 64, 8, true);
                    by.doorbell();
                    me.end(by);
                });
        comesTo(programs, "got8 |  : 0", "got8,ok |  : 0", "ok |  : 0", "ok,got8 |  : 0");
    }

    /** A deregistration before the first of two WRITEs without a change, or between them. */
    @Test
    void howRequestsEndedIsPartOfTheState() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.write(me.server(), 0, 0);
                    me.write(me.server(), 0, 0);
                    me.self.accesses(8);
                    me.say(me.end(me.server()));
                })
                .server(me -> {
                    me.self.accesses(8);
                    me.self.memory().deregister(programs.region);
                });
        comesTo(
                programs,
                "ok |  : 0",
                "ok,ok |  : 0",
                "ok,remote_access_error |  : 0",
                "remote_access_error |  : 0",
                "remote_access_error,flushed |  : 0");
    }

    private enum Kind {
        READ,
        WRITE,
        SWAP,
        STORE,
        TURN,
        OPERATION,
        PAUSE,
        POST,
        POLL,
        AWAIT,
        DEADLINE,
        WATCH,
        TIME;

        private static Kind any(SplittableRandom random) {
            return values()[random.nextInt(values().length)];
        }
    }

    private record Step(Kind kind, int word, long value) {
        @Override
        public String toString() {
            return kind + " " + word + " " + value;
        }
    }

    private static final class Walk {
        private final Programs programs;
        private final Programs.Me<Client> me;
        private final HistoryRecorder history;
        private int posted;
        private int invocation = -1;

        Walk(Programs programs, Programs.Me<Client> me, HistoryRecorder history) {
            this.programs = programs;
            this.me = me;
            this.history = history;
        }

        void take(Step step) throws FabricException {
            int word = step.word;
            long value = step.value;
            QueuePair by = me.server();
            switch (step.kind) {
                case READ, WRITE, SWAP -> complete(step);
                case STORE -> {
                    me.self.accesses(8);
                    programs.memory.setAtIndex(Programs.LONG, word, value);
                }
                case TURN -> me.self.accesses(8);
                case OPERATION -> {
                    if (invocation >= 0) {
                        history.returned(invocation, 0);
                    }
                    invocation = history.invoked(me.self.index(), Operation.READ, 1, 0);
                }
                case PAUSE -> me.self.pause(1);
                case POST -> {
                    long at = 64 + 8L * posted++;
                    me.put(at, value);
                    by.write(0, at, programs.at(word), programs.region.key(), 8, true);
                    by.doorbell();
                }
                case POLL -> sayTaken(by.poll(me.completions));
                case AWAIT -> {
                    if (posted > 0) {
                        sayTaken(by.await(me.completions));
                    }
                }
                case DEADLINE -> sayTaken(by.await(me.completions, me.self.nowNs() + 10_000));
                case WATCH -> {
                    me.self.watch(0, programs.memory, 0, 0);
                    me.self.watch(1, programs.memory, 8, 0);
                    me.say(me.self.next(me.completions, me.self.nowNs() + 10_000));
                    sayTaken(me.completions.count());
                    if (value == 0) {
                        me.say(me.self.changed());
                    }
                }
                case TIME -> me.say(me.self.nowNs() / 1000);
            }
        }

        /** Waits for a request, unless others are in flight. */
        private void complete(Step step) throws FabricException {
            if (posted > 0) {
                return;
            }
            switch (step.kind) {
                case READ -> me.sayRead(step.word, 1);
                case WRITE -> me.doWrite(step.word, step.value);
                default -> {
                    QueuePair by = me.server();
                    by.compareAndSwap(
                            0, 0, programs.at(step.word), programs.region.key(), step.value, 1 - step.value, true);
                    by.doorbell();
                    me.end(by);
                    me.say(me.word(0));
                }
            }
        }

        private void sayTaken(int count) {
            posted -= count;
            me.say(count);
        }
    }

    /** Two clients of up to five steps or three of up to three, with few kinds of steps, so that they conflict. */
    private static List<List<Step>> steps(SplittableRandom random) {
        int clients = random.nextInt(4) == 0 ? 3 : 2;
        Kind[] kinds = new Kind[random.nextInt(2, 6)];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = Kind.any(random);
        }
        List<List<Step>> all = new ArrayList<>();
        for (int client = 0; client < clients; client++) {
            List<Step> steps = new ArrayList<>();
            int count = random.nextInt(1, clients == 3 ? 4 : 6);
            for (int i = 0; i < count; i++) {
                steps.add(new Step(kinds[random.nextInt(kinds.length)], random.nextInt(2), random.nextInt(2)));
            }
            all.add(steps);
        }
        return all;
    }

    @Test
    void leavingKnownStatesLosesNothing() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        for (int trial = 0; trial < 250; trial++) {
            List<List<Step>> steps = steps(random);
            Programs programs = new Programs(0, 0);
            for (List<Step> own : steps) {
                programs.recorded((me, history) -> {
                    Walk walk = new Walk(programs, me, history);
                    for (Step step : own) {
                        walk.take(step);
                    }
                });
            }
            Set<String> found = leavingKnownStates(programs);
            assertThat(found)
                    .as("seed %d, trial %d: %s", SEED, trial, steps)
                    .containsAll(leavingNothing(programs, 1000));
        }
    }
}
