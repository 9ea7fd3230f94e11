package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.check.Operation;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;

/** Ends of pauses, their limit, and their part in the state. */
class ExploredPausesTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

    private static ExplorationLimits retries(int idle, int pauses) {
        return new ExplorationLimits(0, 0, 0, 0, ExplorationLimits.Tearing.ASCENDING, 2000, pauses, idle);
    }

    /** Changes before an operation's start end no pause in it; other changes before the turn do. */
    @Test
    void aChangeBeforeAnOperationEndsNoPauseInIt() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.recorded((me, history) -> {
                    int invocation = history.invoked(0, Operation.READ, 1, 0);
                    me.sayRead(1, 1);
                    me.self.pause(1);
                    history.returned(invocation, 0);
                })
                .client(me -> me.doWrite(0, 1));
        assertThat(programs.violation(retries(0, 20))).startsWith("client 0 waits forever");
        Programs turns = new Programs(0, 0);
        turns.client(me -> {
                    me.self.accesses(8);
                    me.self.pause(1);
                    me.say("woken");
                })
                .client(me -> me.doWrite(0, 1));
        turns.comesTo(retries(0, 20), "woken |  : 1 0");
    }

    @Test
    void aPauseEndsWithAChangeByAnother() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    me.doWrite(1, 9);
                    me.sayRead(0, 1);
                    while (me.word(0) < 2) {
                        me.self.pause(1);
                        me.sayRead(0, 1);
                    }
                })
                .client(me -> {
                    me.doWrite(0, 1);
                    me.doWrite(0, 1);
                    me.doWrite(0, 2);
                });
        programs.comesTo(
                retries(0, 2), "0 1 2 |  : 2 9", "0 2 |  : 2 9", "1 1 2 |  : 2 9", "1 2 |  : 2 9", "2 |  : 2 9");
        // A third pause that a change ends is one too many.
        programs.comesTo(retries(0, 1), "0 2 |  : 2 9", "1 2 |  : 2 9", "2 |  : 2 9");
    }

    @Test
    void anUnchangedWordEndsNoPause() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.sayRead(0, 1);
                    while (me.word(0) == 0) {
                        me.self.pause(1);
                        me.sayRead(0, 1);
                    }
                })
                .client(me -> {
                    QueuePair by = me.server();
                    by.fetchAndAdd(0, 0, programs.at(0), programs.region.key(), 0, true);
                    by.doorbell();
                    me.end(by);
                    by.compareAndSwap(0, 0, programs.at(0), programs.region.key(), 0, 0, true);
                    by.doorbell();
                    me.end(by);
                    me.doWrite(0, 0);
                    by.compareAndSwap(0, 0, programs.at(0), programs.region.key(), 0, 7, true);
                    by.doorbell();
                    me.end(by);
                });
        programs.comesTo(retries(0, 20), "0 7 |  : 7", "7 |  : 7");
    }

    /** A CPU store by another program counts like a WRITE; the program's own does not. */
    @Test
    void aPauseEndsWithAStoreByAnother() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    me.self.accesses(8);
                    programs.memory.set(Programs.LONG, 8, 9);
                    me.sayRead(0, 1);
                    while (me.word(0) < 2) {
                        me.self.pause(1);
                        me.sayRead(0, 1);
                    }
                })
                .client(me -> {
                    for (int value : new int[] {1, 1, 2}) {
                        me.self.accesses(8);
                        programs.memory.set(Programs.LONG, 0, value);
                    }
                });
        programs.comesTo(
                retries(0, 2), "0 1 2 |  : 2 9", "0 2 |  : 2 9", "1 1 2 |  : 2 9", "1 2 |  : 2 9", "2 |  : 2 9");
        programs.comesTo(retries(0, 1), "0 2 |  : 2 9", "1 2 |  : 2 9", "2 |  : 2 9");
    }

    @Test
    void storedWordsArePartOfTheState() throws Exception {
        Programs programs = new Programs(0);
        for (int client = 0; client < 2; client++) {
            int value = client + 1;
            programs.client(me -> {
                me.self.accesses(8);
                programs.memory.set(Programs.LONG, 0, value);
                me.self.accesses(8);
            });
        }
        programs.client(me -> me.sayRead(0, 1));
        programs.comesTo(
                USUAL, " |  | 0 : 1", " |  | 0 : 2", " |  | 1 : 1", " |  | 1 : 2", " |  | 2 : 1", " |  | 2 : 2");
    }

    /** The number of pauses is observable and so part of the state. */
    @Test
    void pausesAreCounted() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    for (int value = 1; value < 5; value++) {
                        me.doWrite(0, value);
                    }
                })
                .client(me -> {
                    me.doWrite(1, 1);
                    for (int times = 0; times < 3; times++) {
                        me.self.pause(1);
                    }
                    me.sayRead(0, 1);
                });
        programs.client(me -> me.sayRead(1, 1));
        programs.comesTo(USUAL, " | 3 | 0 : 4 1", " | 3 | 1 : 4 1", " | 4 | 0 : 4 1", " | 4 | 1 : 4 1");
    }

    @Test
    void aPauseWithoutWakeUpIsEndless() throws Exception {
        for (int tries = 3; tries < 5; tries++) {
            int enough = tries;
            Programs programs = new Programs(0);
            programs.client(me -> {
                me.self.pause(1);
                for (int i = 1; i < enough; i++) {
                    me.self.pause(1);
                }
                me.say("enough");
            });
            if (tries == 3) {
                programs.comesTo(retries(3, 20), "enough : 0");
            } else {
                assertThat(programs.violation(retries(3, 20)))
                        .isEqualTo(
                                "client 0 waits forever: it retries, nothing has changed, and no other program can continue");
            }
        }
    }

    /** The first failure of a round is reported: later ones may be its consequences. */
    @Test
    void aFailureIsReportedBeforeAnEndlessWait() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    for (int times = 0; times < 4; times++) {
                        me.self.pause(1);
                    }
                    throw new FabricException("first");
                })
                .client(me -> {
                    me.self.pause(1);
                    me.doWrite(0, 1);
                    while (true) {
                        me.self.pause(1);
                    }
                });
        assertThat(programs.violation(retries(2, 20))).isEqualTo("client 0 failed: first");
        assertThat(programs.violation(retries(1, 20))).startsWith("client 1 waits forever");
    }
}
