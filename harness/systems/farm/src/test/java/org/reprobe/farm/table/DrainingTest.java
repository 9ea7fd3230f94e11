package org.reprobe.farm.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.reprobe.fabric.Client;
import org.reprobe.farm.messages.WordRequests;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/** A run ends although operations of its sample wait as long as others begin. */
class DrainingTest {
    private static final long DURATION_NS = 100_000;
    private static final long WAIT_NS = 1_000;

    /**
     * Operations of one wait each; the first ends only after no other has begun for a while, as with a lock that is
     * never free.
     */
    private static final class Patient implements WordRequests {
        private final Client client;
        private long begun;
        private long lastBegunNs;
        private int patientSlot = -1;

        Patient(Client client) {
            this.client = client;
        }

        @Override
        public boolean begin(int slot, Sender sender) {
            lastBegunNs = client.nowNs();
            if (patientSlot < 0 && ++begun > 50) { // in the sample
                patientSlot = slot;
            }
            sender.waitFor(WAIT_NS);
            return true;
        }

        @Override
        public boolean resume(int slot, Sender sender) {
            if (slot == patientSlot && client.nowNs() - lastBegunNs < 3 * WAIT_NS) {
                sender.waitFor(WAIT_NS);
            }
            return true;
        }

        @Override
        public int maxWords() {
            return 1;
        }

        @Override
        public int replyBytes(int words) {
            return Long.BYTES;
        }

        @Override
        public int keysPerOperation() {
            return 1;
        }

        @Override
        public int payloadBytes() {
            return 0;
        }

        @Override
        public void encodeReply(long[] words, int count, MemorySegment to, long at) {
            throw new IllegalStateException("unexpected request");
        }

        @Override
        public boolean replyReceived(int slot, int machine, MemorySegment from, long at, int bytes, Sender sender) {
            throw new IllegalStateException("unexpected request");
        }
    }

    @Test
    @Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void noLoadIsKeptUpForASampleThatDoesNotEnd() throws Exception {
        try (FarmCluster cluster = new FarmCluster("sim", 100, 2, true, 1, 4096, 0)) {
            Counts counts = cluster.run(2, 16, DURATION_NS, (client, _) -> new Patient(client));
            assertThat(counts.total(Counter.OPERATIONS)).isGreaterThan(100);
        }
    }
}
