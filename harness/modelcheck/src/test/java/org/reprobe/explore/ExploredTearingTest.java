package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.fabric.QueuePair;

/** Order in which the words of READs and WRITEs land. */
class ExploredTearingTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;

    private static Programs writtenAtOnce() {
        Programs programs = new Programs(0, 0, 0);
        return programs.client(me -> me.doWrite(0, 1, 1, 1)).client(me -> {
            me.self.accesses(24);
            me.say(programs.memory.getAtIndex(Programs.LONG, 0) + ""
                    + programs.memory.getAtIndex(Programs.LONG, 1)
                    + programs.memory.getAtIndex(Programs.LONG, 2));
        });
    }

    @Test
    void wordsOfAWriteLandInTheOrdersThatTheLimitsSay() throws Exception {
        writtenAtOnce().comesTo(USUAL.withTearing(Tearing.NONE), " | 000 : 1 1 1", " | 111 : 1 1 1");
        writtenAtOnce().comesTo(USUAL, " | 000 : 1 1 1", " | 100 : 1 1 1", " | 110 : 1 1 1", " | 111 : 1 1 1");
        writtenAtOnce()
                .comesTo(
                        USUAL.withTearing(Tearing.EITHER_WAY),
                        " | 000 : 1 1 1",
                        " | 001 : 1 1 1",
                        " | 011 : 1 1 1",
                        " | 100 : 1 1 1",
                        " | 110 : 1 1 1",
                        " | 111 : 1 1 1");
        writtenAtOnce()
                .comesTo(
                        USUAL.withTearing(Tearing.FROM_BOTH_ENDS),
                        " | 000 : 1 1 1",
                        " | 001 : 1 1 1",
                        " | 011 : 1 1 1",
                        " | 100 : 1 1 1",
                        " | 101 : 1 1 1",
                        " | 110 : 1 1 1",
                        " | 111 : 1 1 1");
        writtenAtOnce()
                .comesTo(
                        USUAL.withTearing(Tearing.OVERTAKING),
                        " | 000 : 1 1 1",
                        " | 100 : 1 1 1",
                        " | 110 : 1 1 1",
                        " | 111 : 1 1 1");
    }

    private static Programs readAtOnce() {
        Programs programs = new Programs(0, 0, 0);
        return programs.client(me -> me.sayRead(0, 3)).client(me -> {
            for (int word = 0; word < 3; word++) {
                me.self.accesses(8);
                programs.memory.setAtIndex(Programs.LONG, word, 1);
            }
        });
    }

    @Test
    void wordsOfAReadAreTakenInTheOrdersThatTheLimitsSay() throws Exception {
        readAtOnce()
                .comesTo(
                        USUAL.withTearing(Tearing.NONE),
                        "0,0,0 |  : 1 1 1",
                        "1,0,0 |  : 1 1 1",
                        "1,1,0 |  : 1 1 1",
                        "1,1,1 |  : 1 1 1");
        readAtOnce()
                .comesTo(
                        USUAL,
                        "0,0,0 |  : 1 1 1",
                        "0,0,1 |  : 1 1 1",
                        "0,1,0 |  : 1 1 1",
                        "0,1,1 |  : 1 1 1",
                        "1,0,0 |  : 1 1 1",
                        "1,0,1 |  : 1 1 1",
                        "1,1,0 |  : 1 1 1",
                        "1,1,1 |  : 1 1 1");
        readAtOnce()
                .comesTo(
                        USUAL.withTearing(Tearing.EITHER_WAY),
                        "0,0,0 |  : 1 1 1",
                        "0,0,1 |  : 1 1 1",
                        "0,1,0 |  : 1 1 1",
                        "0,1,1 |  : 1 1 1",
                        "1,0,0 |  : 1 1 1",
                        "1,0,1 |  : 1 1 1",
                        "1,1,0 |  : 1 1 1",
                        "1,1,1 |  : 1 1 1");
        readAtOnce()
                .comesTo(
                        USUAL.withTearing(Tearing.FROM_BOTH_ENDS),
                        "0,0,0 |  : 1 1 1",
                        "0,0,1 |  : 1 1 1",
                        "0,1,0 |  : 1 1 1",
                        "0,1,1 |  : 1 1 1",
                        "1,0,0 |  : 1 1 1",
                        "1,0,1 |  : 1 1 1",
                        "1,1,0 |  : 1 1 1",
                        "1,1,1 |  : 1 1 1");
        readAtOnce()
                .comesTo(
                        USUAL.withTearing(Tearing.OVERTAKING),
                        "0,0,0 |  : 1 1 1",
                        "0,0,1 |  : 1 1 1",
                        "0,1,0 |  : 1 1 1",
                        "0,1,1 |  : 1 1 1",
                        "1,0,0 |  : 1 1 1",
                        "1,0,1 |  : 1 1 1",
                        "1,1,0 |  : 1 1 1",
                        "1,1,1 |  : 1 1 1");
        readAtOnce()
                .atomicReads(16)
                .comesTo(
                        USUAL,
                        "0,0,0 |  : 1 1 1",
                        "0,0,1 |  : 1 1 1",
                        "1,0,0 |  : 1 1 1",
                        "1,0,1 |  : 1 1 1",
                        "1,1,0 |  : 1 1 1",
                        "1,1,1 |  : 1 1 1");
        readAtOnce()
                .atomicReads(32)
                .comesTo(USUAL, "0,0,0 |  : 1 1 1", "1,0,0 |  : 1 1 1", "1,1,0 |  : 1 1 1", "1,1,1 |  : 1 1 1");
    }

    /** Two requests of a connection: only WRITEs overtake, and only WRITEs, where permitted. */
    @Test
    void onlyAWriteOvertakesAndOnlyAWrite() throws Exception {
        for (Tearing tearing : new Tearing[] {Tearing.OVERTAKING, Tearing.FROM_BOTH_ENDS}) {
            boolean overtakes = tearing == Tearing.OVERTAKING;
            Programs writes = posts((by, on) -> {
                by.write(0, 64, on.at(0), on.region.key(), 16, false);
                by.write(1, 64, on.at(2), on.region.key(), 16, true);
            });
            Programs mixed = posts((by, on) -> {
                by.compareAndSwap(0, 0, on.at(0), on.region.key(), 0, 1, false);
                by.write(1, 64, on.at(2), on.region.key(), 8, true);
            });
            Programs behind = posts((by, on) -> {
                by.write(0, 64, on.at(0), on.region.key(), 8, false);
                by.compareAndSwap(1, 0, on.at(2), on.region.key(), 0, 1, true);
            });
            if (overtakes) {
                writes.comesTo(
                        USUAL.withTearing(tearing),
                        "ok | 0 0 0 0 : 1 1 1 1",
                        "ok | 0 0 1 0 : 1 1 1 1",
                        "ok | 0 0 1 1 : 1 1 1 1",
                        "ok | 1 0 0 0 : 1 1 1 1",
                        "ok | 1 0 1 0 : 1 1 1 1",
                        "ok | 1 0 1 1 : 1 1 1 1",
                        "ok | 1 1 0 0 : 1 1 1 1",
                        "ok | 1 1 1 0 : 1 1 1 1",
                        "ok | 1 1 1 1 : 1 1 1 1");
            } else {
                writes.comesTo(
                        USUAL.withTearing(tearing),
                        "ok | 0 0 0 0 : 1 1 1 1",
                        "ok | 0 1 0 0 : 1 1 1 1",
                        "ok | 1 0 0 0 : 1 1 1 1",
                        "ok | 1 1 0 0 : 1 1 1 1",
                        "ok | 1 1 0 1 : 1 1 1 1",
                        "ok | 1 1 1 0 : 1 1 1 1",
                        "ok | 1 1 1 1 : 1 1 1 1");
            }
            mixed.comesTo(
                    USUAL.withTearing(tearing),
                    "ok | 0 0 0 0 : 1 0 1 0",
                    "ok | 1 0 0 0 : 1 0 1 0",
                    "ok | 1 0 1 0 : 1 0 1 0");
            behind.comesTo(
                    USUAL.withTearing(tearing),
                    "ok | 0 0 0 0 : 1 0 1 0",
                    "ok | 1 0 0 0 : 1 0 1 0",
                    "ok | 1 0 1 0 : 1 0 1 0");
        }
    }

    private interface Posting {
        void to(QueuePair queuePair, Programs on);
    }

    private static Programs posts(Posting posting) {
        Programs programs = new Programs(0, 0, 0, 0);
        return programs.client(me -> {
                    me.put(64, 1, 1);
                    posting.to(me.server(), programs);
                    me.server().doorbell();
                    me.say(me.end(me.server()));
                })
                .client(me -> {
                    me.self.accesses(24);
                    for (int word = 0; word < 4; word++) {
                        me.say(programs.memory.getAtIndex(Programs.LONG, word));
                    }
                });
    }

    /** Refused WRITEs neither overtake nor are overtaken. */
    @Test
    void aWriteThatIsRefusedIsNotOvertakenAndOvertakesNone() throws Exception {
        ExplorationLimits overtaking = USUAL.withTearing(Tearing.OVERTAKING);
        posts((by, on) -> {
                    by.write(0, 64, on.at(4), on.region.key(), 8, false);
                    by.write(1, 64, on.at(0), on.region.key(), 8, true);
                })
                .comesTo(overtaking, "remote_access_error | 0 0 0 0 : 0 0 0 0");
        posts((by, on) -> {
                    by.write(0, 64, on.at(0), on.region.key(), 8, false);
                    by.write(1, 64, on.at(4), on.region.key(), 8, true);
                })
                .comesTo(
                        overtaking,
                        "remote_access_error | 0 0 0 0 : 1 0 0 0",
                        "remote_access_error | 1 0 0 0 : 1 0 0 0");
    }

    /** Overtaking words are not written again in their turn. */
    @Test
    void overtakingRequestsAreNotRepeated() throws Exception {
        Programs programs = new Programs(0, 0, 0);
        programs.client(me -> {
                    me.put(64, 1, 1);
                    me.server().write(0, 64, programs.at(0), programs.region.key(), 8, false);
                    me.server().write(1, 64, programs.at(1), programs.region.key(), 16, true);
                    me.server().doorbell();
                    me.end(me.server());
                })
                .client(me -> me.doWrite(1, 5));
        programs.comesTo(USUAL.withTearing(Tearing.OVERTAKING), " |  : 1 1 1", " |  : 1 5 1");
    }

    @Test
    void aFabricReportsWhetherWritesLandInOrder() throws Exception {
        for (Tearing tearing : Tearing.values()) {
            Programs programs = new Programs(0);
            programs.client(me -> me.say(me.server().writesLandInOrder() + " " + me.self.atomicReadBytes()))
                    .server(me -> {
                        me.self.accept(me.local, new org.reprobe.fabric.ConnectionOptions(4, 4, 4));
                        me.say(me.self.memory().writesLandInOrder());
                    });
            boolean inOrder = tearing != Tearing.EITHER_WAY && tearing != Tearing.FROM_BOTH_ENDS;
            assertThat(programs.atomicReads(32).explore(USUAL.withTearing(tearing)))
                    .containsExactly(inOrder + " 32 | " + inOrder + " : 0");
        }
    }
}
