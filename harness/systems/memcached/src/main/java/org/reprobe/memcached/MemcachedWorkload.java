package org.reprobe.memcached;

import com.spotify.folsom.MemcacheStatus;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.LoadLoop;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.SampledThreads;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.workload.Rng;

/** Clients with a fixed number of gets, multi-gets or sets in flight; one object serves all clients of a run. */
final class MemcachedWorkload extends SampledThreads {
    /** Interval in milliseconds at which a client without replies reads the clock. */
    private static final long LOOK_MS = 1;

    private final Parameters plan;

    /**
     * Workload of all clients of a run.
     *
     * @param getKeys number of keys per get
     * @param readFirst true if an operation gets a record before it sets it (read-modify-write)
     * @param choice ordinal of the next record, by record number, which includes the client
     * @param coin random bits by operation number, which includes the client
     */
    record Parameters(
            ServerAddress server,
            Records records,
            int inFlight,
            int getKeys,
            double writes,
            boolean readFirst,
            LongUnaryOperator choice,
            LongUnaryOperator coin,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    MemcachedWorkload(Parameters plan, int clients) {
        super(clients, plan.warmUpNs(), plan.durationNs(), plan.conditions());
        this.plan = plan;
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
        try (Connection connection = new Connection(plan.server(), plan.inFlight())) {
            new Requesting(client, connection, interval, clientCounts).loop.run();
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static FabricException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new FabricException("the run was ended", e);
    }

    /** Completed operation; passed from the thread of the connection to that of the client. */
    private record Ended(
            Operation operation,
            @Nullable Object answer,
            @Nullable Throwable failure) {}

    private final class Operation {
        final int slot;
        final long[] ordinals = new long[plan.getKeys()];
        boolean set;
        /** True for read-modify-write: a get that is followed by a set. */
        boolean modify;

        boolean wrong;

        Operation(int slot) {
            this.slot = slot;
        }

        int records() {
            return set || modify ? 1 : ordinals.length;
        }

        /** Returns true if a reply is correct. */
        boolean isRight(@Nullable Object answer) {
            if (set) {
                return answer == MemcacheStatus.OK;
            }
            if (records() == 1) {
                return plan.records().isValue((byte[]) answer, ordinals[0]);
            }
            if (!(answer instanceof List<?> values) || values.size() != ordinals.length) {
                return false;
            }
            for (int i = 0; i < ordinals.length; i++) {
                if (!plan.records().isValue((byte[]) values.get(i), ordinals[i])) {
                    return false;
                }
            }
            return true;
        }
    }

    private final class Requesting implements LoadLoop.Operations {
        private final Client client;
        private final Connection connection;
        private final Counts clientCounts;
        private final LoadLoop loop;
        private final BlockingQueue<Ended> ended = new ArrayBlockingQueue<>(plan.inFlight());
        private final Operation[] operations = new Operation[plan.inFlight()];
        private long operation;
        private long record;

        Requesting(Client client, Connection connection, SampledInterval interval, Counts clientCounts) {
            this.client = client;
            this.connection = connection;
            this.clientCounts = clientCounts;
            this.loop = new LoadLoop(
                    client, interval, clientCounts, plan.inFlight(), LoadLoop.Reporting.AFTER_BEGINNING, this);
            this.operation = (long) client.index() << 40;
            this.record = operation;
            for (int i = 0; i < plan.inFlight(); i++) {
                operations[i] = new Operation(i);
            }
        }

        @Override
        public int begin(int slot) {
            Operation next = operations[slot];
            boolean writes = Rng.unit(plan.coin().applyAsLong(operation++)) < plan.writes();
            next.set = writes && !plan.readFirst();
            next.modify = writes && plan.readFirst();
            next.wrong = false;
            for (int i = 0; i < next.records(); i++) {
                next.ordinals[i] = plan.choice().applyAsLong(record++);
            }
            Records records = plan.records();
            String key = records.key(next.ordinals[0]);
            if (next.set) {
                set(next);
            } else if (next.records() == 1) {
                connection.get(key).whenComplete((value, why) -> end(next, value, why));
            } else {
                List<String> keys = new ArrayList<>(next.ordinals.length);
                for (long ordinal : next.ordinals) {
                    keys.add(records.key(ordinal));
                }
                connection.get(keys).whenComplete((values, why) -> end(next, values, why));
            }
            return next.records();
        }

        private void set(Operation next) {
            Records records = plan.records();
            long ordinal = next.ordinals[0];
            connection
                    .set(records.key(ordinal), records.value(ordinal))
                    .whenComplete((done, why) -> end(next, done, why));
        }

        private void end(Operation operation, @Nullable Object answer, @Nullable Throwable failure) {
            ended.add(new Ended(operation, answer, failure)); // the queue has room for all operations in flight
        }

        /** Processes all replies that have arrived, after waiting up to {@link #LOOK_MS} for the first. */
        @Override
        public void advance(long nowNs) throws FabricException {
            try {
                Ended next = ended.poll(LOOK_MS, TimeUnit.MILLISECONDS);
                while (next != null) {
                    take(next);
                    next = ended.poll();
                }
            } catch (InterruptedException e) {
                throw interrupted(e);
            }
        }

        private void take(Ended done) throws FabricException {
            if (done.failure() != null) {
                throw connection.lost(done.failure());
            }
            Operation operation = done.operation();
            operation.wrong |= !operation.isRight(done.answer());
            if (operation.modify && !operation.set) {
                operation.set = true;
                set(operation);
                return;
            }
            long latencyNs = loop.ended(operation.slot, client.nowNs(), operation.records());
            if (operation.wrong) {
                clientCounts.wrongAnswer(() -> "client %d %s %s and got a wrong reply"
                        .formatted(
                                client.index(),
                                operation.modify ? "got and set" : operation.set ? "set" : "got",
                                plan.records().key(operation.ordinals[0])));
            }
            if (latencyNs != LoadLoop.NOT_SAMPLED) {
                if (operation.modify) {
                    OperationCounts.readModifyWrite(clientCounts, latencyNs, 2);
                } else if (operation.set) {
                    OperationCounts.operation(clientCounts, true, latencyNs, 1);
                } else {
                    OperationCounts.reads(clientCounts, operation.records(), latencyNs, 1);
                }
                int requests = operation.modify ? 2 : 1;
                clientCounts.add(Counter.REQUESTS, requests);
                clientCounts.add(
                        Counter.PAYLOAD_BYTES,
                        (long) requests * operation.records() * plan.records().valueBytes());
            }
        }
    }
}
