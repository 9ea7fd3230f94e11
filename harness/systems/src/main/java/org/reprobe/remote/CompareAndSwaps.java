package org.reprobe.remote;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Reconnection;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.system.Workload;

/**
 * Clients that do nothing but COMPARE_AND_SWAP: each posts a batch of them, on words of the server's memory chosen at random,
 * and waits for the last. A client raises a word by one when it is what the client last saw there. A client whose connection a
 * fault has cut gives the batch up, of which some may have taken effect, and connects again. One object serves all of a run.
 */
public final class CompareAndSwaps implements Workload {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final Parameters plan;
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /**
     * What all clients of a run do.
     *
     * @param words how many words there are in {@code region}, all zero
     * @param batch operations of a batch
     * @param outstanding of them in flight
     * @param choice random bits of an operation's number
     * @param conditions whether its course is kept, and whether clients go on after a lost connection
     */
    public record Parameters(
            RemoteRegion region,
            int words,
            int batch,
            int outstanding,
            LongUnaryOperator choice,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    public CompareAndSwaps(Parameters plan, int clients) {
        this.plan = plan;
        this.counts = new Counts[clients];
        this.sampling = new Sampling(plan.warmUpNs(), plan.durationNs(), true, 0, plan.conditions());
    }

    @Override
    public Counts counts() {
        return OperationCounts.sum(counts);
    }

    @Override
    public void run(Client client) throws FabricException {
        MemorySegment local = client.allocate((long) plan.batch() * Long.BYTES);
        Counts mine = OperationCounts.none();
        counts[client.index()] = mine;
        try (OneSidedLink connection =
                new OneSidedLink(client, 0, local, new ConnectionOptions(plan.batch(), plan.outstanding()))) {
            SampledInterval interval = sampling.join(client);
            try {
                operate(client, connection, interval, mine);
            } finally {
                // A fault has ended it: the others don't wait for its sample.
                if (interval.abandon()) {
                    mine.sampled(interval, 0);
                }
            }
        }
    }

    private void operate(Client client, OneSidedLink connection, SampledInterval interval, Counts mine)
            throws FabricException {
        MemorySegment local = connection.local();
        long[] seen = new long[plan.words()];
        int[] chosen = new int[plan.batch()];
        long[] expected = new long[plan.batch()];
        boolean connected = true;
        client.barrier();
        interval.start(client.nowNs());
        long operation = (long) (client.index() + 1) << 38;
        while (true) {
            long beganNs = client.nowNs();
            interval.begins(beganNs);
            if (interval.ends(beganNs)) {
                mine.sampled(interval, 0);
                interval.sampleEnded();
            }
            if (interval.runIsOver()) {
                return;
            }
            if (!connected) {
                connected = Reconnection.succeeds(connection::reconnect);
                interval.failed(client.nowNs(), connected ? 0 : 1);
                continue;
            }
            for (int i = 0; i < chosen.length; i++) {
                chosen[i] = (int) Math.unsignedMultiplyHigh(plan.choice().applyAsLong(operation++), plan.words());
                expected[i] = seen[chosen[i]];
                connection.compareAndSwap(
                        plan.region(),
                        (long) chosen[i] * Long.BYTES,
                        (long) i * Long.BYTES,
                        expected[i],
                        expected[i] + 1);
            }
            mine.add(Counter.CAS_UNANSWERED, chosen.length);
            try {
                connection.roundTrip();
            } catch (FabricException failure) {
                if (!plan.conditions().explain(failure, connection.broken())) {
                    throw failure;
                }
                interval.failed(client.nowNs(), chosen.length);
                connected = false;
                continue;
            }
            mine.add(Counter.CAS_UNANSWERED, -chosen.length);
            long endNs = client.nowNs();
            interval.did(beganNs, endNs, chosen.length);
            int raised = 0;
            for (int i = 0; i < chosen.length; i++) {
                long found = local.get(WORD, (long) i * Long.BYTES);
                boolean swapped = found == expected[i];
                seen[chosen[i]] = swapped ? found + 1 : found;
                raised += swapped ? 1 : 0;
                if (interval.counts()) {
                    OperationCounts.operation(mine, true, endNs - beganNs, i == 0 ? 1 : 0);
                }
            }
            mine.add(Counter.CAS_SUCCESSES, raised);
            if (interval.counts()) {
                mine.add(Counter.REQUESTS, chosen.length);
                mine.add(Counter.PAYLOAD_BYTES, (long) chosen.length * Long.BYTES);
                mine.add(Counter.RETRIES, chosen.length - raised);
            }
        }
    }
}
