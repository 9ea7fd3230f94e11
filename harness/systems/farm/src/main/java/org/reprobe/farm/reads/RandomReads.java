package org.reprobe.farm.reads;

import java.util.List;
import java.util.function.IntFunction;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.remote.SampledThreads;
import org.reprobe.system.Counts;

/** Threads that keep READs of random blocks of random other machines in flight. One object serves all clients of a run. */
public final class RandomReads extends SampledThreads {
    private final Parameters plan;

    /**
     * What all threads of a run do.
     *
     * @param memories of the machines
     * @param truth what they hold
     * @param blocks of a machine
     * @param options of a thread's queue pairs, by its client's index
     * @param seed of what is read
     * @param conditions whether the run's course is kept, and whether threads go on after a lost connection
     */
    public record Parameters(
            List<RemoteRegion> memories,
            ReadableMemory truth,
            int readBytes,
            long blocks,
            int inFlight,
            IntFunction<ConnectionOptions> options,
            long seed,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    public RandomReads(Parameters plan, int clients) {
        super(clients, plan.warmUpNs(), plan.durationNs(), plan.conditions());
        this.plan = plan;
    }

    /** Local memory of a thread. */
    public static long localBytes(int inFlight, int readBytes) {
        return inFlight * stride(readBytes);
    }

    /** Each READ in flight has whole cache lines of its own. */
    static long stride(int readBytes) {
        return (readBytes + 63L) & ~63L;
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts mine) throws FabricException {
        new ReadingThread(client, plan, interval, mine).read();
    }
}
