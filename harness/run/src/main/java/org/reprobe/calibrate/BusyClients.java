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
 * Clients that keep their queue pairs busy: whenever a quarter of the send queue is done, a quarter is posted again. A
 * client's rate is its completed operations between two completions, divided by the time between them; the rates add
 * up.
 */
final class BusyClients implements ClientProgram {
    private static final int QUARTERS = 4;
    private static final int MIN_QUARTERS = 12;
    private static final long LOCAL_BYTES = 1 << 20;
    /** Factor by which the load exceeds the measured interval, until the last client has measured. */
    private static final double BEYOND = 1.25;

    private final RemoteRegion region;
    private final Load load;
    private final long durationNs;
    private final long seed;
    private final double[] operationsPerNs;

    /** Load of each client; {@code sendQueue} is in work requests, a multiple of 4. */
    record Load(
            TimedOperation operation,
            TargetAddresses.Order order,
            int bytes,
            int clients,
            int queuePairs,
            int sendQueue,
            int outstandingReads) {}

    BusyClients(RemoteRegion region, Load load, long durationNs, long seed) {
        this.region = region;
        this.load = load;
        this.durationNs = durationNs;
        this.seed = seed;
        this.operationsPerNs = new double[load.clients()];
    }

    /** Returns the time per operation of all clients together in ns, after they have ended. */
    double ns() {
        double sum = 0;
        for (double rate : operationsPerNs) {
            sum += rate;
        }
        return 1 / sum;
    }

    @Override
    public void run(Client client) throws FabricException {
        Stream[] streams = new Stream[load.queuePairs()];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = new Stream(client, new Rng(seed, client.index() * 4096L + i));
        }
        client.barrier();
        for (Stream stream : streams) {
            for (int i = 0; i < QUARTERS; i++) {
                stream.post();
            }
        }
        long quarters = 0;
        long fromNs = 0;
        long fromQuarters = 0;
        long minQuarters = (long) MIN_QUARTERS * streams.length;
        long warmUntilNs = client.nowNs() + durationNs / 4;
        long untilNs = Long.MAX_VALUE;
        while (true) {
            for (Stream stream : streams) {
                quarters += stream.awaitAndPost();
                long now = client.nowNs();
                if (fromNs == 0) {
                    if (now >= warmUntilNs && quarters >= minQuarters) {
                        fromNs = now;
                        fromQuarters = quarters;
                    }
                } else if (untilNs == Long.MAX_VALUE) {
                    if (now >= fromNs + durationNs && quarters >= fromQuarters + minQuarters) {
                        double operations = (double) (quarters - fromQuarters) * load.sendQueue() / QUARTERS;
                        operationsPerNs[client.index()] = operations / (now - fromNs);
                        untilNs = fromNs + (long) ((now - fromNs) * BEYOND);
                    }
                } else if (now >= untilNs) {
                    for (Stream each : streams) {
                        each.close();
                    }
                    return;
                }
            }
        }
    }

    private final class Stream {
        private final QueuePair queuePair;
        private final TargetAddresses addresses;
        private final Completions completions = new Completions(QUARTERS);
        private final long localBytes;
        private final int step = TimedOperation.align(load.bytes());
        private long at;

        Stream(Client client, Rng random) throws FabricException {
            localBytes = Math.max(step, Math.min(LOCAL_BYTES, (long) load.sendQueue() * step));
            MemorySegment local = client.allocate(localBytes);
            queuePair = client.connect(local, new ConnectionOptions(load.sendQueue(), load.outstandingReads()));
            addresses = new TargetAddresses(region, load.order(), load.bytes(), random);
        }

        void post() throws FabricException {
            int count = load.sendQueue() / QUARTERS;
            for (int i = 1; i <= count; i++) {
                long remote = addresses.next(load.bytes());
                load.operation().append(queuePair, i, at, remote, region.key(), load.bytes(), i == count);
                at = at + 2L * step <= localBytes ? at + step : 0;
            }
            queuePair.doorbell();
        }

        int awaitAndPost() throws FabricException {
            int done = queuePair.await(completions);
            TimedOperation.check(completions);
            for (int i = 0; i < done; i++) {
                post();
            }
            return done;
        }

        void close() throws FabricException {
            int open = 0;
            while (queuePair.free() < load.sendQueue()) {
                open += queuePair.await(completions);
                TimedOperation.check(completions);
                if (open > QUARTERS) {
                    break;
                }
            }
            queuePair.close();
        }
    }
}
