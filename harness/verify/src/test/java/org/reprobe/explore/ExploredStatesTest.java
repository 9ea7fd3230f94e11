package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.QueuePair;
import org.reprobe.testing.Seeds;

/** Leaving states that are known loses nothing: it finds what comes out of schedules that are all run to their end. */
class ExploredStatesTest {
    private static final long SEED = Seeds.seed();
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

    /** Few vain tries, since a search that leaves nothing is in for many more schedules. */
    private static final ExplorationLimits LIMITS =
            new ExplorationLimits(0, 0, 0, 0, ExplorationLimits.Tearing.ASCENDING, 200, 4, 2);

    /** All schedules as {@link DepthFirst} has them, whatever state they come to. */
    private static final class AllSchedules implements Chooser {
        /** What was chosen, and of how many. */
        private final List<int[]> path = new ArrayList<>();

        private int depth;

        @Override
        public int choose(World world, int[] actions, int count) {
            if (depth == path.size()) {
                path.add(new int[] {0, count});
            }
            return path.get(depth++)[0];
        }

        /** Goes to the next schedule; false when there is none. */
        boolean next() {
            depth = 0;
            while (!path.isEmpty() && ++path.getLast()[0] == path.getLast()[1]) {
                path.removeLast();
            }
            return !path.isEmpty();
        }
    }

    /** Runs schedules in a world of their own. */
    @FunctionalInterface
    private interface Search {
        void in(Execution execution, Set<String> met);
    }

    /** What comes out of schedules, and what goes wrong in them. */
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
        if (execution.run(chooser) == Execution.End.WRONG) {
            met.add(String.valueOf(execution.wrong()));
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

    /** Of the first schedules of all, and some random ones in case there are more. */
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

    /** What comes out where two who look in the end have seen the same. */
    private static List<String> seenByBoth(Set<String> outcomes, String seen) {
        return outcomes.stream()
                .filter(outcome -> outcome.contains(" | " + seen + " | " + seen + " : "))
                .toList();
    }

    /** Who is told of one of two words and who of the other are not in one state, when both have changed in the end. */
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

    /** A deadline passes before a word changes or after: then it is the word that is told. */
    @Test
    void whatAWaitIsToldIsPartOfTheState() throws Exception {
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

    /** A clock counts waits, those as well for what has come already: how long that took tells nothing. */
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

    /** Two who connect in either order: the server's first connection is the first one's. */
    @Test
    void whoHasConnectedFirstIsPartOfTheState() throws Exception {
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

    /** A message comes before the completion of a WRITE or after it. */
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

    /** A region goes before the first of two WRITEs that change nothing, or between them. */
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
}
