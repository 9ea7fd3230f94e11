package org.reprobe.explore;

import org.junit.jupiter.api.Test;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteTransactions;
import org.reprobe.fabric.Requester;
import org.reprobe.fabric.Requester.WakeReason;
import org.reprobe.fabric.UnreachableException;

/** Machines that fail and restart with their programs, and the number of faults. */
class ExploredMachineFailuresTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final ExplorationLimits CRASH = USUAL.withCrashes(1);
    private static final ExplorationLimits BREAK = USUAL.withBreaks(1);
    private static final ExplorationLimits FAILURE = USUAL.withFailures(1);
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

    private static void postAll(Programs.Me<? extends Requester> me, Programs programs) throws FabricException {
        QueuePair by = me.server();
        int key = programs.region.key();
        me.put(64, 1, 1);
        by.write(0, 64, programs.at(0), key, 16, true);
        by.read(1, 0, programs.at(0), key, 8, true);
        by.compareAndSwap(2, 8, programs.at(0), key, 1, 2, true);
        by.fetchAndAdd(3, 16, programs.at(0), key, 5, true);
        by.doorbell();
    }

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

    @Test
    void requestsInFlightToAFailedMachineAreLost() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
            postAll(me, programs);
            String ends = "";
            for (int i = 0; i < 4; i++) {
                ends += me.end(me.server()).charAt(0);
            }
            me.say(ends);
            if (!ends.equals("oooo")) {
                QueuePair again = connect(me, 0);
                me.read(again, 0, 2);
                me.say(me.end(again) + me.word(0) + "," + me.word(1));
            }
        });
        programs.comesTo(
                FAILURE,
                "oooo : 7 1",
                "ooor is down ok2,1 : 2 1",
                "ooor is down ok7,1 : 7 1",
                "oorf is down ok1,1 : 1 1",
                "oorf is down ok2,1 : 2 1",
                "oorf is down ok7,1 : 7 1",
                "oorf ok1,1 : 1 1",
                "oorf ok2,1 : 2 1",
                "oorf ok7,1 : 7 1",
                "orff is down ok1,1 : 1 1",
                "orff is down ok2,1 : 2 1",
                "orff is down ok7,1 : 7 1",
                "orff ok1,1 : 1 1",
                "orff ok2,1 : 2 1",
                "orff ok7,1 : 7 1",
                "rfff is down ok0,0 : 0 0",
                "rfff is down ok1,0 : 1 0",
                "rfff is down ok1,1 : 1 1",
                "rfff is down ok2,1 : 2 1",
                "rfff is down ok7,1 : 7 1",
                "rfff ok0,0 : 0 0",
                "rfff ok1,0 : 1 0",
                "rfff ok1,1 : 1 1",
                "rfff ok2,1 : 2 1",
                "rfff ok7,1 : 7 1");
    }

    @Test
    void aFailedServerRestartsAndTheOtherContinues() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            for (int server = 1; server >= 0; server--) {
                QueuePair by = connect(me, server);
                me.read(by, 0, 1);
                me.say(me.end(by));
            }
        });
        for (int server = 0; server < 2; server++) {
            programs.server(me -> {
                me.say("up");
                while (me.self.accept(me.local, OPTIONS) != null) {
                    me.say("one");
                }
            });
        }
        programs.comesTo(
                FAILURE,
                "died | up one up | up one : 0",
                "died | up up | up one : 0",
                "ok ok | up one | up one : 0",
                "ok ok | up one | up one up : 0",
                "retry_exceeded ok | up one | up one up : 0");
    }

    @Test
    void aRestartedServerServesNewConnections() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    for (int tries = 0; tries < 2; tries++) {
                        QueuePair by = connect(me, 0);
                        by.receive(0, 0, 8);
                        by.send(1, 64, 8, false);
                        by.doorbell();
                        String end = me.end(by);
                        me.say(end);
                        if (end.startsWith("got")) {
                            return;
                        }
                        by.close();
                    }
                })
                .server(me -> {
                    me.say("up");
                    for (WakeReason reason = me.self.next(me.completions); reason != WakeReason.END; ) {
                        if (reason == WakeReason.CONNECTION) {
                            QueuePair by = me.self.accept(me.local, OPTIONS);
                            by.receive(0, 0, 8);
                            by.send(1, 64, 8, false);
                            by.doorbell();
                        } else if (reason == WakeReason.GONE) {
                            me.say("gone" + me.self.gone());
                        }
                        reason = me.self.next(me.completions);
                    }
                });
        programs.comesTo(
                FAILURE,
                "got8 | up : 0",
                "got8 | up up : 0",
                "retry_exceeded got8 | up up : 0",
                "retry_exceeded is down got8 | up up : 0");
    }

    @Test
    void clientsOfTheMachineThatFailsDie() throws Exception {
        Programs programs = new Programs(0, 0).passive().passive();
        for (int client = 0; client < 3; client++) {
            int own = client % 2;
            programs.client(me -> {
                QueuePair by = me.to(1 - own);
                me.read(by, 0, 1);
                me.end(by);
            });
        }
        programs.comesTo(
                FAILURE,
                " |  |  : 0 0",
                " |  | died : 0 0",
                " | died |  : 0 0",
                "died |  |  : 0 0",
                "died |  | died : 0 0");
    }

    @Test
    void aServerMayFailAfterADeathNotification() throws Exception {
        Programs programs = new Programs(0);
        for (int client = 0; client < 2; client++) {
            programs.client(me -> {
                me.read(me.server(), 0, 1);
                me.end(me.server());
            });
        }
        programs.server(me -> {
            me.say("up");
            for (WakeReason reason = me.self.next(me.completions); reason != WakeReason.END; ) {
                if (reason == WakeReason.CONNECTION) {
                    me.self.accept(me.local, OPTIONS);
                } else if (reason == WakeReason.GONE) {
                    me.say(me.self.gone());
                }
                reason = me.self.next(me.completions);
            }
        });
        programs.comesTo(
                USUAL.withCrashes(1).withFailures(1),
                " |  | up : 0",
                " |  | up up : 0",
                " | died | up 1 : 0",
                " | died | up 1 up : 0",
                " | died | up up : 0",
                "died |  | up 0 : 0",
                "died |  | up 0 up : 0",
                "died |  | up up : 0");
    }

    @Test
    void aFailureForgetsOpenTransactions() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
            RemoteTransactions by = me.server().transactions().orElseThrow();
            by.begin(0, false);
            by.write(1, programs.at(0), programs.region.key(), 1, true);
            me.server().doorbell();
            me.say(me.end(me.server()));
            by.commit(3, 8, true);
            me.server().doorbell();
            me.say(me.end(me.server()) + me.word(1));
        });
        programs.passive().passive();
        programs.comesTo(FAILURE, "died : 0 0", "died : 1 0", "ok ok0 : 0 0", "ok ok1 : 1 0");
    }

    /** Deadlines, barriers and waits for any completion end with the machine's failure as well. */
    @Test
    void aWaitForAnyCompletionReportsAFailure() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.read(me.server(), 0, 1);
                    me.self.await(me.completions);
                    me.say(me.ends());
                    if (!me.ends().equals("ok")) {
                        me.read(connect(me, 0), 0, 1);
                        me.self.next(me.completions, Long.MAX_VALUE);
                        me.say(me.ends());
                    }
                    me.self.barrier();
                })
                .client(me -> me.self.barrier());
        programs.comesTo(FAILURE, "ok |  : 0", "retry_exceeded is down ok |  : 0", "retry_exceeded ok |  : 0");
        programs.comesTo(BREAK, "ok |  : 0", "retry_exceeded ok |  : 0");
    }

    @Test
    void asManyFaultsHappenAsTheLimitsAllow() throws Exception {
        Programs programs = new Programs(0);
        for (int client = 0; client < 2; client++) {
            programs.client(me -> {
                QueuePair by = connect(me, 0);
                by.fetchAndAdd(0, 0, programs.at(0), programs.region.key(), 1, true);
                by.doorbell();
                me.say(me.end(by));
            });
        }
        programs.comesTo(USUAL, "ok | ok : 2");
        programs.comesTo(CRASH, "died | ok : 1", "died | ok : 2", "ok | died : 1", "ok | died : 2", "ok | ok : 2");
        programs.comesTo(
                USUAL.withCrashes(2),
                "died | died : 0",
                "died | died : 1",
                "died | died : 2",
                "died | ok : 1",
                "died | ok : 2",
                "ok | died : 1",
                "ok | died : 2",
                "ok | ok : 2");
        programs.comesTo(
                BREAK,
                "ok | ok : 2",
                "ok | retry_exceeded : 1",
                "ok | retry_exceeded : 2",
                "retry_exceeded | ok : 1",
                "retry_exceeded | ok : 2");
        programs.comesTo(
                USUAL.withBreaks(2),
                "ok | ok : 2",
                "ok | retry_exceeded : 1",
                "ok | retry_exceeded : 2",
                "retry_exceeded | ok : 1",
                "retry_exceeded | ok : 2",
                "retry_exceeded | retry_exceeded : 0",
                "retry_exceeded | retry_exceeded : 1",
                "retry_exceeded | retry_exceeded : 2");
        programs.comesTo(
                FAILURE,
                "ok | ok : 2",
                "ok | retry_exceeded : 1",
                "ok | retry_exceeded : 2",
                "retry_exceeded | ok : 1",
                "retry_exceeded | ok : 2",
                "retry_exceeded | retry_exceeded : 0",
                "retry_exceeded | retry_exceeded : 1",
                "retry_exceeded | retry_exceeded : 2");
        programs.comesTo(
                USUAL.withFailures(2),
                "ok | ok : 2",
                "ok | retry_exceeded : 1",
                "ok | retry_exceeded : 2",
                "retry_exceeded | ok : 1",
                "retry_exceeded | ok : 2",
                "retry_exceeded | retry_exceeded : 0",
                "retry_exceeded | retry_exceeded : 1",
                "retry_exceeded | retry_exceeded : 2");
        programs.comesTo(
                USUAL.withCrashes(1).withBreaks(1),
                "died | ok : 1",
                "died | ok : 2",
                "died | retry_exceeded : 0",
                "died | retry_exceeded : 1",
                "died | retry_exceeded : 2",
                "ok | died : 1",
                "ok | died : 2",
                "ok | ok : 2",
                "ok | retry_exceeded : 1",
                "ok | retry_exceeded : 2",
                "retry_exceeded | died : 0",
                "retry_exceeded | died : 1",
                "retry_exceeded | died : 2",
                "retry_exceeded | ok : 1",
                "retry_exceeded | ok : 2");
    }
}
