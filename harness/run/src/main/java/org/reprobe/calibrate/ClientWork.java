package org.reprobe.calibrate;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.workload.Rng;

/**
 * CPU time of a client for posting batches of READs and polling completions, during which it can do nothing else.
 * Averaged over many batches, minus the cost of reading the clock.
 */
final class ClientWork implements ClientProgram {
    /** Multiple of a batch's duration after which its completions are assumed to have arrived. */
    private static final int COMPLETION_WAIT = 3;

    private final RemoteRegion region;
    private final List<TimedBatches.Shape> shapes;
    private final int outstandingReads;
    private final int rounds;
    private final long seed;
    private final double[] postNs;
    private final double[] completionNs;

    ClientWork(RemoteRegion region, List<TimedBatches.Shape> shapes, int outstandingReads, int rounds, long seed) {
        this.region = region;
        this.shapes = shapes;
        this.outstandingReads = outstandingReads;
        this.rounds = rounds;
        this.seed = seed;
        this.postNs = new double[shapes.size()];
        this.completionNs = new double[shapes.size()];
    }

    /** Time in ns for appending a batch of a shape and ringing its doorbell. */
    double postNs(int shape) {
        return postNs[shape];
    }

    /** Time in ns for polling one completion of a batch of a shape in which all READs are signaled. */
    double completionNs(int shape) {
        return completionNs[shape];
    }

    @Override
    public void run(Client client) throws FabricException {
        int longest = shapes.stream().mapToInt(TimedBatches.Shape::length).max().orElse(1);
        int widest = shapes.stream().mapToInt(TimedBatches.Shape::bytes).max().orElse(8);
        MemorySegment local = client.allocate(TimedOperation.align(widest) * (long) longest);
        Completions completions = new Completions(longest);
        double clockNs = clockNs(client);
        double[][] post = new double[shapes.size()][rounds];
        double[][] completion = new double[shapes.size()][rounds];
        try (QueuePair queuePair = client.connect(local, new ConnectionOptions(longest, outstandingReads))) {
            TargetAddresses addresses =
                    new TargetAddresses(region, TargetAddresses.Order.RANDOM, widest, new Rng(seed));
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < shapes.size(); i++) {
                    TimedBatches.Shape shape = shapes.get(i);
                    long start = client.nowNs();
                    append(queuePair, shape, addresses, false);
                    queuePair.doorbell();
                    long posted = client.nowNs();
                    TimedOperation.await(queuePair, completions, 1);
                    long done = client.nowNs();
                    post[i][round] = posted - start - clockNs;

                    append(queuePair, shape, addresses, true);
                    queuePair.doorbell();
                    client.pause(COMPLETION_WAIT * (done - start));
                    long from = client.nowNs();
                    int taken = queuePair.poll(completions);
                    TimedOperation.check(completions);
                    // A batch that was slower is awaited; its time is not in the middle half.
                    TimedOperation.await(queuePair, completions, shape.length() - taken);
                    completion[i][round] = (client.nowNs() - from - clockNs) / shape.length();
                }
            }
        }
        for (int i = 0; i < shapes.size(); i++) {
            postNs[i] = Math.max(0, middle(post[i]));
            completionNs[i] = Math.max(0, middle(completion[i]));
        }
    }

    private void append(QueuePair queuePair, TimedBatches.Shape shape, TargetAddresses addresses, boolean allSignaled) {
        int step = TimedOperation.align(shape.bytes());
        for (int n = 0; n < shape.length(); n++) {
            long remote = addresses.next(shape.bytes());
            boolean signaled = allSignaled || n == shape.length() - 1;
            queuePair.read(n, (long) n * step, remote, region.key(), shape.bytes(), signaled);
        }
    }

    private static double clockNs(Client client) {
        double[] costs = new double[101];
        for (int i = 0; i < costs.length; i++) {
            long start = client.nowNs();
            costs[i] = client.nowNs() - start;
        }
        return middle(costs);
    }

    /** Returns the mean of the middle half: as robust as the median, and finer than the clock's ticks. */
    private static double middle(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int quarter = sorted.length / 4;
        return Arrays.stream(sorted, quarter, sorted.length - quarter).average().orElse(0);
    }
}
