package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;
import org.reprobe.explore.ExplorationLimits.Tearing;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteTransactions;
import org.reprobe.fabric.Requester.WakeReason;

class ExploredTimelineTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final ConnectionOptions OPTIONS = new ConnectionOptions(8, 8, 4);

    private static void shows(Programs programs, ExplorationLimits limits, String schedule, String timeline)
            throws Exception {
        Counterexample replayed = new Exploration(programs, limits).replay(Schedule.parse(schedule));
        assertThat(replayed.timeline()).isEqualTo(timeline);
        assertThat(replayed.schedule().toString()).startsWith(schedule);
    }

    @Test
    void eachOperationIsReportedWithItsPlaceAndValues() throws Exception {
        Programs programs = new Programs(1, 2, 3, 4, 5, 6);
        programs.client(me -> {
            QueuePair by = me.self.connect(0, me.local, new ConnectionOptions(16, 8));
            int key = programs.region.key();
            me.put(64, 10, 20, -5);
            by.write(0, 64, programs.at(0), key, 24, false);
            by.write(0, 64, programs.at(1) + 4, key, 4, false);
            by.read(0, 0, programs.at(0), key, 48, false);
            by.read(0, 0, programs.at(2), key, 8, false);
            by.compareAndSwap(0, 0, programs.at(0), key, 10, 11, false);
            by.compareAndSwap(0, 0, programs.at(0), key, 10, 12, false);
            by.compareAndSwap(0, 0, programs.at(0), key, 10, 10, false);
            by.fetchAndAdd(0, 0, programs.at(3), key, 1_000_000_000, false);
            RemoteTransactions in = by.transactions().orElseThrow();
            in.begin(0, false);
            in.read(0, 0, programs.at(4), key, false);
            in.write(0, programs.at(4), key, 7, false);
            in.commit(0, 0, false);
            in.commit(0, 0, true);
            by.read(0, 0, programs.at(6), key, 8, true);
            by.doorbell();
            me.end(by);
            me.end(by);
        });
        shows(programs, USUAL, "", """
      client 0
   1  WRITE word 0 (24 B) := 10 20 -5
   2  WRITE word 1 (4 B) := 10
   3  READ word 0 (48 B)
   4  READ word 2 -> -5
   5  CAS word 0 10 to 11 -> 10
   6  CAS word 0 10 to 12 -> 11, fails
   7  CAS word 0 10 to 10 -> 11
   8  FETCH_AND_ADD word 3 0x3b9aca00 -> 4
   9  BEGIN
  10  in transaction: READ word 4 -> 5
  11  in transaction: WRITE word 4 := 7
  12  COMMIT
  13  COMMIT, fails
  14  READ word 6 ends: remote access error (IBV_WC_REM_ACCESS_ERR): wrong key, out of bounds or not 8-byte aligned
""");
    }

    /** CPU stores are shown as runs of words, by region. */
    @Test
    void storesOfProgramsAreReported() throws Exception {
        Programs programs = new Programs(0, 0, 0);
        programs.client(me -> {
                    me.self.accesses(8);
                    programs.memory.setAtIndex(Programs.LONG, 1, 5);
                    me.self.accesses(8);
                    programs.memory.setAtIndex(Programs.LONG, 1, 6);
                    programs.memory.setAtIndex(Programs.LONG, 2, 6);
                    me.self.accesses(8);
                })
                .server(me -> {
                    me.self.accept(me.local, OPTIONS);
                    MemorySegment block = me.self.memory().allocate(16);
                    me.self.memory().register(block);
                    me.self.spendCpu(1);
                    block.setAtIndex(Programs.LONG, 1, 9);
                    programs.memory.setAtIndex(Programs.LONG, 0, 1);
                });
        shows(programs, USUAL, "", """
      client 0               server
   1  stores word 1 := 5
   2  stores word 1 (16 B)
   3                         stores word 0 := 1
   4                         stores region 1 word 1 := 9
""");
    }

    /** Only two fruitless retries are shown. */
    @Test
    void endlessRetriesAreSummarized() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
            for (int tries = 0; tries < 6; tries++) {
                me.sayRead(0, 2);
                me.server().compareAndSwap(0, 0, programs.at(0), programs.region.key(), 1, 2, true);
                me.server().doorbell();
                me.end(me.server());
                me.self.pause(1);
            }
        });
        shows(programs, USUAL, "", """
      client 0
   1  READ word 0 (16 B) -> 0 0
   2  CAS word 0 1 to 2 -> 0, fails
   3  READ word 0 (16 B) -> 0 0
   4  CAS word 0 1 to 2 -> 0, fails
   5  ... (repeats)
""");
    }

    @Test
    void wordsOfAlternatingProgramsAreDistinguished() throws Exception {
        Programs programs = new Programs(0, 0, 0, 0, 0);
        programs.client(me -> me.doWrite(0, 1, 2, 3, 4, 5)).client(me -> me.sayRead(0, 5));
        shows(programs, USUAL, "2s0,s1,s0,2s1,s0,2s1", """
      client 0                                            client 1
   1  WRITE word 0 (40 B), word 0 to 1 of 0 to 4 := 1 2
   2                                                      READ word 0 (40 B), word 0 of 0 to 4 -> 1
   3  WRITE word 0 (40 B), word 2 of 0 to 4 := 3
   4                                                      READ word 0 (40 B), word 1 to 2 of 0 to 4 -> 2 3
   5  WRITE word 0 (40 B), word 3 of 0 to 4 := 4
   6                                                      READ word 0 (40 B), word 3 to 4 of 0 to 4 -> 4 0
   7  WRITE word 0 (40 B), word 4 of 0 to 4 := 5
""");
        shows(programs, USUAL.withTearing(Tearing.FROM_BOTH_ENDS), "r0,s0,r1", """
      client 0                                              client 1
   1  WRITE word 0 (40 B), word 4 of 0 to 4 := 5
   2  WRITE word 0 (40 B), word 0 of 0 to 4 := 1
   3                                                        READ word 0 (40 B), word 4 of 0 to 4 -> 5
   4                                                        READ word 0 (40 B), word 0 to 3 of 0 to 4 -> 1 0 0 0
   5  WRITE word 0 (40 B), word 1 to 3 of 0 to 4 := 2 3 4
""");
    }

    private static Programs withFaults() {
        Programs programs = new Programs(0);
        return programs.client(me -> {
                    me.doWrite(0, 1);
                    me.doWrite(0, 2);
                })
                .server(me -> {
                    for (WakeReason reason = WakeReason.CONNECTION;
                            reason != WakeReason.END;
                            reason = me.self.next(me.completions)) {
                        me.say(reason);
                        if (reason == WakeReason.GONE) {
                            me.self.gone();
                            me.self.memory().deregister(programs.region);
                        } else if (reason == WakeReason.CONNECTION) {
                            me.self.accept(me.local, OPTIONS);
                        }
                    }
                });
    }

    @Test
    void faultsAreReported() throws Exception {
        shows(withFaults(), USUAL.withCrashes(1), "x0,n0", """
      client 0
   1  dies
   2  server 0 is notified of its death
   3  WRITE word 0 ends: remote access error (IBV_WC_REM_ACCESS_ERR): wrong key, out of bounds or not 8-byte aligned
""");
        shows(withFaults(), USUAL.withCrashes(1), "s0,x0,l0", """
      client 0
   1  WRITE word 0 := 1
   2  dies
   3  its posted requests are lost
   4  server 0 is notified of its death
""");
        shows(withFaults(), USUAL.withBreaks(1), "b0", """
      client 0
   1  its connection 0 breaks
   2  WRITE word 0 := 1
   3  WRITE word 0 ends: flushed (IBV_WC_WR_FLUSH_ERR) after an earlier error on the queue pair
   4  server 0 is notified of its broken connection
""");
        shows(withFaults(), USUAL.withFailures(1), "f1", """
      client 0                                                                                    server
   1                                                                                              server 0 fails
   2  WRITE word 0 ends: flushed (IBV_WC_WR_FLUSH_ERR) after an earlier error on the queue pair
   3                                                                                              server 0 restarts
""");
        shows(withFaults(), USUAL.withCuts(1), "c0", """
      client 0
   1  the link to server 0 is cut, in both directions
   2  its connection 0 times out
   3  server 0 is notified of its broken connection
   4  the link to server 0 is mended
   5  arrives late and is refused: WRITE word 0
   6  WRITE word 0 ends: flushed (IBV_WC_WR_FLUSH_ERR) after an earlier error on the queue pair
""");
        shows(withFaults(), USUAL.withCuts(1), "c0.1", """
      client 0
   1  the link to server 0 is cut, from the client's machine
   2  its connection 0 times out
   3  server 0 is notified of its broken connection
   4  the link to server 0 is mended
   5  arrives late and is refused: WRITE word 0
   6  WRITE word 0 ends: flushed (IBV_WC_WR_FLUSH_ERR) after an earlier error on the queue pair
""");
        shows(withFaults(), USUAL.withCuts(1), "c0.2", """
      client 0
   1  the link to server 0 is cut, from the server's machine
   2  WRITE word 0 := 1
   3  its connection 0 times out
   4  WRITE word 0 ends: flushed (IBV_WC_WR_FLUSH_ERR) after an earlier error on the queue pair
   5  server 0 is notified of its broken connection
   6  the link to server 0 is mended
""");
    }

    @Test
    void anExpiredDeadlineIsReported() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            me.read(me.server(), 0, 1);
            me.server().await(me.completions, 1);
        });
        shows(programs, USUAL, "t0", """
      client 0
   1  its wait times out
   2  READ word 0 -> 0
""");
    }
}
