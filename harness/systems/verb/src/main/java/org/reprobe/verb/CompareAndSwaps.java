package org.reprobe.verb;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongUnaryOperator;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.LoadLoop;
import org.reprobe.remote.OneSidedLink;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.SampledThreads;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;

/**
 * Clients that post batches of COMPARE_AND_SWAP on random words of the server's memory, and wait for the last
 * completion of each batch. An operation increments a word if it still has the value that the client last read. A
 * client whose connection is broken by a fault gives up the batch, of which a part may have taken effect, and
 * reconnects. One object serves all clients of a run.
 */
public final class CompareAndSwaps extends SampledThreads {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final Parameters plan;

    /**
     * Parameters of all clients of a run.
     *
     * @param region zeroed memory of {@code words} words of 8 bytes
     * @param batch operations per batch
     * @param outstanding maximum number of operations in flight
     * @param choice random bits by operation number
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
        super(clients, plan.warmUpNs(), plan.durationNs(), plan.conditions());
        this.plan = plan;
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
        new Raising(client, interval, clientCounts).run();
    }

    private final class Raising implements LoadLoop.Operations {
        private final Client client;
        private final Counts clientCounts;
        private final LoadLoop loop;
        private final OneSidedLink connection;
        private final long[] seen = new long[plan.words()];
        private final int[] chosen = new int[plan.batch()];
        private final long[] expected = new long[plan.batch()];
        private int raised;
        private long operation;

        Raising(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
            this.client = client;
            this.clientCounts = clientCounts;
            this.loop = new LoadLoop(client, interval, clientCounts, 1, LoadLoop.Reporting.AT_END_OF_TURN, this);
            MemorySegment local = client.allocate((long) plan.batch() * Long.BYTES);
            this.connection =
                    new OneSidedLink(client, 0, local, new ConnectionOptions(plan.batch(), plan.outstanding()));
            this.operation = (long) (client.index() + 1) << 38;
        }

        void run() throws FabricException {
            loop.run();
            connection.close();
        }

        @Override
        public int begin(int slot) throws FabricException {
            operate();
            long latencyNs = loop.ended(slot, client.nowNs(), chosen.length);
            if (latencyNs != LoadLoop.NOT_SAMPLED) {
                count(latencyNs);
            }
            return chosen.length;
        }

        private void operate() throws FabricException {
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
            clientCounts.add(Counter.CAS_UNANSWERED, chosen.length);
            connection.roundTrip();
            clientCounts.add(Counter.CAS_UNANSWERED, -chosen.length);
            raised = 0;
            for (int i = 0; i < chosen.length; i++) {
                long found = connection.local().get(WORD, (long) i * Long.BYTES);
                boolean swapped = found == expected[i];
                seen[chosen[i]] = swapped ? found + 1 : found;
                raised += swapped ? 1 : 0;
            }
            clientCounts.add(Counter.CAS_SUCCESSES, raised);
        }

        private void count(long latencyNs) {
            for (int i = 0; i < chosen.length; i++) {
                OperationCounts.operation(clientCounts, true, latencyNs, i == 0 ? 1 : 0);
            }
            clientCounts.add(Counter.REQUESTS, chosen.length);
            clientCounts.add(Counter.PAYLOAD_BYTES, (long) chosen.length * Long.BYTES);
            clientCounts.add(Counter.RETRIES, chosen.length - raised);
        }

        @Override
        public int giveUp(FabricException failure) throws FabricException {
            plan.conditions().check(failure, connection.broken());
            return chosen.length;
        }

        @Override
        public void reconnect() throws FabricException {
            connection.reconnect();
        }
    }
}
