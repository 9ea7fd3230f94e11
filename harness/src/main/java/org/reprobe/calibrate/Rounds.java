package org.reprobe.calibrate;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.workload.Rng;

/**
 * One client that posts a full send queue of READs, waits for the last and begins again: what {@link
 * org.reprobe.scheme.LookupClient} does, but for choosing keys and looking at what was read.
 */
final class Rounds implements ClientProgram {
    private static final int LEAST_ROUNDS = 20;

    private final RemoteRegion region;
    private final int sendQueue;
    private final int outstandingReads;
    private final int bytes;
    private final long durationNs;
    private final long seed;
    private double ns;

    Rounds(RemoteRegion region, int sendQueue, int outstandingReads, int bytes, long durationNs, long seed) {
        this.region = region;
        this.sendQueue = sendQueue;
        this.outstandingReads = outstandingReads;
        this.bytes = bytes;
        this.durationNs = durationNs;
        this.seed = seed;
    }

    /** Time a READ, once it has ended. */
    double ns() {
        return ns;
    }

    @Override
    public void run(Client client) throws FabricException {
        int step = Operation.align(bytes);
        MemorySegment local = client.allocate((long) sendQueue * step);
        Completions completions = new Completions(1);
        try (QueuePair queuePair = client.connect(local, new ConnectionOptions(sendQueue, outstandingReads))) {
            Addresses addresses = new Addresses(region, Addresses.Order.RANDOM, bytes, new Rng(seed));
            RoundTimes times = new RoundTimes();
            long untilNs = client.nowNs() + durationNs;
            long now = client.nowNs();
            while (now < untilNs || times.count() < LEAST_ROUNDS) {
                long start = now;
                for (int n = 1; n <= sendQueue; n++) {
                    long remote = addresses.next(bytes);
                    queuePair.read(n, (n - 1L) * step, remote, region.key(), bytes, n == sendQueue);
                }
                queuePair.doorbell();
                Operation.await(queuePair, completions, 1);
                now = client.nowNs();
                times.add(now - start);
            }
            ns = times.middleNs() / sendQueue;
        }
    }
}
