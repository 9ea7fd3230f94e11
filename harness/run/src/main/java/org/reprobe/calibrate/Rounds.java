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
 * Clients that post a full send queue of READs, wait for the last and repeat: the work of
 * {@link org.reprobe.scheme.LookupClient} without choosing keys and examining records.
 */
final class Rounds implements ClientProgram {
    private static final int MIN_ROUNDS = 20;
    /** Factor by which the load exceeds the measured interval, until the last client has measured. */
    private static final double BEYOND = 1.25;

    private final RemoteRegion region;
    private final int sendQueue;
    private final int outstandingReads;
    private final int bytes;
    private final long durationNs;
    private final long seed;
    private final double[] roundNs;

    Rounds(
            RemoteRegion region,
            int clients,
            int sendQueue,
            int outstandingReads,
            int bytes,
            long durationNs,
            long seed) {
        this.region = region;
        this.sendQueue = sendQueue;
        this.outstandingReads = outstandingReads;
        this.bytes = bytes;
        this.durationNs = durationNs;
        this.seed = seed;
        this.roundNs = new double[clients];
    }

    /** Returns a client's time per READ in ns, after all have ended. */
    double ns() {
        return RoundTimes.together(roundNs) / sendQueue;
    }

    @Override
    public void run(Client client) throws FabricException {
        int step = TimedOperation.align(bytes);
        MemorySegment local = client.allocate((long) sendQueue * step);
        Completions completions = new Completions(1);
        try (QueuePair queuePair = client.connect(local, new ConnectionOptions(sendQueue, outstandingReads))) {
            TargetAddresses addresses =
                    new TargetAddresses(region, TargetAddresses.Order.RANDOM, bytes, new Rng(seed, client.index()));
            RoundTimes times = new RoundTimes();
            client.barrier();
            long fromNs = client.nowNs();
            long now = fromNs;
            long tookNs = 0;
            while (tookNs == 0 || (roundNs.length > 1 && now - fromNs < tookNs * BEYOND)) {
                long start = now;
                for (int n = 1; n <= sendQueue; n++) {
                    long remote = addresses.next(bytes);
                    queuePair.read(n, (n - 1L) * step, remote, region.key(), bytes, n == sendQueue);
                }
                queuePair.doorbell();
                TimedOperation.await(queuePair, completions, 1);
                now = client.nowNs();
                if (tookNs == 0) {
                    times.add(now - start);
                    if (now - fromNs >= durationNs && times.count() >= MIN_ROUNDS) {
                        tookNs = now - fromNs;
                    }
                }
            }
            roundNs[client.index()] = times.middleNs();
        }
    }
}
