package org.reprobe.calibrate;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.CpuCosts;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.ForwardingClient;
import org.reprobe.fabric.QueuePair;

/** Client that counts the work that its program accounts, and times its rounds from doorbell to doorbell. */
final class CountedWork extends ForwardingClient {
    /** Costs whose sum encodes the counts of two kinds of steps as digits of one number. */
    private static final CpuCosts DIGITS = new CpuCosts(1L << 32, 1, 0, 0);

    private final CpuCosts costs;
    private long lookups;
    private long slots;
    private final RoundTimes rounds = new RoundTimes();

    CountedWork(Client client) {
        super(client);
        this.costs = client.cpuCosts();
    }

    /** Returns the times of rounds of a full send queue that followed another such round. */
    RoundTimes rounds() {
        return rounds;
    }

    double slotsPerLookup() {
        return lookups == 0 ? 0 : (double) slots / lookups;
    }

    @Override
    public CpuCosts cpuCosts() {
        return DIGITS;
    }

    @Override
    public void spendCpu(long digits) {
        long operations = digits >>> 32;
        long comparisons = digits & 0xFFFF_FFFFL;
        lookups += operations;
        slots += comparisons;
        super.spendCpu(operations * costs.operationPs() + comparisons * costs.comparisonPs());
    }

    @Override
    public QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException {
        return new TimedQueuePair(super.connect(server, local, options), options.sendQueue());
    }

    private final class TimedQueuePair implements QueuePair {
        private final QueuePair queuePair;
        private final int sendQueue;
        private int appended;
        private boolean lastFull;
        private long lastNs;

        TimedQueuePair(QueuePair queuePair, int sendQueue) {
            this.queuePair = queuePair;
            this.sendQueue = sendQueue;
        }

        @Override
        public void doorbell() throws FabricException {
            boolean full = appended == sendQueue;
            appended = 0;
            long now = nowNs();
            if (full && lastFull) {
                rounds.add(now - lastNs);
            }
            lastFull = full;
            lastNs = now;
            queuePair.doorbell();
        }

        @Override
        public int free() {
            return queuePair.free();
        }

        @Override
        public void read(long id, long local, long remote, int key, int bytes, boolean signaled) {
            appended++;
            queuePair.read(id, local, remote, key, bytes, signaled);
        }

        @Override
        public void write(long id, long local, long remote, int key, int bytes, boolean signaled) {
            appended++;
            queuePair.write(id, local, remote, key, bytes, signaled);
        }

        @Override
        public void compareAndSwap(
                long id, long local, long remote, int key, long expected, long desired, boolean signaled) {
            appended++;
            queuePair.compareAndSwap(id, local, remote, key, expected, desired, signaled);
        }

        @Override
        public void fetchAndAdd(long id, long local, long remote, int key, long addend, boolean signaled) {
            appended++;
            queuePair.fetchAndAdd(id, local, remote, key, addend, signaled);
        }

        @Override
        public void send(long id, long local, int bytes, boolean signaled) {
            appended++;
            queuePair.send(id, local, bytes, signaled);
        }

        @Override
        public void receive(long id, long local, int bytes) {
            queuePair.receive(id, local, bytes);
        }

        @Override
        public int poll(Completions into) throws FabricException {
            return queuePair.poll(into);
        }

        @Override
        public int await(Completions into) throws FabricException {
            return queuePair.await(into);
        }

        @Override
        public void close() {
            queuePair.close();
        }
    }
}
