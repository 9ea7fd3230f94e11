package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.Requester.WakeReason;
import org.reprobe.fabric.UnreachableException;

/** Cut links, in one or both directions: waiting requests, ended connections and notifications. */
class ExploredCutsTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final ExplorationLimits CUT = USUAL.withCuts(1);
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

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

    /** A READ requires the direction of its reply; other requests take effect without their acknowledgement. */
    @Test
    void requestsOnACutLinkWaitOrEndWithoutAReply() throws Exception {
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

    /** Only links in use between two machines are cut; a client on the server's machine has none. */
    @Test
    void aClientOnTheServersMachineHasNoLinkToIt() throws Exception {
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

    /** The server's end receives nothing either, and ends at its own time; messages wait in both directions. */
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

    @Test
    void aServerIsNotifiedOfAnAbandonedConnection() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    QueuePair by = connect(me, 0);
                    me.read(by, 0, 1);
                    me.say(me.end(by));
                })
                .server(me -> {
                    for (WakeReason reason = me.self.next(me.completions); reason != WakeReason.END; ) {
                        me.say(reason);
                        if (reason == WakeReason.CONNECTION) {
                            me.self.accept(me.local, OPTIONS).receive(0, 0, 8);
                        } else if (reason == WakeReason.GONE) {
                            me.say(me.self.gone());
                        }
                        reason = me.self.next(me.completions);
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

    /**
     * Servers are notified of clients' connections only: the end of another server's connection does not end the wait
     * for clients.
     */
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
                    WakeReason reason = me.self.next(me.completions);
                    while (reason == WakeReason.CONNECTION) {
                        me.self.accept(me.local, OPTIONS);
                        reason = me.self.next(me.completions);
                    }
                    me.say(reason);
                });
        programs.comesTo(CUT, "ok | ok | END : 1", "ok | retry_exceeded | END : 0", "ok | retry_exceeded | END : 1");
    }

    /** Refused and accepted clients are in different states: each sees the other's WRITE early or late. */
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
