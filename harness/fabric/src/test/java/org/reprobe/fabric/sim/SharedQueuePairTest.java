package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;

/** Two threads of a machine with one queue pair. A round trip takes 1 us; a doorbell holds the lock for 50 ns. */
class SharedQueuePairTest {
    private final SimFabric fabric = new SimFabric(
            TestCard.plain().with(new NicProfile.Card(0, 0, 0, 50, 0, 1, 0, 0, 0)), Placement.apart(1), 1);

    private final RemoteRegion region = fabric.register(allocate());

    private java.lang.foreign.MemorySegment allocate() {
        try {
            return fabric.allocate(64);
        } catch (FabricException e) {
            throw new AssertionError(e);
        }
    }

    @AfterEach
    void close() {
        fabric.close();
    }

    private static ConnectionOptions options(int outstandingReads, int share) {
        ConnectionOptions own = new ConnectionOptions(8, outstandingReads);
        return share < 0 ? own : own.sharedAs(share);
    }

    /** Latencies of the READs of threads that post simultaneously. */
    private long[] readNs(int outstandingReads, int... shares) throws Exception {
        long[] ns = new long[2];
        fabric.run(2, client -> {
            QueuePair queuePair =
                    client.connect(client.allocate(64), options(outstandingReads, shares[client.index()]));
            client.barrier();
            long startNs = client.nowNs();
            queuePair.read(1, 0, region.address(), region.key(), 0, true);
            queuePair.doorbell();
            queuePair.await(new Completions(1));
            ns[client.index()] = client.nowNs() - startNs;
        });
        Arrays.sort(ns);
        return ns;
    }

    @Test
    void threadsThatPostWaitForTheLock() throws Exception {
        long[] alone = readNs(2, -1, -1);
        long[] apart = readNs(2, 0, 1);
        long[] shared = readNs(2, 0, 0);
        assertThat(apart[0] - alone[0]).isEqualTo(50);
        assertThat(apart[1] - alone[1]).isEqualTo(50);
        assertThat(shared[0] - alone[0]).isEqualTo(50);
        assertThat((double) (shared[1] - alone[1])).isCloseTo(100, within(10.0));
    }

    @Test
    void threadsShareTheReadsInFlight() throws Exception {
        assertThat(readNs(2, 0, 0)[1]).isBetween(1100L, 1120L);
        // The second leaves when the first one's reply has reached the card.
        assertThat(readNs(1, 0, 0)[1]).isBetween(1900L, 2050L);
        assertThat(readNs(1, -1, -1)[1]).isBetween(1000L, 1020L);
    }

    @Test
    void threadsTakeTurnsInTheOrderInWhichTheyPost() throws Exception {
        // One READ at a time for three threads with the next always posted: a third each.
        int[] done = new int[3];
        fabric.run(3, client -> {
            QueuePair queuePair = client.connect(client.allocate(64), options(1, 0));
            Completions completions = new Completions(8);
            client.barrier();
            for (int i = 0; i < 8; i++) {
                queuePair.read(i, 0, region.address(), region.key(), 0, true);
            }
            queuePair.doorbell();
            while (client.nowNs() < 300_000) {
                int count = queuePair.await(completions);
                done[client.index()] += count;
                for (int i = 0; i < count; i++) {
                    queuePair.read(i, 0, region.address(), region.key(), 0, true);
                }
                queuePair.doorbell();
            }
        });
        assertThat(Arrays.stream(done).max().orElseThrow())
                .isLessThanOrEqualTo(Arrays.stream(done).min().orElseThrow() + 8);
    }

    @Test
    void anImmediateTurnIsNotAttributedToThePreviousThread() throws Exception {
        // The second READ of client 1 is fetched long after that of client 0, which is behind it, is ready.
        try (SimFabric oneEngine = new SimFabric(
                TestCard.plain().with(new NicProfile.Card(20, 0, 0, 50, 0, 1, 0, 0, 0)), Placement.apart(1), 1)) {
            RemoteRegion there = oneEngine.register(oneEngine.allocate(64));
            long[] ns = new long[2];
            oneEngine.run(2, client -> {
                int own = client.index();
                QueuePair queuePair = client.connect(client.allocate(64), options(8, 0));
                client.barrier();
                long startNs = client.nowNs();
                client.pause(own == 0 ? 200 : 0);
                for (int i = 0; i <= own; i++) {
                    queuePair.read(i, 0, there.address(), there.key(), 8, i == own);
                }
                queuePair.doorbell();
                queuePair.await(new Completions(1));
                ns[own] = client.nowNs() - startNs;
            });
            assertThat(ns[1]).isBetween(1500L, 1800L);
            assertThat(ns[0]).isBetween(ns[1], ns[1] + 100);
        }
    }

    @Test
    void aFailedOperationEndsTheQueuePairOfAllItsThreads() throws Exception {
        Completions.Status[] found = new Completions.Status[3];
        fabric.run(3, client -> {
            int own = client.index();
            QueuePair queuePair = client.connect(client.allocate(64), options(2, own < 2 ? 0 : 1));
            client.barrier();
            client.pause(own == 0 ? 0 : 5000);
            queuePair.read(1, 0, region.address(), own == 0 ? region.key() + 1 : region.key(), 8, true);
            queuePair.doorbell();
            Completions completions = new Completions(1);
            queuePair.await(completions);
            found[own] = completions.status(0);
        });
        assertThat(found)
                .containsExactly(
                        Completions.Status.REMOTE_ACCESS_ERROR, Completions.Status.FLUSHED, Completions.Status.SUCCESS);
    }

    /** Times of threads that post simultaneously, less those of threads with queue pairs and doorbells of their own. */
    private static long[] waitedNs(NicProfile.Card locks, int threads, int doorbells, int share, int batch)
            throws Exception {
        NicProfile nic = TestCard.of(
                        new NicProfile.Requester(1000, 100, 500, 4, 0, 1),
                        new NicProfile.Client(0, 20, 0, 10, 0, 0, 0),
                        new NicProfile.Link(10e9, 1024, 0, 0))
                .with(locks);
        long[] ns = new long[threads];
        try (SimFabric made = new SimFabric(nic, Placement.apart(1), 1)) {
            RemoteRegion there = made.register(made.allocate(64));
            made.run(threads, client -> {
                ConnectionOptions own = new ConnectionOptions(8, 8).onDoorbells(doorbells);
                QueuePair queuePair =
                        client.connect(client.allocate(64), share < 0 ? own : own.sharedAs(client.index() / share));
                client.barrier();
                long startNs = client.nowNs();
                for (int i = 0; i < batch; i++) {
                    queuePair.read(i, 0, there.address(), there.key(), 0, true);
                }
                queuePair.doorbell();
                ns[client.index()] = client.nowNs() - startNs - (batch * 20 + 10);
            });
        }
        Arrays.sort(ns);
        return ns;
    }

    @Test
    void aHoldGrowsWithTheThreadsThatWantTheLockAndIncludesPosting() throws Exception {
        NicProfile.Card growing = new NicProfile.Card(0, 0, 0, 100, 1, 1, 0, 0, 0);
        // Holds of 100, 200 and 300 ns, of which 30 ns are those of posting.
        assertThat(waitedNs(growing, 3, 1, -1, 1)).containsExactly(70, 270, 570);
        assertThat(waitedNs(growing, 3, 0, 3, 1)).containsExactly(70, 270, 570);
        // Two queue pairs on the first doorbell, one on the second.
        assertThat(waitedNs(growing, 3, 2, -1, 1)).containsExactly(0, 70, 270);
    }

    @Test
    void aLockOfOneThreadCostsNothingIfHoldsGrow() throws Exception {
        NicProfile.Card growing = new NicProfile.Card(0, 0, 0, 100, 1, 1, 0, 0, 0);
        assertThat(waitedNs(growing, 3, 3, 1, 1)).containsOnly(0);
        NicProfile.Card constant = new NicProfile.Card(0, 0, 0, 100, 0, 1, 0, 0, 0);
        assertThat(waitedNs(constant, 3, 3, -1, 1)).containsOnly(100);
        assertThat(waitedNs(constant, 3, 0, 1, 1)).containsOnly(100);
    }

    @Test
    void aRequestOfASharedQueuePairTakesItsLockForPollingToo() throws Exception {
        NicProfile.Card polled = new NicProfile.Card(0, 0, 0, 100, 0, 3, 0, 0, 0);
        assertThat(waitedNs(polled, 1, 0, 1, 1)).containsExactly(300);
        assertThat(waitedNs(polled, 1, 0, 1, 4)).containsExactly(900);
        assertThat(waitedNs(polled, 1, 1, -1, 4)).containsExactly(100);
    }

    @Test
    void aLockKeepsItsOrderForManyThreads() throws Exception {
        PostingLock lock = new PostingLock(new PostingLock.Holds(10, 0.5));
        long releasePs = 0;
        for (int threads = 1; threads <= 300; threads++) {
            long nextPs = lock.take(0, 1);
            assertThat(nextPs - releasePs).isEqualTo(Math.round(10 * StrictMath.pow(threads, 0.5)));
            releasePs = nextPs;
        }
        assertThat(lock.take(releasePs, 1)).isEqualTo(releasePs + 10);
        assertThat(lock.take(releasePs, 2)).isEqualTo(releasePs + 10 + 28);
    }

    @Test
    void incompatibleOptionsAreRefused() throws Exception {
        assertThatThrownBy(() -> fabric.run(1, client -> {
                    client.connect(client.allocate(64), options(2, 0));
                    client.connect(client.allocate(64), options(3, 0));
                }))
                .isInstanceOf(FabricException.class)
                .hasMessage("a queue pair that is shared with 2 outstanding READs was requested with 3");
        try (SimFabric unknown = new SimFabric(TestCard.plain(), 1, 1)) {
            assertThatThrownBy(() -> unknown.run(1, client -> client.connect(client.allocate(64), options(2, 0))))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("queue pairs can't be shared: the NIC profile of Test card has no cost of their lock"
                            + " (card.lock-ns)");
            assertThatThrownBy(() -> unknown.run(
                            1,
                            client -> client.connect(
                                    client.allocate(64), options(2, -1).onDoorbells(2))))
                    .isInstanceOf(FabricException.class)
                    .hasMessage("doorbells can't be shared: the NIC profile of Test card has no cost of their lock"
                            + " (card.lock-ns)");
        }
    }
}
