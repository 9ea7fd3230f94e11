package org.reprobe.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.RemoteTransactions;

class SimTransactionsTest {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int COMMITTED = 64;

    private interface Body {
        void run(Client client, QueuePair queuePair, MemorySegment local, RemoteRegion region, MemorySegment memory)
                throws FabricException;
    }

    private static void run(NicProfile nic, int clients, Body body) throws Exception {
        try (SimFabric fabric = new SimFabric(nic, 1, 1)) {
            MemorySegment memory = fabric.allocate(64);
            RemoteRegion region = fabric.register(memory);
            fabric.run(clients, client -> {
                MemorySegment local = client.allocate(128);
                body.run(client, client.connect(local, new ConnectionOptions(16, 4)), local, region, memory);
            });
        }
    }

    private static RemoteTransactions transactions(QueuePair queuePair) {
        return queuePair.transactions().orElseThrow();
    }

    private static void finish(QueuePair queuePair) throws FabricException {
        queuePair.doorbell();
        queuePair.await(new Completions(4));
    }

    @Test
    void aTransactionIsVisibleOnlyAfterItsCommit() throws Exception {
        run(TestCard.transactional(4), 1, (_, queuePair, local, region, memory) -> {
            transactions(queuePair).begin(1, false);
            transactions(queuePair).write(2, region.address(), region.key(), 7, false);
            transactions(queuePair).write(3, region.address() + 8, region.key(), 8, false);
            transactions(queuePair).read(4, 0, region.address(), region.key(), true);
            finish(queuePair);
            assertThat(local.get(WORD, 0)).as("its own write").isEqualTo(7);
            assertThat(memory.get(WORD, 0)).isZero();
            transactions(queuePair).commit(5, COMMITTED, true);
            finish(queuePair);
            assertThat(local.get(WORD, COMMITTED)).isEqualTo(1);
            assertThat(memory.get(WORD, 0)).isEqualTo(7);
            assertThat(memory.get(WORD, 8)).isEqualTo(8);
        });
    }

    /** Also if the old value is back: the ABA problem. */
    @Test
    void concurrentlyChangedObjectsAreNotCommitted() throws Exception {
        run(TestCard.transactional(4), 2, (client, queuePair, local, region, memory) -> {
            if (client.index() == 0) {
                transactions(queuePair).begin(1, false);
                transactions(queuePair).read(2, 0, region.address(), region.key(), true);
                finish(queuePair);
                client.barrier();
                client.barrier();
                transactions(queuePair).write(3, region.address() + 8, region.key(), 1, false);
                transactions(queuePair).commit(4, COMMITTED, true);
                finish(queuePair);
                assertThat(local.get(WORD, COMMITTED)).isZero();
                assertThat(memory.get(WORD, 8)).isZero();
            } else {
                client.barrier();
                queuePair.compareAndSwap(1, 0, region.address(), region.key(), 0, 5, false);
                queuePair.compareAndSwap(2, 0, region.address(), region.key(), 5, 0, true);
                finish(queuePair);
                client.barrier();
            }
        });
    }

    @Test
    void moreWordsThanTheCardHasRoomForAreNotCommitted() throws Exception {
        run(TestCard.transactional(2), 1, (_, queuePair, local, region, memory) -> {
            for (int words = 2; words <= 3; words++) {
                transactions(queuePair).begin(1, false);
                for (int word = 0; word < words; word++) {
                    transactions(queuePair).write(2, region.address() + word * 8L, region.key(), words, false);
                }
                transactions(queuePair).commit(3, COMMITTED, true);
                finish(queuePair);
                assertThat(local.get(WORD, COMMITTED)).isEqualTo(words == 2 ? 1 : 0);
            }
            assertThat(memory.get(WORD, 0)).isEqualTo(2);
        });
    }

    @Test
    void severalWordsAreReadAndWrittenAtOnce() throws Exception {
        run(TestCard.transactional(4), 1, (_, queuePair, local, region, memory) -> {
            local.set(WORD, 0, 7);
            local.set(WORD, 8, 8);
            memory.set(WORD, 24, 9);
            transactions(queuePair).begin(1, false);
            transactions(queuePair).write(2, 0, region.address() + 8, region.key(), 16, false);
            transactions(queuePair).read(3, 16, region.address() + 8, region.key(), 24, true);
            finish(queuePair);
            assertThat(memory.get(WORD, 8)).isZero();
            assertThat(local.asSlice(16, 24).toArray(WORD)).containsExactly(7, 8, 9);
            transactions(queuePair).commit(4, COMMITTED, true);
            finish(queuePair);
            assertThat(memory.asSlice(0, 32).toArray(WORD)).containsExactly(0, 7, 8, 9);
        });
    }

    /** The cache of uncommitted writes is that of the card, not of a transaction. */
    @Test
    void theTransactionThatBeganFirstFailsIfTheCardNeedsItsSpace() throws Exception {
        run(TestCard.transactional(3), 2, (client, queuePair, local, region, memory) -> {
            long own = region.address() + 16L * client.index();
            if (client.index() == 1) {
                client.barrier();
            }
            transactions(queuePair).begin(1, false);
            transactions(queuePair).write(2, own, region.key(), 1, false);
            transactions(queuePair).write(3, own + 8, region.key(), 1, true);
            finish(queuePair);
            client.barrier();
            if (client.index() == 0) {
                client.barrier();
            }
            transactions(queuePair).commit(4, COMMITTED, true);
            finish(queuePair);
            assertThat(local.get(WORD, COMMITTED)).isEqualTo(client.index());
            assertThat(memory.get(WORD, 16L * client.index())).isEqualTo(client.index());
        });
    }

    @Test
    void itTakesTheProfilesTime() throws Exception {
        run(TestCard.transactional(4), 1, (client, queuePair, _, region, _) -> {
            long beganNs = client.nowNs();
            queuePair.read(1, 0, region.address(), region.key(), 0, true);
            finish(queuePair);
            long readNs = client.nowNs() - beganNs;
            transactions(queuePair).commit(2, COMMITTED, true);
            finish(queuePair);
            // A message takes the card 10 ns.
            assertThat(client.nowNs() - beganNs - 2 * readNs).isEqualTo(100 - 10);
        });
    }

    @Test
    void aCardWithoutTransactionsIsReported() throws Exception {
        run(TestCard.plain(), 1, (_, queuePair, _, _, _) -> {
            assertThat(queuePair.transactions()).isEmpty();
        });
    }
}
