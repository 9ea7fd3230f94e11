package org.reprobe.remote;

import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.system.WatchedLookups;
import org.reprobe.system.Workload;
import org.reprobe.workload.NamedWorkload.Writes;
import org.reprobe.workload.Rng;

/** Workload of clients that read and write a remote table, one operation at a time. One object serves all clients. */
public final class KeyValueWorkload extends SampledThreads implements WatchedLookups {
    private final Parameters plan;

    @FunctionalInterface
    public interface Connector {
        KeyValueClient connect(Client client) throws FabricException;
    }

    /**
     * Parameters of all clients of a run.
     *
     * @param keys loaded keys; the value of a key contains the key
     * @param writes fraction of writes, 0 to 1
     * @param latest true to read {@link LatestKeys} instead of {@code choice}
     * @param choice function from an operation's number, which includes the client, to the ordinal of a loaded key
     * @param coin function from the same number to random bits
     * @param fresh absent keys by number, for inserts
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Parameters(
            Connector connector,
            long[] keys,
            double writes,
            Writes kind,
            boolean latest,
            long seed,
            LongUnaryOperator choice,
            LongUnaryOperator coin,
            LongUnaryOperator fresh,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    public KeyValueWorkload(Parameters plan, int clients) {
        // Inserts fill the table, so a longer warm-up would measure a fuller table.
        boolean prolongs = plan.writes() == 0 || plan.kind() != Writes.INSERT;
        super(clients, plan.warmUpNs(), plan.durationNs(), prolongs, plan.conditions());
        this.plan = plan;
    }

    @Override
    public long records() {
        return plan.keys().length;
    }

    @Override
    public long key(long ordinal) {
        return plan.keys()[(int) ordinal];
    }

    @Override
    public long value(long ordinal) {
        return key(ordinal);
    }

    @Override
    public Workload watchedBy(Listener listener) {
        return new WatchedReads(plan, threads(), listener);
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
        new Operating(client, interval, clientCounts).run();
    }

    private final class Operating implements LoadLoop.Operations {
        private final Client client;
        private final KeyValueClient table;
        private final Counts clientCounts;
        private final LoadLoop loop;
        private final long operationPs;
        private long operation;
        private long freshKeys;
        private final @Nullable LatestKeys latest;
        private long key;
        private boolean write;
        private boolean modify;
        private boolean found;
        private OperationResult result = OperationResult.DONE;
        private long trips;

        Operating(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
            this.client = client;
            this.table = plan.connector().connect(client);
            this.clientCounts = clientCounts;
            this.loop = new LoadLoop(client, interval, clientCounts, 1, LoadLoop.Reporting.AT_END_OF_TURN, this);
            this.operationPs = client.cpuCosts().operationPs();
            this.operation = (long) client.index() << 40;
            this.freshKeys = operation;
            this.latest = plan.latest()
                    ? new LatestKeys(plan.keys().length, number -> plan.keys()[(int) number], plan.seed())
                    : null;
        }

        void run() throws FabricException {
            loop.run();
            table.close();
        }

        @Override
        public int begin(int slot) throws FabricException {
            operate();
            long latencyNs = loop.ended(slot, client.nowNs(), 1);
            if (latencyNs != LoadLoop.NOT_SAMPLED) {
                count(latencyNs);
            }
            return 1;
        }

        private void operate() throws FabricException {
            client.spendCpu(operationPs);
            boolean reads = Rng.unit(plan.coin().applyAsLong(operation)) >= plan.writes();
            write = !reads && plan.kind() != Writes.READ_MODIFY_WRITE;
            modify = !reads && !write;
            key = key();
            operation++;
            trips = table.roundTrips();
            result = write ? table.write(key, key) : table.read(key);
            found = write || (result == OperationResult.DONE && table.firstWord() == key);
            if (modify && found) {
                result = table.write(key, table.firstWord());
            }
            if (latest != null && write && result == OperationResult.DONE) {
                latest.add(key);
            }
        }

        private long key() {
            if (write && plan.kind() == Writes.INSERT) {
                return plan.fresh().applyAsLong(freshKeys++);
            }
            return latest == null ? plan.keys()[(int) plan.choice().applyAsLong(operation)] : latest.key(operation);
        }

        private void count(long latencyNs) {
            trips = table.roundTrips() - trips;
            if (modify) {
                OperationCounts.readModifyWrite(clientCounts, latencyNs, trips);
            } else {
                OperationCounts.operation(clientCounts, write, latencyNs, trips);
            }
            if (write && result == OperationResult.FULL) {
                OperationCounts.tableFull(clientCounts, trips);
            } else if (result != OperationResult.DONE || !found) {
                clientCounts.wrongAnswer(this::wrongAnswer);
            }
        }

        private String wrongAnswer() {
            return "client %d's operation %d %s key %d and %s"
                    .formatted(
                            client.index(),
                            operation - ((long) client.index() << 40),
                            write ? "wrote" : modify ? "read and wrote" : "read",
                            key,
                            switch (result) {
                                case ABSENT -> "did not find it, though it is in the table";
                                case FULL -> "found the table full, though the key is in it";
                                case GAVE_UP -> "gave up after many attempts";
                                case DONE -> "got value " + table.firstWord() + ", which is another key's";
                            });
        }

        @Override
        public void countSoFar(int sign) {
            clientCounts.add(Counter.REQUESTS, sign * table.requests());
            clientCounts.add(Counter.PAYLOAD_BYTES, sign * table.payloadBytes());
            clientCounts.add(Counter.RETRIES, sign * table.retries());
            clientCounts.add(Counter.MIGRATIONS, sign * table.migrations());
            clientCounts.add(Counter.SPLITS, sign * table.splits());
            clientCounts.add(Counter.SPLIT_NS, sign * table.splitNs());
            clientCounts.add(Counter.RPCS, sign * table.serverCalls());
            clientCounts.add(Counter.ACCESS_DENIED, sign * table.refusals());
            clientCounts.add(Counter.PROBES, sign * table.probes());
        }

        @Override
        public int giveUp(FabricException failure) throws FabricException {
            plan.conditions().check(failure, table.connection().broken());
            return 1;
        }

        @Override
        public void reconnect() throws FabricException {
            operation++; // each attempt counts as a failed operation
            table.reconnect();
        }
    }
}
