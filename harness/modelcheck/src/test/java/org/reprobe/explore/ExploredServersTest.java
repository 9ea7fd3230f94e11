package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Requester.WakeReason;
import org.reprobe.fabric.Server;

/** Waits and actions of server programs, on clients' and their own connections. */
class ExploredServersTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

    @Test
    void aServerAnswersItsClientsAndEndsWithThem() throws Exception {
        Programs programs = new Programs(0);
        for (int client = 0; client < 2; client++) {
            long number = client;
            programs.client(me -> {
                QueuePair by = me.server();
                by.receive(0, 0, 8);
                me.put(64, number + 5);
                by.send(1, 64, 8, false);
                by.doorbell();
                me.end(by);
                me.say(me.word(0));
            });
        }
        programs.server(me -> {
            QueuePair[] ends = new QueuePair[2];
            for (int i = 0; i < 2; i++) {
                ends[i] = me.self.accept(me.local, OPTIONS);
                ends[i].receive(i, 8L * i, 8);
            }
            assertThat(me.self.isLocal(0)).isTrue();
            for (int count = me.self.await(me.completions); count > 0; count = me.self.await(me.completions)) {
                me.say(count);
                for (int i = 0; i < count; i++) {
                    if (me.completions.received(i)) {
                        int connection = me.completions.connection(i);
                        me.put(64 + 8L * connection, 10 * me.word(connection));
                        ends[connection].send(7, 64 + 8L * connection, 8, false);
                        ends[connection].doorbell();
                    }
                }
            }
            me.say(me.self.accept(me.local, OPTIONS));
        });
        programs.comesTo(USUAL, "50 | 60 | 1 1 null : 0", "50 | 60 | 2 null : 0");
    }

    @Test
    void aServerIsNotifiedOfConnectionsMessagesWordsDeadlinesAndTheEnd() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    QueuePair by = me.server();
                    me.doWrite(0, 1);
                    by.send(1, 64, 8, false);
                    by.doorbell();
                    me.read(by, 0, 1);
                    me.end(by);
                })
                .server(me -> listens(me, programs, Long.MAX_VALUE));
        programs.comesTo(USUAL, " | connection got8 word0-1 end : 1", " | connection word0-1 got8 end : 1");
        Programs withDeadline = new Programs(0);
        withDeadline.client(me -> me.doWrite(0, 1)).server(me -> listens(me, withDeadline, me.self.nowNs() + 3500));
        withDeadline.comesTo(USUAL, " | connection late word0-1 end : 1", " | connection word0-1 end : 1");
        withDeadline
                .withOneClock()
                .comesTo(
                        USUAL,
                        " | connection late late : 1",
                        " | connection late word0-1 end : 1",
                        " | connection word0-1 end : 1");
    }

    private static void listens(Programs.Me<Server> me, Programs programs, long untilNs) throws FabricException {
        me.self.watch(0, programs.memory, 0, 0);
        for (int deadlines = 0; deadlines < 2; ) {
            WakeReason reason = me.self.next(me.completions, untilNs);
            me.say(
                    switch (reason) {
                        case CONNECTION -> "connection";
                        case COMPLETIONS -> me.ends();
                        case WORDS -> "word" + me.self.changed() + "" + me.self.changed();
                        case DEADLINE -> "late";
                        case GONE -> "gone" + me.self.gone() + "" + me.self.gone();
                        case END -> "end";
                    });
            if (reason == WakeReason.CONNECTION) {
                me.self.accept(me.local, OPTIONS).receive(0, 0, 8);
            }
            if (reason == WakeReason.END) {
                return;
            }
            deadlines += reason == WakeReason.DEADLINE ? 1 : 0;
        }
    }

    @Test
    void aClientIsOnTheMachineOfTheServerOfItsNumber() throws Exception {
        Programs one = new Programs(0);
        one.client(me -> me.say(me.self.isLocal(0))).client(me -> me.say(me.self.isLocal(0) + "" + me.self.isLocal(1)));
        one.comesTo(USUAL, "false | falsefalse : 0");
        Programs three = new Programs(0).passive().passive().passive();
        for (int client = 0; client < 5; client++) {
            three.client(me -> {
                for (int server = 0; server < 3; server++) {
                    if (me.self.isLocal(server)) {
                        me.say(server);
                    }
                }
            });
        }
        three.comesTo(USUAL, "0 | 1 | 2 | 0 | 1 : 0");
    }

    @Test
    void aServerOutsideTheRunIsRefused() throws Exception {
        for (int server : new int[] {-1, 2}) {
            Programs programs = new Programs(0).passive().passive();
            programs.client(me -> me.to(server));
            assertThat(programs.violation(USUAL))
                    .startsWith("client 0 failed: ")
                    .contains(String.valueOf(server));
        }
    }

    @Test
    void aServerAcceptsConnectionsToItselfThatAreNotOneSided() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            me.to(1);
            me.self.connect(0, me.local, ConnectionOptions.oneSided(4, 4));
            me.to(1);
        });
        for (int server = 0; server < 2; server++) {
            programs.server(me -> {
                while (me.self.accept(me.local, OPTIONS) != null) {
                    me.say("one");
                }
            });
        }
        programs.comesTo(USUAL, " |  | one one : 0");
    }

    /** A server that polls a single connection gets completions one by one, like a client. */
    @Test
    void aServerMayPollOneOfItsConnections() throws Exception {
        for (boolean polls : new boolean[] {true, false}) {
            Programs programs = new Programs(0);
            for (int client = 0; client < 2; client++) {
                programs.client(me -> {
                    me.server().send(0, 64, 8, false);
                    me.server().send(1, 64, 8, true);
                    me.server().doorbell();
                    me.end(me.server());
                });
            }
            programs.server(me -> {
                QueuePair one = me.self.accept(me.local, OPTIONS);
                QueuePair other = me.self.accept(me.local, OPTIONS);
                for (int i = 0; i < 2; i++) {
                    one.receive(i, 0, 8);
                    other.receive(i, 0, 8);
                }
                for (int taken = 0; taken < 2; ) {
                    taken += polls ? other.poll(me.completions) : other.await(me.completions);
                    int there = one.poll(me.completions);
                    if (!polls || taken == 2) {
                        me.say(taken + "" + there);
                    }
                }
            });
            if (polls) {
                programs.comesTo(USUAL, " |  | 20 : 0", " |  | 21 : 0", " |  | 22 : 0");
            } else {
                programs.comesTo(
                        USUAL,
                        " |  | 10 20 : 0",
                        " |  | 10 21 : 0",
                        " |  | 10 22 : 0",
                        " |  | 11 20 : 0",
                        " |  | 11 21 : 0",
                        " |  | 12 20 : 0");
            }
        }
    }

    @Test
    void aServerSendsARequestToAnother() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    me.doWrite(0, 1);
                    me.sayRead(1, 1);
                })
                .server(me -> {
                    QueuePair other = me.to(1);
                    me.read(other, 0, 1);
                    me.self.await(me.completions);
                    me.say(me.ends() + me.word(0) + "of" + me.completions.connection(0));
                    me.write(other, 1, 5);
                    me.say(me.end(other));
                    other.send(3, 0, 8, true);
                    other.doorbell();
                    me.say(me.self.next(me.completions));
                    me.say(me.self.isLocal(0) + "" + me.self.isLocal(1));
                })
                .server(me -> {
                    me.self.accept(me.local, OPTIONS).receive(0, 0, 8);
                    me.say(me.self.await(me.completions));
                });
        programs.comesTo(
                USUAL,
                "0 | 0of0 ok CONNECTION truefalse | 0 : 1 5",
                "0 | ok0of0 ok CONNECTION truefalse | 0 : 1 5",
                "0 | ok1of0 ok CONNECTION truefalse | 0 : 1 5",
                "5 | ok0of0 ok CONNECTION truefalse | 0 : 1 5",
                "5 | ok0of0 ok CONNECTION truefalse | 1 : 1 5",
                "5 | ok1of0 ok CONNECTION truefalse | 0 : 1 5",
                "5 | ok1of0 ok CONNECTION truefalse | 1 : 1 5");
    }

    /** The accesses between two waits are one step, unless the program yields. */
    @Test
    void aServersStepIsOneUnlessItSpendsCpu() throws Exception {
        for (int spends = 0; spends < 3; spends++) {
            int how = spends;
            Programs programs = new Programs(0, 0);
            programs.client(me -> me.sayRead(0, 2)).server(me -> {
                me.self.accept(me.local, OPTIONS);
                programs.memory.set(Programs.LONG, 0, 1);
                long before = me.self.nowNs();
                if (how == 1) {
                    me.self.spendCpu(7000);
                } else if (how == 2) {
                    me.self.accesses(8);
                }
                me.say(me.self.nowNs() - before);
                programs.memory.set(Programs.LONG, 8, 1);
            });
            if (how == 0) {
                programs.comesTo(USUAL, "1,1 | 0 : 1 1");
            } else if (how == 1) {
                programs.comesTo(USUAL, "1,0 | 1007 : 1 1", "1,1 | 1007 : 1 1");
            } else {
                programs.comesTo(USUAL, "1,0 | 1000 : 1 1", "1,1 | 1000 : 1 1");
            }
        }
    }
}
