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

/** Processes that find and insert (sections 4.1 and 4.2), one operation after the other. One object serves all of a run. */
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
     * @param measure warm-up and interval
     * @param chunkSize returns the C of a new process
     * @param maxInserts inserts after which a process ends, whatever the time
     * @param coin random bits by the number of a process and an operation
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
     * Data of a run.
     *
     * @param numbered distinct 63-bit data, by number: the loaded ones are 0 to {@code loaded} - 1
     * @param loaded number of data in the table at the start: {@link #load}
     * @param rest loaded data that the processes here insert first
     */
    public record Data(LongUnaryOperator numbered, long loaded, Queue<Long> rest) {}

    public FindOrPutWorkload(Parameters plan) {
        // Inserts fill the table: a longer warm-up would measure a fuller one.
        super(
                plan.settings().clients().total(),
                plan.measure().warmUpNs(),
                plan.measure().durationNs(),
                plan.settings().workload().writes() == 0,
                plan.settings().conditions());
        this.plan = plan;
        this.chunks = plan.settings().section(FindOrPutSettings.class).chunks();
        this.atomicsOfCard = plan.settings().hasAtomicsOfItsOwn();
        this.inserts = plan.settings().workload().writes();
        this.conditions = plan.settings().conditions();
    }

    /**
     * Inserts data 0 to {@code count} - 1 into an empty table, without a network: those whose places are on machines of this
     * process, as far as they find a bucket there.
     *
     * @return the rest: data whose first bucket is here, but which run over into another process' part
     */
    public static Queue<Long> load(SharedTable table, long count, LongUnaryOperator data) {
        Queue<Long> rest = new ConcurrentLinkedQueue<>();
        for (long i = 0; i < count; i++) {
            long datum = data.applyAsLong(i);
            long home = table.home(datum);
            if (isHere(table, home) && !load(table, home, SharedTable.bucketOf(datum))) {
                rest.add(datum);
            }
        }
        return rest;
    }

    private static boolean load(SharedTable table, long home, long occupied) {
        for (long bucket = home; isHere(table, bucket); bucket = bucket + 1 == table.buckets() ? 0 : bucket + 1) {
            MemorySegment memory = table.memories().get(table.machine(bucket));
            long offset = table.offset(bucket);
            if (memory.get(WORD, offset) == 0) {
                memory.set(WORD, offset, occupied);
                return true;
            }
        }
        return false;
    }

    private static boolean isHere(SharedTable table, long bucket) {
        return table.memories().get(table.machine(bucket)).byteSize() > 0;
    }

    private FindOrPut process(Client client) throws FabricException {
        return new FindOrPut(client, plan.table(), plan.chunkSize().get(), chunks, atomicsOfCard);
    }

    /** Inserts the loaded data that did not fit into this process's part of the table; data of other processes is in place. */
    private void insertRest(Client client) throws FabricException {
        if (plan.data().rest().isEmpty()) {
            return;
        }
        try (FindOrPut process = process(client)) {
            for (Long datum = plan.data().rest().poll();
                    datum != null;
                    datum = plan.data().rest().poll()) {
                if (process.findOrPut(datum) == FindOrPutResult.FULL) {
                    throw new FabricException("the table can't be loaded so far: within " + chunks
                            + " chunks no bucket is free for some; use more chunks or a lower load-factor");
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
    protected void run(Client client, SampledInterval interval, Counts mine) throws FabricException {
        new Operating(client, interval, mine).run();
    }

    /** One process. */
    private final class Operating implements LoadLoop.Operations {
        private final Client client;
        private final Counts mine;
        private final LoadLoop loop;
        private final FindOrPut process;
        /** Inserts that were given up, which may have taken effect or not, and those that found the table full. */
        private final Set<Long> unknown = new HashSet<>();

        private final long first;
        private long operation;
        private long inserted;
        private boolean mayInsert;
        private boolean insert;
        private long number;

        Operating(Client client, SampledInterval interval, Counts mine) throws FabricException {
            this.client = client;
            this.mine = mine;
            this.loop = new LoadLoop(client, interval, mine, 1, LoadLoop.Reporting.AT_END_OF_TURN, this);
            this.process = process(client);
            this.first = (long) (client.index() + 1) << 38;
            this.operation = first;
            // A real warm-up is so long that it would fill the part of the table that is to be measured.
            this.mayInsert = client.inVirtualTime();
        }

        void run() throws FabricException {
            loop.run();
            process.close();
        }

        @Override
        public void countSoFar(int sign) {
            mayInsert = true;
            mine.add(Counter.REQUESTS, sign * process.requests());
            mine.add(Counter.PAYLOAD_BYTES, sign * process.payloadBytes());
        }

        /** Returns true once the process has inserted all that it may: then it can't keep up the load of other processes either. */
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

        /** Chooses the next operation: of a new datum, or of one that was loaded or that the process has inserted itself. */
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
            OperationCounts.operation(mine, insert, latencyNs, trips);
            mine.add(Counter.CHUNKS, process.chunksOfLast());
            if (trips > 0) {
                OperationCounts.remote(mine, latencyNs);
            }
            if (result == FindOrPutResult.FULL) {
                OperationCounts.tableFull(mine, trips);
                if (!insert) {
                    mine.add(Counter.OUT_OF_REACH, 1);
                }
            } else if (result != (insert ? FindOrPutResult.INSERTED : FindOrPutResult.FOUND)) {
                mine.wrongAnswer(() -> "client %d's operation %d %s datum %d and got the answer %s"
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
