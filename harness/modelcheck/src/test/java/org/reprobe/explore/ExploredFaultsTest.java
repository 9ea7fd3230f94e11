package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.check.Operation;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Requester;
import org.reprobe.fabric.Requester.WakeReason;
import org.reprobe.fabric.Server;

/** Dying clients, breaking connections and failing machines: effects and notifications. */
class ExploredFaultsTest {
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

    /** All requests of a dead client up to some step take effect; a started one is completed. */
    @Test
    void aPrefixOfADeadClientsPostedRequestsTakesEffect() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
            postAll(me, programs);
            for (int i = 0; i < 4; i++) {
                me.say(me.end(me.server()));
            }
        });
        programs.comesTo(CRASH, "died : 0 0", "died : 1 1", "died : 2 1", "died : 7 1", "ok ok ok ok : 7 1");
        programs.comesTo(
                USUAL.withCrashes(2), "died : 0 0", "died : 1 1", "died : 2 1", "died : 7 1", "ok ok ok ok : 7 1");
    }

    @Test
    void onlyWorkingClientsCrash() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.self.accesses(8);
                    me.say("one");
                    me.self.accesses(8);
                    me.say("two");
                })
                .client(me -> me.doWrite(0, 1));
        programs.comesTo(CRASH, "one two |  : 1", "one two | died : 0", "one two | died : 1");
    }

    /** A client within an operation counts as at work, even without posted requests. */
    @Test
    void aClientMayCrashDuringAnOperation() throws Exception {
        Programs programs = new Programs(0);
        programs.recorded((me, history) -> {
            me.self.accesses(8);
            int invocation = history.invoked(0, Operation.READ, 1, 0);
            me.self.accesses(8);
            programs.memory.set(Programs.LONG, 0, 1);
            me.self.accesses(8);
            history.returned(invocation, 0);
            me.self.accesses(8);
            programs.memory.set(Programs.LONG, 0, 2);
            me.self.accesses(8);
        });
        programs.comesTo(CRASH, " : 2", "died : 0", "died : 1");
    }

    /**
     * All requests end with an error, the first one with another than the rest, whether they took effect, may arrive
     * late or never.
     */
    @Test
    void requestsInFlightOnABrokenConnectionFailAndMayArriveLate() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
            postAll(me, programs);
            String ends = "";
            for (int i = 0; i < 4; i++) {
                ends += me.end(me.server()).charAt(0);
            }
            me.say(ends);
            QueuePair again = me.to(0);
            me.read(again, 0, 2);
            if (me.end(again).equals("ok")) {
                me.say(me.word(0) + "," + me.word(1));
            }
        });
        programs.comesTo(
                BREAK,
                "oooo 7,1 : 7 1",
                "oooo : 7 1",
                "ooor 2,1 : 2 1",
                "ooor 2,1 : 7 1",
                "ooor 7,1 : 7 1",
                "oorf 1,1 : 1 1",
                "oorf 1,1 : 2 1",
                "oorf 1,1 : 7 1",
                "oorf 2,1 : 2 1",
                "oorf 2,1 : 7 1",
                "oorf 7,1 : 7 1",
                "orff 1,1 : 1 1",
                "orff 1,1 : 2 1",
                "orff 1,1 : 7 1",
                "orff 2,1 : 2 1",
                "orff 2,1 : 7 1",
                "orff 7,1 : 7 1",
                "rfff 0,0 : 0 0",
                "rfff 0,0 : 1 1",
                "rfff 0,0 : 2 1",
                "rfff 0,0 : 7 1",
                "rfff 0,1 : 1 1",
                "rfff 0,1 : 2 1",
                "rfff 0,1 : 7 1",
                "rfff 1,0 : 1 1",
                "rfff 1,0 : 2 1",
                "rfff 1,0 : 7 1",
                "rfff 1,1 : 1 1",
                "rfff 1,1 : 2 1",
                "rfff 1,1 : 7 1",
                "rfff 2,1 : 2 1",
                "rfff 2,1 : 7 1",
                "rfff 7,1 : 7 1");
    }

    @Test
    void eachServerIsNotifiedOfADeadClientOnce() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            QueuePair one = me.to(0);
            me.to(1);
            me.read(one, 0, 1);
            me.say(me.end(one));
        });
        for (int server = 0; server < 2; server++) {
            programs.server(me -> {
                me.self.accept(me.local, OPTIONS);
                for (WakeReason reason = me.self.next(me.completions); reason == WakeReason.GONE; ) {
                    me.say(me.self.gone() + "" + me.self.gone());
                    reason = me.self.next(me.completions);
                }
            });
        }
        programs.comesTo(CRASH, "died | 0-1 | 0-1 : 0", "ok |  |  : 0");
        programs.comesTo(BREAK, "ok |  |  : 0", "retry_exceeded | 0-1 |  : 0");
    }

    /** Requests in flight on a closed connection may be lost where connections may break. */
    @Test
    void postedRequestsOfAClosedConnectionMayBeLostIfConnectionsBreak() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            me.write(me.server(), 0, 1);
            me.server().close();
            me.write(me.to(0), 0, 2);
        });
        programs.comesTo(USUAL, " : 2");
        programs.comesTo(BREAK, " : 1", " : 2");
        programs.comesTo(CRASH, " : 1", " : 2");
    }

    @Test
    void registeredMemoryIsAccessibleUntilDeregistered() throws Exception {
        Programs programs = new Programs(0, 0);
        RemoteRegion[] made = new RemoteRegion[1];
        programs.client(me -> {
                    me.server().receive(0, 0, 8);
                    me.end(me.server());
                    me.server().write(1, 0, made[0].address() + 8, made[0].key(), 8, true);
                    me.server().doorbell();
                    me.say(me.end(me.server()));
                })
                .server(me -> {
                    QueuePair by = me.self.accept(me.local, OPTIONS);
                    var block = me.self.memory().allocate(16);
                    me.say(block.get(Programs.LONG, 8));
                    made[0] = me.self.memory().register(block);
                    me.put(0, 4);
                    by.send(0, 0, 8, true);
                    by.doorbell();
                    me.end(by);
                    me.self.accesses(8);
                    me.say(block.get(Programs.LONG, 8));
                    me.self.memory().deregister(made[0]);
                    try {
                        me.self.memory().deregister(made[0]);
                    } catch (FabricException e) {
                        me.say(e.getMessage());
                    }
                });
        programs.comesTo(
                USUAL,
                "ok | 0 4 the region is not registered : 0 0",
                "remote_access_error | 0 0 the region is not registered : 0 0");
    }

    private static Programs.Part<Server> listener() {
        return me -> {
            me.self.accept(me.local, OPTIONS).receive(0, 0, 8);
            me.say(me.self.next(me.completions));
            me.say(me.ends());
        };
    }

    @Test
    void aServersMessageToABrokenEndIsNotTaken() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.server().receive(0, 0, 8);
                    me.read(me.server(), 0, 1);
                    me.say(me.end(me.server()));
                    me.say(me.end(me.server()));
                })
                .server(me -> {
                    QueuePair by = me.self.accept(me.local, OPTIONS);
                    by.send(1, 64, 8, true);
                    by.doorbell();
                    me.say(me.end(by));
                });
        programs.comesTo(
                BREAK,
                "got8 ok | ok : 0",
                "got8 retry_exceeded | ok : 0",
                "ok got8 | ok : 0",
                "ok retry_exceeded | retry_exceeded : 0",
                "retry_exceeded flushed | retry_exceeded : 0",
                "retry_exceeded got8 | ok : 0");
        Programs refused = new Programs(0);
        refused.client(me -> {
                    me.read(me.server(), 1, 1);
                    me.say(me.end(me.server()));
                })
                .server(listener());
        refused.comesTo(USUAL, "remote_access_error | COMPLETIONS flushed : 0");
        assertThat(refused.explore(BREAK)).contains("remote_access_error | COMPLETIONS flushed : 0");
    }
}
