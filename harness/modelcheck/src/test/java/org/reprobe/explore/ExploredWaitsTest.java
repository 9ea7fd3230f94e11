package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.check.Operation;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Requester.WakeReason;

class ExploredWaitsTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

    @Test
    void aPollTakesWhatHasArrived() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.read(me.server(), 0, 1);
                    me.read(me.server(), 0, 1);
                    for (int taken = 0; taken < 2; ) {
                        int count = me.server().poll(me.completions);
                        me.say(count);
                        taken += count;
                    }
                })
                .client(me -> me.doWrite(0, 1));
        programs.comesTo(
                USUAL, "0 1 0 1 |  : 1", "0 1 1 |  : 1", "0 2 |  : 1", "1 0 1 |  : 1", "1 1 |  : 1", "2 |  : 1");
    }

    @Test
    void takenRunsAreNotTakenAgain() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            for (int wait = 0; wait < 6; wait++) {
                me.read(me.server(), 0, 1);
                int count = switch (wait) {
                    case 0, 1 -> me.server().await(me.completions);
                    case 2 -> me.server().await(me.completions, me.self.nowNs() + 1_000_000);
                    case 3 -> me.server().poll(me.completions);
                    case 4 -> me.self.await(me.completions);
                    default -> {
                        me.self.next(me.completions, Long.MAX_VALUE);
                        yield me.completions.count();
                    }
                };
                me.say(count + "" + me.completions.count());
            }
        });
        programs.comesTo(
                USUAL,
                "11 11 00 00 11 11 : 0",
                "11 11 00 00 11 22 : 0",
                "11 11 00 00 11 33 : 0",
                "11 11 00 00 22 11 : 0",
                "11 11 00 00 22 22 : 0",
                "11 11 00 00 33 11 : 0",
                "11 11 00 11 11 11 : 0",
                "11 11 00 11 11 22 : 0",
                "11 11 00 11 22 11 : 0",
                "11 11 00 22 11 11 : 0",
                "11 11 11 00 11 11 : 0",
                "11 11 11 00 11 22 : 0",
                "11 11 11 00 22 11 : 0",
                "11 11 11 11 11 11 : 0");
    }

    /** A program that polls two connections in turn continues when either has something. */
    @Test
    void anEmptyPollIsNotRepeatedBeforeAnEvent() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            QueuePair one = me.to(0);
            QueuePair other = me.to(0);
            me.read(one, 0, 1);
            me.read(other, 0, 1);
            for (int taken = 0; taken < 2; ) {
                int first = one.poll(me.completions);
                int second = other.poll(me.completions);
                me.say(first + "" + second);
                taken += first + second;
            }
        });
        programs.comesTo(USUAL, "00 10 01 : 0", "00 11 : 0", "01 00 10 : 0", "01 10 : 0", "10 01 : 0", "11 : 0");
    }

    /** A program that polls one connection is not woken by another's completions. */
    @Test
    void unpolledConnectionsKeepNoPollGoing() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            QueuePair one = me.to(0);
            QueuePair other = me.to(0);
            me.read(one, 0, 1);
            me.read(other, 0, 1);
            int polls = 1;
            while (one.poll(me.completions) == 0) {
                polls++;
            }
            me.say(polls < 10 ? "found" : polls);
            me.say(me.end(other));
        });
        programs.comesTo(USUAL, "found ok : 0");
    }

    /** Three connections in turn: one that is two polls away is not forgotten. */
    @Test
    void connectionsPolledInTurnKeepPollsGoing() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            QueuePair[] all = {me.to(0), me.to(0), me.to(0)};
            me.read(all[2], 0, 1);
            int found = 0;
            while (found == 0) {
                for (QueuePair each : all) {
                    found += each.poll(me.completions);
                }
            }
            me.say(found);
        });
        programs.comesTo(USUAL, "1 : 0");
    }

    @Test
    void aBarrierOpensWhenAllRunningClientsHaveArrived() throws Exception {
        Programs programs = new Programs(0, 0, 0);
        programs.client(me -> {
                    me.doWrite(0, 1);
                    me.self.barrier();
                    me.sayRead(0, 3);
                    me.self.barrier();
                    me.say("over");
                })
                .client(me -> {
                    me.doWrite(1, 1);
                    me.self.barrier();
                    me.doWrite(1, 2);
                    me.self.barrier();
                })
                .client(me -> me.doWrite(2, 1));
        programs.comesTo(USUAL, "1,1,1 over |  |  : 1 2 1", "1,2,1 over |  |  : 1 2 1");
        programs.comesTo(
                USUAL.withCrashes(1),
                "1,0,1 over | died |  : 1 0 1",
                "1,0,1 over | died |  : 1 1 1",
                "1,1,0 over |  | died : 1 2 0",
                "1,1,0 over |  | died : 1 2 1",
                "1,1,1 over |  |  : 1 2 1",
                "1,1,1 over |  | died : 1 2 1",
                "1,1,1 over | died |  : 1 1 1",
                "1,1,1 over | died |  : 1 2 1",
                "1,2,0 over |  | died : 1 2 0",
                "1,2,0 over |  | died : 1 2 1",
                "1,2,1 over |  |  : 1 2 1",
                "1,2,1 over |  | died : 1 2 1",
                "1,2,1 over | died |  : 1 2 1",
                "died |  |  : 0 2 1",
                "died |  |  : 1 2 1");
    }

    @Test
    void theOnlyClientPassesABarrier() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            for (int times = 0; times < 4; times++) {
                me.self.barrier();
            }
            me.say("on");
        });
        programs.comesTo(USUAL, "on : 0");
    }

    @Test
    void aDeadlockIsReported() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.server().receive(0, 0, 8);
                    me.end(me.server());
                })
                .client(me -> me.self.barrier())
                .server(me -> me.self.accept(me.local, OPTIONS).receive(0, 0, 8));
        assertThat(programs.violation(USUAL))
                .isEqualTo("deadlock: client 0 waits for a completion, client 1 waits for the barrier");
        Programs servers = new Programs(0);
        servers.client(me -> {
                    me.server().send(0, 0, 8, true);
                    me.server().doorbell();
                    me.end(me.server());
                })
                .server(me -> {
                    me.self.accept(me.local, OPTIONS);
                    me.self.accept(me.local, OPTIONS);
                })
                .server(me -> me.self.next(me.completions));
        assertThat(servers.violation(USUAL))
                .isEqualTo("deadlock: client 0 waits for a completion, "
                        + "server 0 waits for a connection, server 1 waits for a message");
    }

    @Test
    void aClientWakesOnCompletionsWordsAndDeadlines() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.self.watch(0, programs.memory, 0, 0);
                    me.read(me.server(), 0, 1);
                    for (int i = 0; i < 2; i++) {
                        WakeReason reason = me.self.next(me.completions, Long.MAX_VALUE);
                        me.say(reason == WakeReason.WORDS ? "word" + me.self.changed() : me.ends() + me.word(0));
                    }
                })
                .client(me -> {
                    me.self.accesses(8);
                    programs.memory.set(Programs.LONG, 0, 1);
                });
        programs.comesTo(USUAL, "ok0 word0 |  : 1", "ok1 word0 |  : 1", "word0 ok0 |  : 1", "word0 ok1 |  : 1");
        Programs withDeadline = new Programs(0);
        withDeadline
                .client(me -> {
                    me.self.watch(0, withDeadline.memory, 0, 0);
                    WakeReason reason = me.self.next(me.completions, me.self.nowNs() + 3500);
                    me.say(reason + " " + me.self.nowNs());
                    if (reason == WakeReason.DEADLINE) {
                        reason = me.self.next(me.completions, Long.MAX_VALUE);
                        me.say(reason + " " + me.self.nowNs());
                    }
                })
                .client(me -> me.doWrite(0, 1));
        withDeadline.comesTo(USUAL, "DEADLINE 4500 WORDS 5500 |  : 1", "WORDS 1000 |  : 1", "WORDS 4500 |  : 1");
        withDeadline
                .withOneClock()
                .comesTo(USUAL, "DEADLINE 3500 WORDS 3500 |  : 1", "WORDS 0 |  : 1", "WORDS 3500 |  : 1");
    }

    /** Polls are no steps of an operation. */
    @Test
    void aClientThatBeginsAnOperationAndPollsTakesItsFirstStepNext() throws Exception {
        Programs programs = new Programs(0);
        programs.recorded((me, history) -> {
                    int invocation = history.invoked(0, Operation.READ, 1, 0);
                    me.read(me.server(), 0, 1);
                    int polls = 1;
                    while (me.server().poll(me.completions) == 0) {
                        polls++;
                    }
                    me.say(polls + ":" + me.word(0));
                    history.returned(invocation, me.word(0));
                })
                .client(me -> me.doWrite(0, 1));
        programs.comesTo(USUAL, "1:0 |  : 1", "1:1 |  : 1", "2:0 |  : 1", "2:1 |  : 1");
    }

    /** An own clock counts one microsecond per wait, pauses and deadlines; a shared clock only deadlines. */
    @Test
    void aClockCountsWaitsAndPauses() throws Exception {
        Programs programs = clock();
        programs.comesTo(USUAL, "0 0 1000 2500 3500 0 11000 0 12000 : 0");
        clock().withOneClock().comesTo(USUAL, "0 0 0 0 0 0 10000 0 10000 : 0");
    }

    private static Programs clock() {
        return new Programs(0).client(me -> {
            me.say(me.self.nowNs());
            me.sayRead(0, 1);
            me.say(me.self.nowNs());
            me.self.pause(500);
            me.say(me.self.nowNs());
            me.self.pause(-500);
            me.say(me.self.nowNs());
            me.say(me.server().await(me.completions, 10_000));
            me.say(me.self.nowNs());
            me.say(me.server().await(me.completions, 5000));
            me.say(me.self.nowNs());
        });
    }

    /** Either deadline may pass first with a shared clock, and the other program sees its time. */
    @Test
    void deadlinesOfOneClockPassInAnyOrder() throws Exception {
        for (boolean one : new boolean[] {true, false}) {
            Programs programs = new Programs(0);
            for (int client = 0; client < 2; client++) {
                long until = 1000 * (client + 1);
                programs.client(me -> {
                    me.server().await(me.completions, until);
                    me.say(me.self.nowNs());
                });
            }
            if (one) {
                programs.withOneClock().comesTo(USUAL, "1000 | 2000 : 0", "2000 | 2000 : 0");
            } else {
                programs.comesTo(USUAL, "2000 | 3000 : 0");
            }
        }
    }

    /** Possible faults do not resolve a deadlock: they are never certain. */
    @Test
    void aWaitThatOnlyAFaultEndsIsADeadlock() throws Exception {
        Programs waits = new Programs(0);
        waits.client(me -> {
            me.server().receive(0, 0, 8);
            me.end(me.server());
        });
        Programs pauses = new Programs(0);
        pauses.recorded((me, history) -> {
            history.invoked(0, Operation.READ, 1, 0);
            while (true) {
                me.self.pause(1);
            }
        });
        for (ExplorationLimits limits : new ExplorationLimits[] {
            USUAL.withCrashes(1), USUAL.withBreaks(1), USUAL.withFailures(1), USUAL.withCuts(1)
        }) {
            assertThat(waits.violation(limits)).startsWith("deadlock: client 0 waits for a completion");
            assertThat(pauses.violation(limits)).startsWith("client 0 waits forever");
        }
    }

    /** The message of an exception is reported, and its class unless programs throw it on purpose. */
    @Test
    void aProgramsExceptionIsReported() throws Exception {
        assertThat(failing(new FabricException("no"))).isEqualTo("client 1 failed: no");
        assertThat(failing(new IllegalStateException("no"))).isEqualTo("client 1 failed: no");
        assertThat(failing(new IndexOutOfBoundsException("no")))
                .isEqualTo("client 1 failed: IndexOutOfBoundsException: no");
        assertThat(failing(new AssertionError())).isEqualTo("client 1 failed: AssertionError");
        assertThat(failing(new StackOverflowError())).isEqualTo("client 1 failed: StackOverflowError");
        Programs one = new Programs(0);
        one.client(me -> me.sayRead(0, 1)).server(me -> {
            throw new FabricException("no");
        });
        assertThat(one.violation(USUAL)).isEqualTo("the server failed: no");
        Programs two = new Programs(0).passive();
        two.client(me -> me.sayRead(0, 1))
                .server(me -> me.self.await(me.completions))
                .server(me -> {
                    me.self.await(me.completions);
                    throw new FabricException("no");
                });
        assertThat(two.violation(USUAL)).isEqualTo("server 2 failed: no");
    }

    private static String failing(Throwable thrown) throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> me.sayRead(0, 1)).client(me -> {
            me.sayRead(0, 1);
            switch (thrown) {
                case FabricException fabric -> throw fabric;
                case RuntimeException unchecked -> throw unchecked;
                case Error error -> throw error;
                default -> throw new AssertionError(thrown);
            }
        });
        return programs.violation(USUAL);
    }
}
