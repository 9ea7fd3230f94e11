package org.reprobe.explore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteTransactions;

/** Effects and statuses of each operation. */
class ExploredOperationsTest {
    private static final ExplorationLimits USUAL = ExplorationLimits.USUAL;
    private static final long LOCAL = 128;

    private static final long REGISTERED = 24;

    private interface Posting {
        void to(QueuePair queuePair, Programs on);
    }

    private static RemoteTransactions in(QueuePair queuePair) {
        return queuePair.transactions().orElseThrow();
    }

    /** Checks that a failed operation completes although unsignaled, and that later ones are flushed without effect. */
    private static void ends(String how, Posting posting) throws Exception {
        Programs programs = new Programs(1, 2, 3);
        programs.client(me -> {
            QueuePair queuePair = me.server();
            posting.to(queuePair, programs);
            me.put(64, 7);
            queuePair.write(1, 64, programs.at(0), programs.region.key(), 8, true);
            queuePair.doorbell();
            me.say(me.end(queuePair) + " " + me.end(queuePair));
            me.sayRead(0, 1);
        });
        assertThat(programs.explore(USUAL)).containsExactly(how + " : " + (how.startsWith("ok") ? "7" : "1") + " 2 3");
    }

    private static void isRefused(Posting posting) throws Exception {
        ends("remote_access_error flushed flushed", posting);
    }

    private static void isBeyondLocalMemory(Posting posting) throws Exception {
        ends("local_protection_error flushed flushed", posting);
    }

    /** Its own card detects the error, with or without a RECEIVE. */
    @Test
    void aMessageFromBeyondLocalMemoryWaitsForNoReceive() throws Exception {
        isBeyondLocalMemory((by, _) -> by.send(0, 121, 8, false));
        isBeyondLocalMemory((by, _) -> by.send(0, 1000, 0, false));
    }

    @Test
    void anOperationBeyondItsRegionOrWithAnotherKeyIsRefused() throws Exception {
        for (long beyond : new long[] {REGISTERED - 7, REGISTERED, -1, 1L << 44, -(1L << 44)}) {
            isRefused((by, on) -> by.read(0, 0, on.region.address() + beyond, on.region.key(), 8, false));
            isRefused((by, on) -> by.write(0, 0, on.region.address() + beyond, on.region.key(), 8, false));
        }
        for (long beyond : new long[] {REGISTERED, 4, -8, 1L << 44, -(1L << 44)}) {
            isRefused((by, on) -> by.compareAndSwap(0, 0, on.region.address() + beyond, on.region.key(), 0, 9, false));
            isRefused((by, on) -> by.fetchAndAdd(0, 0, on.region.address() + beyond, on.region.key(), 9, false));
            isRefused((by, on) -> in(by).read(0, 0, on.region.address() + beyond, on.region.key(), false));
            isRefused((by, on) -> in(by).write(0, on.region.address() + beyond, on.region.key(), 9, false));
        }
        isRefused((by, on) -> by.read(0, 0, on.at(0), on.region.key() + 1, 8, false));
        isRefused((by, on) -> by.write(0, 0, on.at(0), on.region.key() + 1, 8, false));
        isRefused((by, on) -> by.compareAndSwap(0, 0, on.at(0), on.region.key() + 1, 1, 9, false));
        isRefused((by, on) -> by.fetchAndAdd(0, 0, on.at(0), on.region.key() + 1, 9, false));
        isRefused((by, on) -> in(by).read(0, 0, on.at(0), on.region.key() + 1, false));
        isRefused((by, on) -> in(by).write(0, on.at(0), on.region.key() + 1, 9, false));
    }

    @Test
    void anOperationBeyondLocalMemoryFails() throws Exception {
        for (long at : new long[] {LOCAL - 7, LOCAL, LOCAL + 1000}) {
            isBeyondLocalMemory((by, on) -> by.read(0, at, on.at(0), on.region.key(), 8, false));
            isBeyondLocalMemory((by, on) -> by.write(0, at, on.at(0), on.region.key(), 8, false));
            isBeyondLocalMemory((by, on) -> by.compareAndSwap(0, at, on.at(0), on.region.key(), 1, 9, false));
            isBeyondLocalMemory((by, on) -> by.fetchAndAdd(0, at, on.at(0), on.region.key(), 9, false));
            isBeyondLocalMemory((by, on) -> in(by).read(0, at, on.at(0), on.region.key(), false));
            isBeyondLocalMemory((by, on) -> in(by).commit(0, at, false));
        }
    }

    @Test
    void aMessageFromBeyondLocalMemoryFails() throws Exception {
        for (long at : new long[] {LOCAL - 7, LOCAL, LOCAL + 1000}) {
            Programs programs = new Programs(0);
            programs.client(me -> {
                        me.server().send(0, at, 8, false);
                        me.server().doorbell();
                        me.say(me.end(me.server()));
                    })
                    .server(me -> {
                        QueuePair by = me.self.accept(me.local, new ConnectionOptions(4, 4, 4));
                        by.receive(0, 0, 8);
                        me.say(me.end(by));
                    });
            assertThat(programs.explore(USUAL)).containsExactly("local_protection_error | flushed : 0");
        }
    }

    @Test
    void accessUpToTheEndOfBothMemoriesIsAllowed() throws Exception {
        ends("ok ok 7", (by, on) -> by.read(0, LOCAL - 8, on.at(2), on.region.key(), 8, true));
        ends("ok ok 7", (by, on) -> by.read(0, LOCAL, on.region.address() + REGISTERED, on.region.key(), 0, true));
        ends("ok ok 7", (by, on) -> by.write(0, LOCAL, on.region.address() + REGISTERED, on.region.key(), 0, true));
        ends("ok ok 7", (by, on) -> by.fetchAndAdd(0, LOCAL - 8, on.at(2), on.region.key(), 0, true));
        ends("ok ok 7", (by, _) -> in(by).commit(0, LOCAL - 8, true));
    }

    @Test
    void aWordIsReadWrittenSwappedAndAddedTo() throws Exception {
        Programs programs = new Programs(1, 2, 3);
        programs.client(me -> {
            QueuePair by = me.server();
            int key = programs.region.key();
            me.put(64, 10, 20);
            by.write(0, 64, programs.at(0), key, 16, false);
            by.compareAndSwap(1, 0, programs.at(0), key, 10, 11, false);
            by.compareAndSwap(2, 8, programs.at(0), key, 10, 12, true);
            by.fetchAndAdd(3, 16, programs.at(1), key, -3, false);
            by.read(4, 24, programs.at(0), key, 24, true);
            by.doorbell();
            by.await(me.completions);
            me.say(me.completions.id(0));
            by.await(me.completions);
            me.say(me.completions.id(0));
            for (int word = 0; word < 6; word++) {
                me.say(me.word(word));
            }
        });
        assertThat(programs.explore(USUAL)).containsExactly("2 4 10 11 20 11 17 3 : 11 17 3");
    }

    /** Bytes across two partial words: one step per word. */
    @Test
    void bytesAcrossTwoWordsTakeTwoSteps() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    me.put(64, -1);
                    me.server().write(0, 64, programs.at(0) + 6, programs.region.key(), 3, true);
                    me.server().doorbell();
                    me.say(me.end(me.server()));
                })
                .client(me -> {
                    me.server().read(0, 0, programs.at(0) + 5, programs.region.key(), 10, true);
                    me.server().doorbell();
                    me.end(me.server());
                    for (int i = 0; i < 10; i++) {
                        me.say(me.local.get(ValueLayout.JAVA_BYTE, i));
                    }
                });
        programs.comesTo(
                USUAL,
                "ok | 0 -1 -1 -1 0 0 0 0 0 0 : -281474976710656 255",
                "ok | 0 -1 -1 0 0 0 0 0 0 0 : -281474976710656 255",
                "ok | 0 0 0 -1 0 0 0 0 0 0 : -281474976710656 255",
                "ok | 0 0 0 0 0 0 0 0 0 0 : -281474976710656 255");
        programs.comesTo(
                USUAL.withTearing(ExplorationLimits.Tearing.EITHER_WAY),
                "ok | 0 -1 -1 -1 0 0 0 0 0 0 : -281474976710656 255",
                "ok | 0 -1 -1 0 0 0 0 0 0 0 : -281474976710656 255",
                "ok | 0 0 0 -1 0 0 0 0 0 0 : -281474976710656 255",
                "ok | 0 0 0 0 0 0 0 0 0 0 : -281474976710656 255");
    }

    @Test
    void aTransactionAloneReadsItsWritesBeforeItCommits() throws Exception {
        Programs programs = new Programs(1, 2);
        programs.client(me -> {
                    QueuePair by = me.server();
                    in(by).begin(0, false);
                    in(by).write(0, programs.at(0), programs.region.key(), 5, false);
                    in(by).read(0, 0, programs.at(0), programs.region.key(), false);
                    in(by).read(0, 8, programs.at(1), programs.region.key(), true);
                    by.doorbell();
                    me.end(by);
                    in(by).commit(0, 16, true);
                    by.doorbell();
                    me.end(by);
                    me.say(me.word(0) + "," + me.word(1) + "," + me.word(2));
                })
                .client(me -> {
                    me.sayRead(0, 1);
                    me.doWrite(1, 3);
                });
        programs.comesTo(USUAL, "5,2,0 | 1 : 1 3", "5,2,1 | 1 : 5 3", "5,2,1 | 5 : 5 3", "5,3,1 | 1 : 5 3");
    }

    /** A commit ends a wait for a word only if it has changed that word. */
    @Test
    void aCommitEndsAPauseIfItChangesAnything() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
                    for (int value : new int[] {0, 5}) {
                        in(me.server()).begin(0, false);
                        in(me.server()).write(0, programs.at(0), programs.region.key(), value, false);
                        in(me.server()).commit(0, 16, true);
                        me.server().doorbell();
                        me.end(me.server());
                    }
                })
                .client(me -> {
                    me.sayRead(0, 1);
                    while (me.word(0) == 0) {
                        me.self.pause(1);
                        me.sayRead(0, 1);
                    }
                });
        programs.comesTo(
                new ExplorationLimits(0, 0, 0, 0, ExplorationLimits.Tearing.ASCENDING, 100, 20, 0),
                " | 0 5 : 5 0",
                " | 5 : 5 0");
    }

    @Test
    void aQueueIsFullUntilACompletionOfWhatWasPostedLaterIsTaken() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            QueuePair by = me.self.connect(0, me.local, new ConnectionOptions(3, 1, 2));
            int key = programs.region.key();
            me.say(by.free());
            by.read(0, 0, programs.at(0), key, 8, false);
            by.read(1, 0, programs.at(0), key, 8, true);
            by.read(2, 0, programs.at(0), key, 8, true);
            me.say(by.free());
            assertThatThrownBy(() -> by.read(3, 0, programs.at(0), key, 8, true))
                    .hasMessage("the send queue is full: 3 work requests wait for their completion");
            by.doorbell();
            by.await(me.completions);
            me.say(by.free());
            by.await(me.completions);
            me.say(by.free());
            assertThatThrownBy(() -> by.await(me.completions))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("a program waits for a completion, but no request is posted");
            assertThatThrownBy(() -> me.self.await(me.completions))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("a program waits for a completion, but no request is posted");
            assertThatThrownBy(() -> by.read(4, -1, programs.at(0), key, 8, true))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> by.read(4, 0, programs.at(0), key, -1, true))
                    .isInstanceOf(IllegalArgumentException.class);
            by.receive(5, 0, 8);
            by.receive(6, 0, 8);
            assertThatThrownBy(() -> by.receive(7, 0, 8))
                    .hasMessage("the receive queue is full: 2 RECEIVEs are posted");
        });
        assertThat(programs.explore(USUAL)).containsExactly("3 0 2 3 : 0");
    }

    /** The first two messages fit, the last is one byte too long for its RECEIVE. */
    @Test
    void aMessageFillsTheNextReceiveAndMustFitIntoIt() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    QueuePair by = me.server();
                    me.put(64, 5, 6);
                    by.send(0, 64, 8, true);
                    by.send(1, 72, 3, false);
                    by.send(2, 64, 9, false);
                    by.send(3, 64, 8, false);
                    by.doorbell();
                    me.say(me.end(by) + " " + me.end(by) + " " + me.end(by));
                    by.receive(4, 0, 8);
                    me.say(me.end(by));
                })
                .server(me -> {
                    QueuePair by = me.self.accept(me.local, new ConnectionOptions(4, 4, 4));
                    by.receive(0, 0, 8);
                    by.receive(1, 8, 8);
                    by.receive(2, 16, 8);
                    by.receive(3, 24, 8);
                    by.send(0, 0, 8, true);
                    by.doorbell();
                    while (me.self.await(me.completions) > 0) {
                        me.say(me.ends().replace(',', ' '));
                    }
                    me.say(me.word(0) + "," + me.word(1) + "," + me.word(2));
                });
        programs.comesTo(
                USUAL,
                "ok remote_invalid_request flushed flushed | got8 got3 local_length_error flushed 5,6,0 : 0",
                "ok remote_invalid_request flushed flushed | got8 got3 local_length_error flushed flushed 5,6,0 : 0");
    }

    /** A message may end with the receiver's memory; one byte more is refused. */
    @Test
    void aMessageMustFitIntoTheReceiversMemory() throws Exception {
        for (long at : new long[] {LOCAL - 8, LOCAL - 7}) {
            Programs programs = new Programs(0);
            programs.client(me -> {
                        me.server().send(0, 0, 8, true);
                        me.server().doorbell();
                        me.say(me.end(me.server()));
                    })
                    .server(me -> {
                        QueuePair by = me.self.accept(me.local, new ConnectionOptions(4, 4, 4));
                        by.receive(0, at, 8);
                        me.say(me.end(by));
                    });
            assertThat(programs.explore(USUAL))
                    .containsExactly(
                            at == LOCAL - 8 ? "ok | got8 : 0" : "remote_invalid_request | local_protection_error : 0");
        }
    }

    @Test
    void anErrorEndsBothEnds() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    QueuePair by = me.server();
                    by.receive(0, 0, 8);
                    by.read(0, 0, programs.at(1), programs.region.key(), 8, false);
                    by.doorbell();
                    me.say(me.end(by));
                    me.say(me.end(by));
                })
                .server(me -> {
                    QueuePair by = me.self.accept(me.local, new ConnectionOptions(4, 4, 4));
                    by.receive(0, 0, 8);
                    me.say(me.end(by));
                    by.send(0, 0, 8, false);
                    by.doorbell();
                    me.say(me.end(by));
                });
        programs.comesTo(USUAL, "remote_access_error flushed | flushed flushed : 0");
    }

    @Test
    void aMessageWithoutAReceiveHoldsUpWhatIsPostedAfterIt() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
                    me.server().send(0, 0, 8, false);
                    me.write(me.server(), 0, 1);
                    me.end(me.server());
                })
                .server(me -> {
                    QueuePair by = me.self.accept(me.local, new ConnectionOptions(4, 4, 4));
                    me.self.accesses(8);
                    me.say(programs.memory.get(Programs.LONG, 0));
                    by.receive(0, 0, 8);
                    me.end(by);
                });
        programs.comesTo(USUAL, " | 0 : 1");
    }

    @Test
    void changingAMessageBeforeItsCompletionIsReported() throws Exception {
        for (int changed : new int[] {63, 64, 74, 75}) {
            Programs programs = new Programs(0);
            programs.client(me -> {
                        me.server().send(0, 64, 11, false);
                        me.read(me.server(), 0, 1);
                        me.local.set(ValueLayout.JAVA_BYTE, changed, (byte) 1);
                        me.end(me.server());
                        throw new IllegalStateException("fine");
                    })
                    .server(me -> {
                        me.self.accept(me.local, new ConnectionOptions(4, 4, 4)).receive(0, 0, 16);
                        me.self.await(me.completions);
                    });
            assertThat(programs.violation(USUAL))
                    .isEqualTo("client 0 failed: "
                            + (changed == 63 || changed == 75
                                    ? "fine"
                                    : "the source of a SEND of 11 B was changed before its completion was polled"));
        }
    }

    @Test
    void completionsOfTwoConnectionsComeInAnyOrder() throws Exception {
        Programs programs = new Programs(0, 0);
        programs.client(me -> {
            QueuePair one = me.to(0);
            QueuePair other = me.to(1);
            one.fetchAndAdd(1, 0, programs.at(0), programs.region.key(), 1, true);
            one.fetchAndAdd(2, 8, programs.at(0), programs.region.key(), 1, true);
            other.fetchAndAdd(3, 16, programs.at(0), programs.region.key(), 1, true);
            one.doorbell();
            other.doorbell();
            for (int taken = 0; taken < 3; ) {
                int count = me.self.await(me.completions);
                for (int i = 0; i < count; i++) {
                    me.say(me.completions.id(i) + "of" + me.completions.connection(i));
                }
                taken += count;
            }
            me.say(me.word(0) + "" + me.word(1) + me.word(2));
        });
        programs.passive()
                .passive()
                .comesTo(
                        USUAL,
                        "1of0 2of0 3of1 012 : 3 0",
                        "1of0 2of0 3of1 021 : 3 0",
                        "1of0 2of0 3of1 120 : 3 0",
                        "1of0 3of1 2of0 012 : 3 0",
                        "1of0 3of1 2of0 021 : 3 0",
                        "1of0 3of1 2of0 120 : 3 0",
                        "3of1 1of0 2of0 012 : 3 0",
                        "3of1 1of0 2of0 021 : 3 0",
                        "3of1 1of0 2of0 120 : 3 0");
    }

    @Test
    void aClosedConnectionReportsNothingAndExecutesPostedRequests() throws Exception {
        Programs programs = new Programs(0);
        programs.client(me -> {
            me.write(me.server(), 0, 1);
            me.server().close();
            QueuePair other = me.to(0);
            assertThatThrownBy(() -> me.server().await(me.completions)).hasMessageContaining("no request is posted");
            me.read(other, 0, 1);
            me.say(me.end(other) + me.word(0));
        });
        programs.comesTo(USUAL, "ok0 : 1", "ok1 : 1");
        programs.comesTo(
                USUAL.withBreaks(1), "ok0 : 0", "ok0 : 1", "ok1 : 1", "retry_exceeded0 : 0", "retry_exceeded0 : 1");
    }
}
