package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Requester.WakeReason;
import org.reprobe.fabric.UnreachableException;

/** Links that are cut, one way or both ways, while others are not: what waits, what ends, and who is told. */
class ExploredCutsTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final ExplorationLimits CUT = USUAL.withCuts(1);
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

    /** Tries until it can connect; says why it could not. */
    private static QueuePair connect(Programs.Me<Client> me, int server) throws FabricException {
        while (true) {
            try {
                return me.to(server);
            } catch (UnreachableException e) {
                me.say(e.getMessage().replaceAll(".*(which|:) ", ""));
                me.self.pause(1);
            }
        }
    }

    /** A READ waits for the way of its answer, what else is sent takes effect without its acknowledgement. */
    @Test
    void whatIsSentOnACutLinkWaitsOrEndsWithoutAnAnswer() throws Exception {
        Programs writes = new Programs(0);
        writes.client(me -> {
            me.write(me.server(), 0, 1);
            me.say(me.end(me.server()));
        });
        writes.comesTo(CUT, "ok : 1", "retry_exceeded : 0", "retry_exceeded : 1");
        Programs reads = new Programs(0);
        reads.client(me -> me.sayRead(0, 1));
        reads.comesTo(CUT, "0 : 0", "retry_exceeded : 0");
        Programs swaps = new Programs(0);
        swaps.client(me -> {
            me.server().compareAndSwap(0, 0, swaps.at(0), swaps.region.key(), 0, 1, true);
            me.read(me.server(), 0, 1);
            me.say(me.end(me.server()) + " " + me.end(me.server()) + " " + me.word(0));
        });
        swaps.comesTo(
                CUT,
                "ok ok 1 : 1",
                "ok retry_exceeded 0 : 1",
                "retry_exceeded flushed 0 : 0",
                "retry_exceeded flushed 0 : 1",
                "retry_exceeded flushed 1 : 1");
    }

    /** Only links on which something is between two machines are cut; who is on the same machine as the server has none. */
    @Test
    void whoIsOnTheServersMachineHasNoLinkToIt() throws Exception {
        Programs programs = new Programs(0).passive().passive();
        programs.client(me -> {
                    me.read(me.server(), 0, 1);
                    me.say(me.end(me.server()));
                })
                .client(me -> {
                    QueuePair by = connect(me, 1);
                    me.read(by, 0, 1);
                    me.say(me.end(by));
                });
        programs.comesTo(CUT, "ok | ok : 0");
        Programs across = new Programs(0).passive().passive();
        across.client(me -> {
            QueuePair by = connect(me, 1);
            me.read(by, 0, 1);
            me.say(me.end(by));
            by = connect(me, 0);
            me.read(by, 0, 1);
            me.say(me.end(by));
        });
        across.comesTo(CUT, "ok ok : 0", "retry_exceeded ok : 0");
    }

    /** With one server each client has a link of its own. */
    @Test
    void oneClientsLinkIsCutAndTheOthersIsNot() throws Exception {
        Programs programs = new Programs(0);
        for (int client = 0; client < 2; client++) {
            programs.client(me -> {
                QueuePair by = connect(me, 0);
                by.fetchAndAdd(0, 0, programs.at(0), programs.region.key(), 1, true);
                by.doorbell();
                me.say(me.end(by));
            });
        }
        programs.comesTo(
                CUT,
                "ok | ok : 2",
                "ok | retry_exceeded : 1",
                "ok | retry_exceeded : 2",
                "retry_exceeded | ok : 1",
                "retry_exceeded | ok : 2");
        assertThat(programs.explore(USUAL.withCuts(2))).contains("retry_exceeded | retry_exceeded : 0");
    }

    /** The server's end hears nothing either, and ends in its own time; messages wait on both ways. */
    @Test
    void bothEndsOfAConnectionGiveItUpInTheirOwnTime() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    QueuePair by = connect(me, 0);
                    by.receive(0, 0, 8);
                    by.send(1, 64, 8, true);
                    by.doorbell();
                    me.say(me.end(by) + " " + me.end(by));
                })
                .server(me -> {
                    QueuePair by = me.self.accept(me.local, OPTIONS);
                    if (by == null) {
                        return;
                    }
                    by.receive(0, 0, 8);
                    me.say(me.end(by));
                    by.send(1, 64, 8, true);
                    by.doorbell();
                    me.say(me.end(by));
                });
        programs.comesTo(
                CUT,
                "ok got8 | got8 ok : 0",
                "ok got8 | got8 retry_exceeded : 0",
                "ok retry_exceeded | got8 retry_exceeded : 0",
                "retry_exceeded flushed | got8 retry_exceeded : 0",
                "retry_exceeded flushed | retry_exceeded flushed : 0",
                "retry_exceeded got8 | got8 ok : 0",
                "retry_exceeded got8 | got8 retry_exceeded : 0");
    }

    /** A server that waits for news is told of a connection that was given up at the other end, or at its own. */
    @Test
    void aServerIsToldOfAConnectionThatWasGivenUp() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    QueuePair by = connect(me, 0);
                    me.read(by, 0, 1);
                    me.say(me.end(by));
                })
                .server(me -> {
                    for (WakeReason news = me.self.next(me.completions); news != WakeReason.END; ) {
                        me.say(news);
                        if (news == WakeReason.CONNECTION) {
                            me.self.accept(me.local, OPTIONS).receive(0, 0, 8);
                        } else if (news == WakeReason.GONE) {
                            me.say(me.self.gone());
                        }
                        news = me.self.next(me.completions);
                    }
                });
        programs.comesTo(
                CUT,
                "ok | CONNECTION : 0",
                "ok | CONNECTION COMPLETIONS GONE 0 : 0",
                "ok | CONNECTION GONE 0 COMPLETIONS : 0",
                "retry_exceeded | CONNECTION COMPLETIONS GONE 0 : 0",
                "retry_exceeded | CONNECTION GONE 0 : 0",
                "retry_exceeded | CONNECTION GONE 0 COMPLETIONS : 0");
    }

    /** Servers' connections among themselves are cut with the links of the clients on their machines. */
    @Test
    void theLinkBetweenTwoServersIsCut() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    QueuePair by = connect(me, 1);
                    me.read(by, 0, 1);
                    me.say(me.end(by));
                })
                .server(me -> {
                    try {
                        QueuePair by = me.to(1);
                        me.write(by, 0, 1);
                        me.say(me.end(by));
                    } catch (UnreachableException e) {
                        me.say("cut");
                    }
                })
                .passive();
        programs.comesTo(
                CUT,
                "ok | ok : 1",
                "ok | retry_exceeded : 0",
                "ok | retry_exceeded : 1",
                "retry_exceeded | ok : 1",
                "retry_exceeded | retry_exceeded : 0",
                "retry_exceeded | retry_exceeded : 1");
    }

    /** A server is told of clients' connections only: the end of another server's leaves it waiting for its clients to end. */
    @Test
    void aServerEndsThoughAnothersConnectionToItWasCut() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.read(me.server(), 0, 1);
                    me.say(me.end(me.server()));
                })
                .server(me -> {
                    QueuePair by;
                    try {
                        by = me.to(1);
                    } catch (UnreachableException e) {
                        me.say("cut");
                        return;
                    }
                    me.write(by, 0, 1);
                    me.say(me.end(by));
                })
                .server(me -> {
                    WakeReason news = me.self.next(me.completions);
                    while (news == WakeReason.CONNECTION) {
                        me.self.accept(me.local, OPTIONS);
                        news = me.self.next(me.completions);
                    }
                    me.say(news);
                });
        programs.comesTo(CUT, "ok | ok | END : 1", "ok | retry_exceeded | END : 0", "ok | retry_exceeded | END : 1");
    }

    /**
     * A mended link lets who is shut out try again, and carries what has waited. Who was refused and who was not are not in one state: each
     * sees the other's WRITE early or late.
     */
    @Test
    void aCutMayComeBeforeAConnectionAndEndAfterIt() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.self.accesses(8);
                    QueuePair by = connect(me, 0);
                    me.write(by, 0, 1);
                    me.say(me.end(by));
                })
                .client(me -> {
                    me.self.accesses(8);
                    me.say(programs.memory.get(Programs.LONG, 0));
                });
        programs.comesTo(
                CUT,
                "ok | 0 : 1",
                "ok | 1 : 1",
                "retry_exceeded | 0 : 0",
                "retry_exceeded | 0 : 1",
                "retry_exceeded | 1 : 1",
                "the link is cut ok | 0 : 1",
                "the link is cut ok | 1 : 1");
        programs.comesTo(
                CUT.withFailures(1),
                "is down ok | 0 : 1",
                "is down ok | 1 : 1",
                "is down retry_exceeded | 0 : 0",
                "is down retry_exceeded | 0 : 1",
                "is down retry_exceeded | 1 : 1",
                "ok | 0 : 1",
                "ok | 1 : 1",
                "retry_exceeded | 0 : 0",
                "retry_exceeded | 0 : 1",
                "retry_exceeded | 1 : 1",
                "the link is cut ok | 0 : 1",
                "the link is cut ok | 1 : 1",
                "the link is cut retry_exceeded | 0 : 0",
                "the link is cut retry_exceeded | 0 : 1",
                "the link is cut retry_exceeded | 1 : 1");
    }

    /** The same search without cuts is that of limits without them, but for what a machine must tell apart. */
    @Test
    void linksAreLeftWholeOnDemand() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> me.say(me.self.isLocal(0))).client(me -> {
            QueuePair by = connect(me, 0);
            me.read(by, 0, 1);
            me.say(me.end(by));
        });
        ExplorationOutcome without =
                new Exploration(programs, CUT).exhaustiveWithoutCuts(Exploration.ALL, Long.MAX_VALUE);
        ExplorationOutcome usual = new Exploration(programs, USUAL).exhaustive(Exploration.ALL, Long.MAX_VALUE);
        ExplorationOutcome with = new Exploration(programs, CUT).exhaustive(Exploration.ALL, Long.MAX_VALUE);
        assertThat(without.complete()).isTrue();
        assertThat(without.schedules()).isEqualTo(usual.schedules());
        assertThat(with.schedules()).isGreaterThan(usual.schedules());
    }
}
