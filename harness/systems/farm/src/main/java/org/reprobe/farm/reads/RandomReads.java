package org.reprobe.farm.reads;

import java.util.List;
import java.util.function.IntFunction;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.SampledThreads;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;

/** Threads that keep READs of random blocks of other machines in flight. One object serves all clients of a run. */
public final class RandomReads extends SampledThreads {
    private final Parameters plan;

    /**
     * Parameters of a run's threads: expected contents of memories, blocks per machine, and options of queue pairs by
     * client index.
     *
     * @param twoWay true if threads of the same number share the queue pair between their machines
     */
    public record Parameters(
            List<RemoteRegion> memories,
            ReadableMemory truth,
            int readBytes,
            long blocks,
            int inFlight,
            IntFunction<ConnectionOptions> options,
            boolean twoWay,
            long seed,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    public RandomReads(Parameters plan, int clients) {
        super(clients, plan.warmUpNs(), plan.durationNs(), plan.conditions());
        this.plan = plan;
    }

    /** Returns the bytes of local memory that a thread needs. */
    public static long localBytes(int inFlight, int readBytes) {
        return inFlight * stride(readBytes);
    }

    /** Returns the distance between the buffers of two READs in bytes, a multiple of a cache line. */
    static long stride(int readBytes) {
        return (readBytes + 63L) & ~63L;
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
        new ReadingThread(client, plan, interval, clientCounts).read();
    }
}
