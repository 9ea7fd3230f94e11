package org.reprobe.findorput;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.findorput.FindOrPutSystem.FindOrPutSettings;
import org.reprobe.remote.LoadLoop;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.remote.SampledThreads;
import org.reprobe.sample.SampledInterval;
import org.reprobe.sample.Sampling;
import org.reprobe.system.Counts;
import org.reprobe.system.Settings;
import org.reprobe.workload.Rng;

/** Processes that find and insert data (sections 4.1 and 4.2), one operation at a time; one object serves all. */
public final class FindOrPutWorkload extends SampledThreads {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final Parameters plan;
    private final int chunks;
    private final boolean atomicsOfCard;
    private final double inserts;
    private final Sampling.Conditions conditions;

    /**
     * Workload of all processes of a run.
     *
     * @param maxInserts number of inserts after which a process ends, even before the end of the interval
     * @param coin random bits by operation number, which includes the process
     * @param active true for a process that issues operations, by its index
     */
    public record Parameters(
            Settings settings,
            Settings.Measure measure,
            SharedTable table,
            Supplier<ChunkSize> chunkSize,
            Data data,
            long maxInserts,
            LongUnaryOperator coin,
            IntPredicate active) {}

    /**
     * Data of a run: distinct 63-bit data by number, of which the first {@code loaded} are in the table at the start,
     * and loaded data that processes of this JVM insert before they begin.
     */
    public record Data(LongUnaryOperator numbered, long loaded, Queue<Long> rest) {}

    public FindOrPutWorkload(Parameters plan) {
        // Inserts fill the table, so a longer warm-up would measure a fuller table.
        super(
                plan.settings().clients().total(),
                plan.measure().warmUpNs(),
                plan.measure().durationNs(),
                plan.settings().workload().writes() == 0,
                plan.settings().conditions());
        this.plan = plan;
        this.chunks = plan.settings().section(FindOrPutSettings.class).chunks();
        this.atomicsOfCard = plan.settings().hasCardAtomics();
        this.inserts = plan.settings().workload().writes();
        this.conditions = plan.settings().conditions();
    }

    /**
     * Inserts data 0 to {@code count} - 1 whose home bucket is in this JVM into an empty table, without a network.
     * Returns those whose probe continues in another JVM.
     */
    public static Queue<Long> load(SharedTable table, long count, LongUnaryOperator data) {
        Queue<Long> rest = new ConcurrentLinkedQueue<>();
        for (long i = 0; i < count; i++) {
            long datum = data.applyAsLong(i);
            long home = table.home(datum);
            if (isLocal(table, home) && !load(table, home, SharedTable.bucketOf(datum))) {
                rest.add(datum);
            }
        }
        return rest;
    }

    private static boolean load(SharedTable table, long home, long occupied) {
        for (long bucket = home; isLocal(table, bucket); bucket = bucket + 1 == table.buckets() ? 0 : bucket + 1) {
            MemorySegment memory = table.memories().get(table.machine(bucket));
            long offset = table.offset(bucket);
            if (memory.get(WORD, offset) == 0) {
                memory.set(WORD, offset, occupied);
                return true;
            }
        }
        return false;
    }

    private static boolean isLocal(SharedTable table, long bucket) {
        return table.memories().get(table.machine(bucket)).byteSize() > 0;
    }

    private FindOrPut process(Client client) throws FabricException {
        return new FindOrPut(client, plan.table(), plan.chunkSize().get(), chunks, atomicsOfCard);
    }

    /** Inserts the data that {@link #load} has returned. All other data is in place. */
    private void insertRest(Client client) throws FabricException {
        if (plan.data().rest().isEmpty()) {
            return;
        }
        try (FindOrPut process = process(client)) {
            for (Long datum = plan.data().rest().poll();
                    datum != null;
                    datum = plan.data().rest().poll()) {
                if (process.findOrPut(datum) == FindOrPutResult.FULL) {
                    throw new FabricException(
                            "the table cannot be loaded to this load factor: some data find no free bucket within "
                                    + chunks + " chunks; use more chunks or a lower load-factor");
                }
            }
        }
    }

    @Override
    protected boolean prepare(Client client) throws FabricException {
        insertRest(client);
        return plan.active().test(client.index());
    }

    @Override
    protected void run(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
        new Operating(client, interval, clientCounts).run();
    }

    private final class Operating implements LoadLoop.Operations {
        private final Client client;
        private final Counts clientCounts;
        private final LoadLoop loop;
        private final FindOrPut process;
        /** Numbers of inserts with unknown result: given up after a fault, or refused because the table was full. */
        private final Set<Long> unknown = new HashSet<>();

        private final long first;
        private long operation;
        private long inserted;
        private boolean mayInsert;
        private boolean insert;
        private long number;

        Operating(Client client, SampledInterval interval, Counts clientCounts) throws FabricException {
            this.client = client;
            this.clientCounts = clientCounts;
            this.loop = new LoadLoop(client, interval, clientCounts, 1, LoadLoop.Reporting.AT_END_OF_TURN, this);
            this.process = process(client);
            this.first = (long) (client.index() + 1) << 38;
            this.operation = first;
            // A warm-up in real time is so long that its inserts would change the load factor to be measured.
            this.mayInsert = client.inVirtualTime();
        }

        void run() throws FabricException {
            loop.run();
            process.close();
        }

        @Override
        public void countSoFar(int sign) {
            mayInsert = true;
            clientCounts.add(Counter.REQUESTS, sign * process.requests());
            clientCounts.add(Counter.PAYLOAD_BYTES, sign * process.payloadBytes());
        }

        /** Returns true after {@code maxInserts} inserts of a process; the load on other processes then ends, too. */
        @Override
        public boolean isExhausted() {
            return inserted >= plan.maxInserts();
        }

        @Override
        public int begin(int slot) throws FabricException {
            choose();
            long waits = process.queriesSynchronised();
            FindOrPutResult result;
            try {
                result = process.findOrPut(plan.data().numbered().applyAsLong(number));
            } catch (FabricException failure) {
                conditions.check(failure, process.broken());
                if (insert) {
                    unknown.add(number);
                }
                loop.failed(slot, client.nowNs());
                return 1;
            }
            if (insert && result == FindOrPutResult.FULL) {
                unknown.add(number);
            }
            long latencyNs = loop.ended(slot, client.nowNs(), 1);
            if (latencyNs != LoadLoop.NOT_SAMPLED) {
                count(result, latencyNs, process.queriesSynchronised() - waits);
            }
            return 1;
        }

        /** Chooses the next operation: insert of a new datum, or search of one loaded or inserted by this process. */
        private void choose() {
            do {
                long bits = plan.coin().applyAsLong(operation);
                long known = plan.data().loaded() + inserted;
                insert = known == unknown.size() || (mayInsert && Rng.unit(bits) < inserts);
                if (insert) {
                    number = first + inserted++;
                } else {
                    long at = Math.unsignedMultiplyHigh(plan.coin().applyAsLong(~operation), known);
                    number = at < plan.data().loaded()
                            ? at
                            : first + at - plan.data().loaded();
                }
                operation++;
            } while (!insert && unknown.contains(number));
        }

        private void count(FindOrPutResult result, long latencyNs, long trips) {
            OperationCounts.operation(clientCounts, insert, latencyNs, trips);
            clientCounts.add(Counter.CHUNKS, process.chunksOfLast());
            if (trips > 0) {
                OperationCounts.remote(clientCounts, latencyNs);
            }
            if (result == FindOrPutResult.FULL) {
                OperationCounts.tableFull(clientCounts, trips);
                if (!insert) {
                    clientCounts.add(Counter.OUT_OF_REACH, 1);
                }
            } else if (result != (insert ? FindOrPutResult.INSERTED : FindOrPutResult.FOUND)) {
                clientCounts.wrongAnswer(() -> "client %d's operation %d %s datum %d and got the answer %s"
                        .formatted(
                                client.index(),
                                operation - 1 - first,
                                insert ? "inserted" : "searched",
                                plan.data().numbered().applyAsLong(number),
                                result));
            }
        }
    }
}
