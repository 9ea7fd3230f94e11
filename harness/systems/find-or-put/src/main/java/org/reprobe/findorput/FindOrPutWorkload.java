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
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.system.Workload;
import org.reprobe.workload.Rng;

/** Processes that find and insert (sections 4.1 and 4.2), one operation after the other. One object serves all of a run. */
public final class FindOrPutWorkload implements Workload {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final Parameters plan;
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /**
     * What all processes of a run do.
     *
     * @param chunkSize makes each process' C
     * @param chunks M
     * @param loaded how many data are in the table from the start: {@link #load}
     * @param rest those of them that the processes here have to insert first
     * @param atomicsOfCard as for {@link FindOrPut}
     * @param inserts share of the operations that insert, 0 to 1; the others find what is there
     * @param maxInserts after how many of its inserts a process ends, whatever the time
     * @param data different 63-bit data, by number: the loaded ones are 0 to {@code loaded} - 1
     * @param coin random bits of a process's and an operation's number
     * @param active whether a process does something, by its index
     * @param conditions whether its course is kept, and whether processes go on after a lost connection
     */
    public record Parameters(
            SharedTable table,
            Supplier<ChunkSize> chunkSize,
            int chunks,
            boolean atomicsOfCard,
            long loaded,
            Queue<Long> rest,
            double inserts,
            long maxInserts,
            LongUnaryOperator data,
            LongUnaryOperator coin,
            IntPredicate active,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    public FindOrPutWorkload(Parameters plan, int processes) {
        this.plan = plan;
        this.counts = new Counts[processes];
        // Inserts fill the table: a longer warm-up would measure a fuller one.
        this.sampling = new Sampling(plan.warmUpNs(), plan.durationNs(), plan.inserts() == 0, 0, plan.conditions());
    }

    @Override
    public Counts counts() {
        return OperationCounts.sum(counts);
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
        return new FindOrPut(client, plan.table(), plan.chunkSize().get(), plan.chunks(), plan.atomicsOfCard());
    }

    /** What was loaded elsewhere stands where it stands by now. */
    private void insertRest(Client client) throws FabricException {
        if (plan.rest().isEmpty()) {
            return;
        }
        try (FindOrPut process = process(client)) {
            for (Long datum = plan.rest().poll();
                    datum != null;
                    datum = plan.rest().poll()) {
                if (process.findOrPut(datum) == FindOrPutResult.FULL) {
                    throw new FabricException("the table can't be loaded so far: within " + plan.chunks()
                            + " chunks no bucket is free for some; use more chunks or a lower load-factor");
                }
            }
        }
    }

    /** Adds what a process has counted so far, or takes it away. */
    private static void count(FindOrPut process, Counts counts, int sign) {
        counts.add(Counter.REQUESTS, sign * process.requests());
        counts.add(Counter.PAYLOAD_BYTES, sign * process.payloadBytes());
    }

    @Override
    public void run(Client client) throws FabricException {
        insertRest(client);
        if (!plan.active().test(client.index())) {
            client.barrier();
            return; // its machine serves
        }
        FindOrPut process = process(client);
        SampledInterval interval = sampling.join(client);
        Counts mine = OperationCounts.none();
        counts[client.index()] = mine;
        try {
            operate(client, process, interval, mine);
            process.close();
        } finally {
            // A fault has ended it: the others don't wait for its sample.
            if (interval.abandon()) {
                count(process, mine, 1);
                mine.sampled(interval, 0);
            }
        }
    }

    private void operate(Client client, FindOrPut process, SampledInterval interval, Counts mine)
            throws FabricException {
        client.barrier();
        // Inserts that were given up, which may have taken effect or not, and those that found the table full.
        Set<Long> unknown = new HashSet<>();
        long first = (long) (client.index() + 1) << 38;
        long inserted = 0;
        interval.start(client.nowNs());
        for (long operation = first; ; operation++) {
            long beganNs = client.nowNs();
            if (interval.begins(beganNs)) {
                count(process, mine, -1);
            } else if (interval.ends(beganNs)
                    || (interval.counts() && inserted >= plan.maxInserts() && interval.end(beganNs))) {
                count(process, mine, 1);
                mine.sampled(interval, 0);
                interval.sampleEnded();
            }
            // Nothing is left to insert for who has inserted all that is his: he can't keep up the load of the others.
            if (interval.runIsOver() || (interval.isOver() && inserted >= plan.maxInserts())) {
                return;
            }
            long bits = plan.coin().applyAsLong(operation);
            // A process finds what was loaded or what it has inserted itself.
            long known = plan.loaded() + inserted;
            // A real warm-up is so long that it would fill the part of the table that is to be measured.
            boolean mayInsert = interval.hasBegun() || client.inVirtualTime();
            boolean insert = known == unknown.size() || (mayInsert && Rng.unit(bits) < plan.inserts());
            long number;
            if (insert) {
                number = first + inserted++;
            } else {
                long at = Math.unsignedMultiplyHigh(plan.coin().applyAsLong(~operation), known);
                number = at < plan.loaded() ? at : first + at - plan.loaded();
            }
            if (!insert && unknown.contains(number)) {
                continue;
            }
            long waits = process.queriesSynchronised();
            FindOrPutResult result;
            try {
                result = process.findOrPut(plan.data().applyAsLong(number));
            } catch (FabricException lost) {
                if (!plan.conditions().explain(lost, process.broken())) {
                    throw lost;
                }
                if (insert) {
                    unknown.add(number);
                }
                interval.failed(client.nowNs(), 1);
                continue;
            }
            if (insert && result == FindOrPutResult.FULL) {
                unknown.add(number);
            }
            long endNs = client.nowNs();
            interval.did(beganNs, endNs, 1);
            if (!interval.counts()) {
                continue;
            }
            long ns = endNs - beganNs;
            long trips = process.queriesSynchronised() - waits;
            OperationCounts.operation(mine, insert, ns, trips);
            mine.add(Counter.CHUNKS, process.chunksOfLast());
            if (trips > 0) {
                OperationCounts.remote(mine, ns);
            }
            if (result == FindOrPutResult.FULL) {
                OperationCounts.tableFull(mine, trips);
                if (!insert) {
                    mine.add(Counter.OUT_OF_REACH, 1);
                }
            } else if (result != (insert ? FindOrPutResult.INSERTED : FindOrPutResult.FOUND)) {
                long datum = plan.data().applyAsLong(number);
                long which = operation - first;
                mine.wrongAnswer(() -> "client %d's operation %d %s datum %d and got the answer %s"
                        .formatted(client.index(), which, insert ? "inserted" : "searched", datum, result));
            }
        }
    }
}
