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
 * Client that posts a batch of operations with one doorbell on an idle queue pair, waits for the last and posts the
 * next. Batches of all shapes alternate, so that a temporary slowdown affects all of them.
 */
final class TimedBatches implements ClientProgram {
    private final RemoteRegion region;
    private final TimedOperation operation;
    private final List<Shape> shapes;
    private final int outstandingReads;
    private final int rounds;
    private final long seed;
    private final long[][] latenciesNs;

    record Shape(int length, int bytes) {}

    /** @param rounds number of batches per shape */
    TimedBatches(
            RemoteRegion region,
            TimedOperation operation,
            List<Shape> shapes,
            int outstandingReads,
            int rounds,
            long seed) {
        this.region = region;
        this.operation = operation;
        this.shapes = shapes;
        this.outstandingReads = outstandingReads;
        this.rounds = rounds;
        this.seed = seed;
        this.latenciesNs = new long[shapes.size()][rounds];
    }

    @Override
    public void run(Client client) throws FabricException {
        int longest = shapes.stream().mapToInt(Shape::length).max().orElse(1);
        int widest = shapes.stream().mapToInt(Shape::bytes).max().orElse(8);
        MemorySegment local = client.allocate(Math.max(64, TimedOperation.align(widest) * Math.min(64L, longest)));
        Completions completions = new Completions(1);
        try (QueuePair queuePair = client.connect(local, new ConnectionOptions(longest, outstandingReads))) {
            TargetAddresses addresses =
                    new TargetAddresses(region, TargetAddresses.Order.RANDOM, widest, new Rng(seed));
            for (int round = 0; round < rounds; round++) {
                for (int i = 0; i < shapes.size(); i++) {
                    Shape shape = shapes.get(i);
                    int step = TimedOperation.align(shape.bytes());
                    long start = client.nowNs();
                    long at = 0;
                    for (int n = 1; n <= shape.length(); n++) {
                        long remote = addresses.next(shape.bytes());
                        operation.append(queuePair, n, at, remote, region.key(), shape.bytes(), n == shape.length());
                        at = at + 2L * step <= local.byteSize() ? at + step : 0;
                    }
                    queuePair.doorbell();
                    TimedOperation.await(queuePair, completions, 1);
                    latenciesNs[i][round] = client.nowNs() - start;
                }
            }
        }
    }

    double latencyNs(int shape, double fraction) {
        long[] sorted = latenciesNs[shape].clone();
        Arrays.sort(sorted);
        double place = fraction * (sorted.length - 1);
        int below = (int) place;
        int above = Math.min(sorted.length - 1, below + 1);
        return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
    }
}
