package org.reprobe.explore;

import org.junit.jupiter.api.Test;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteTransactions;
import org.reprobe.fabric.Requester.WakeReason;

/** Arrivals after the connection has broken: complete, partial, refused or none. */
class ExploredLateRequestsTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final ExplorationLimits CRASH = USUAL.withCrashes(1);
    private static final ExplorationLimits BREAK = USUAL.withBreaks(1);
    private static final ExplorationLimits FAILURE = USUAL.withFailures(1);
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

    /** A client with only late requests in flight may die; they arrive anyway, or are lost. */
    @Test
    void aClientWithOnlyLateRequestsMayCrash() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    me.write(me.server(), 0, 1, 1);
                    me.say(me.end(me.server()));
                    me.self.accesses(8);
                    me.say("on");
                    me.self.accesses(8);
                    me.say("on");
                })
                .client(me -> me.sayRead(0, 2));
        programs.comesTo(
                BREAK,
                "ok on on | 0,0 : 1 1",
                "ok on on | 0,1 : 1 1",
                "ok on on | 1,0 : 1 1",
                "ok on on | 1,1 : 1 1",
                "ok on on | retry_exceeded : 1 1",
                "retry_exceeded on on | 0,0 : 0 0",
                "retry_exceeded on on | 0,0 : 1 1",
                "retry_exceeded on on | 0,1 : 1 1",
                "retry_exceeded on on | 1,0 : 1 1",
                "retry_exceeded on on | 1,1 : 1 1");
        programs.comesTo(
                BREAK.withCrashes(1),
                "died | 0,0 : 0 0",
                "died | 0,0 : 1 1",
                "died | 0,1 : 1 1",
                "died | 1,0 : 1 1",
                "died | 1,1 : 1 1",
                "died | retry_exceeded : 0 0",
                "died | retry_exceeded : 1 1",
                "ok on on | 0,0 : 1 1",
                "ok on on | 0,1 : 1 1",
                "ok on on | 1,0 : 1 1",
                "ok on on | 1,1 : 1 1",
                "ok on on | died : 1 1",
                "ok on on | retry_exceeded : 1 1",
                "retry_exceeded on on | 0,0 : 0 0",
                "retry_exceeded on on | 0,0 : 1 1",
                "retry_exceeded on on | 0,1 : 1 1",
                "retry_exceeded on on | 1,0 : 1 1",
                "retry_exceeded on on | 1,1 : 1 1",
                "retry_exceeded on on | died : 0 0",
                "retry_exceeded on on | died : 1 1");
    }

    @Test
    void lateArrivalsEqualPostedRequests() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            me.write(me.server(), 0, 1);
            me.say(me.end(me.server()));
            me.put(64, 7);
        });
        programs.comesTo(BREAK, "ok : 1", "retry_exceeded : 0", "retry_exceeded : 1");
        programs.comesTo(USUAL.withBreaks(2), "ok : 1", "retry_exceeded : 0", "retry_exceeded : 1");
    }

    /** A late arrival also ends the pause of its own client: one pause ended by it is too many here. */
    @Test
    void aLateArrivalEndsItsClientsPause() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            me.write(me.server(), 0, 1);
            me.say(me.end(me.server()));
            QueuePair again = me.to(0);
            me.read(again, 0, 1);
            me.end(again);
            if (me.word(0) == 0) {
                me.self.pause(1);
                me.say("woken");
            }
            me.self.accesses(8);
        });
        programs.comesTo(
                BREAK.withPauses(0), "ok : 1", "ok woken : 1", "retry_exceeded : 1", "retry_exceeded woken : 0");
    }

    /** Words that landed before the break land again late, in order, after those of the next connection. */
    @Test
    void wordsThatOvertookLandAgainWhenTheyArriveLate() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
            me.put(64, 1, 2);
            me.server().write(0, 64, programs.at(0), programs.region.key(), 8, true);
            me.server().write(1, 72, programs.at(1), programs.region.key(), 8, true);
            me.server().doorbell();
            me.say(me.end(me.server()) + " " + me.end(me.server()));
        });
        programs.comesTo(
                BREAK.withTearing(Tearing.OVERTAKING),
                "ok ok : 1 2",
                "ok retry_exceeded : 1 0",
                "ok retry_exceeded : 1 2",
                "retry_exceeded flushed : 0 0",
                "retry_exceeded flushed : 0 2",
                "retry_exceeded flushed : 1 0",
                "retry_exceeded flushed : 1 2");
    }

    @Test
    void aMessageMayArriveLate() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.server().receive(0, 0, 8);
                    me.server().send(1, 64, 8, true);
                    me.server().doorbell();
                    me.say(me.end(me.server()));
                    me.read(me.server(), 0, 1);
                    me.say(me.end(me.server()));
                })
                .server(me -> {
                    me.self.accept(me.local, OPTIONS).receive(0, 0, 8);
                    for (WakeReason reason = me.self.next(me.completions); reason != WakeReason.END; ) {
                        me.say(reason == WakeReason.COMPLETIONS ? me.ends() : reason + "" + me.self.gone());
                        reason = me.self.next(me.completions);
                    }
                });
        programs.comesTo(
                BREAK,
                "ok ok | got8 : 0",
                "ok retry_exceeded | GONE0 got8 : 0",
                "ok retry_exceeded | got8 GONE0 : 0",
                "retry_exceeded flushed | GONE0 : 0",
                "retry_exceeded flushed | GONE0 got8 : 0",
                "retry_exceeded flushed | got8 GONE0 : 0");
        programs.comesTo(
                CRASH, "died | GONE0 : 0", "died | GONE0 got8 : 0", "died | got8 GONE0 : 0", "ok ok | got8 : 0");
    }

    @Test
    void requestsBeyondLocalMemoryDoNotArriveLate() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            me.server().write(0, 1000, programs.at(0), programs.region.key(), 8, true);
            me.server().fetchAndAdd(1, 0, programs.at(0), programs.region.key(), 1, true);
            me.server().doorbell();
            me.say(me.end(me.server()) + " " + me.end(me.server()));
        });
        programs.comesTo(BREAK, "local_protection_error flushed : 0", "retry_exceeded flushed : 0");
    }

    @Test
    void aLateMessageWaitsForAReceive() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.server().send(1, 64, 8, false);
                    me.server().doorbell();
                    me.server().await(me.completions, me.self.nowNs() + 1);
                    me.say(me.ends());
                    me.self.accesses(8);
                })
                .server(me -> {
                    QueuePair by = me.self.accept(me.local, OPTIONS);
                    if (me.self.next(me.completions) == WakeReason.GONE) {
                        me.self.gone();
                        me.say("gone");
                        by.receive(0, 0, 8);
                        me.say(me.self.next(me.completions));
                    }
                });
        programs.comesTo(
                BREAK,
                " |  : 0",
                " | gone COMPLETIONS : 0",
                " | gone END : 0",
                "retry_exceeded | gone COMPLETIONS : 0",
                "retry_exceeded | gone END : 0");
    }

    /** The sender is not notified of a late message's result: it is, or will be, notified of the break. */
    @Test
    void aLateMessageThatIsTooLongDoesNotEndOtherwise() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.server().send(1, 64, 8, true);
                    me.server().send(1, 64, 9, true);
                    me.server().doorbell();
                    me.say(me.end(me.server()) + " " + me.end(me.server()));
                })
                .server(me -> {
                    QueuePair by = me.self.accept(me.local, OPTIONS);
                    by.receive(0, 0, 8);
                    by.receive(1, 0, 8);
                    while (me.self.await(me.completions) > 0) {
                        me.say(me.ends().replace(',', ' '));
                    }
                });
        programs.comesTo(
                BREAK,
                "ok remote_invalid_request | got8 local_length_error : 0",
                "ok retry_exceeded | got8 : 0",
                "ok retry_exceeded | got8 local_length_error : 0",
                "retry_exceeded flushed |  : 0",
                "retry_exceeded flushed | got8 : 0",
                "retry_exceeded flushed | got8 local_length_error : 0");
    }

    /** Writes of a broken connection's transaction may still be committed; its reads return nothing. */
    @Test
    void aTransactionMayCommitLate() throws Exception {
        Programs programs = new Programs(3, 0);
        programs.client(me -> {
            RemoteTransactions by = me.server().transactions().orElseThrow();
            by.begin(0, false);
            by.write(1, programs.at(0), programs.region.key(), 1, false);
            by.read(2, 0, programs.at(0), programs.region.key(), false);
            by.commit(3, 8, true);
            me.server().doorbell();
            me.say(me.end(me.server()));
            me.say(me.word(0) + "" + me.word(1));
        });
        programs.comesTo(
                BREAK,
                "ok 11 : 1 0",
                "retry_exceeded 00 : 1 0",
                "retry_exceeded 00 : 3 0",
                "retry_exceeded 10 : 1 0",
                "retry_exceeded 10 : 3 0");
        programs.comesTo(CRASH, "died : 1 0", "died : 3 0", "ok 11 : 1 0");
        programs.comesTo(
                FAILURE,
                "ok 11 : 1 0",
                "retry_exceeded 00 : 3 0",
                "retry_exceeded 10 : 3 0",
                "retry_exceeded 11 : 1 0");
    }

    /** A deregistered region refuses late requests, also the rest of a WRITE, and all requests behind them. */
    @Test
    void aLateRefusalEndsLaterRequests() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    me.put(64, 1, 1);
                    me.server().write(0, 64, programs.at(0), programs.region.key(), 16, true);
                    me.server().fetchAndAdd(1, 0, programs.at(0), programs.region.key(), 1, true);
                    me.server().doorbell();
                    me.say(me.end(me.server()));
                })
                .server(me -> {
                    me.self.accept(me.local, OPTIONS);
                    if (me.self.next(me.completions) == WakeReason.GONE) {
                        me.self.memory().deregister(programs.region);
                        me.say("gone, " + programs.memory.get(Programs.LONG, 0));
                    }
                });
        programs.comesTo(
                BREAK,
                "ok |  : 2 1",
                "retry_exceeded | gone, 0 : 0 0",
                "retry_exceeded | gone, 1 : 1 0",
                "retry_exceeded | gone, 1 : 1 1",
                "retry_exceeded | gone, 2 : 2 1");
        programs.comesTo(
                CRASH,
                "died | gone, 0 : 0 0",
                "died | gone, 1 : 1 0",
                "died | gone, 1 : 1 1",
                "died | gone, 2 : 2 1",
                "ok |  : 2 1");
    }
}
