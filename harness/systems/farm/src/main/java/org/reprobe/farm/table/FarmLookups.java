package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.SampledInterval;
import org.reprobe.fabric.Sampling;
import org.reprobe.farm.messages.QueuePairSharing;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.system.WatchedLookups;
import org.reprobe.system.Workload;

/**
 * Threads that look keys up, each several at a time (FaRM 2014, section 3.6): by one-sided READs, or in their own machine's memory. One
 * object serves all threads of a run.
 */
public final class FarmLookups implements WatchedLookups {
    private static final long[] NOTHING = {};

    private final Parameters plan;
    private final @Nullable Listener listener;
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /**
     * What all threads of a run do.
     *
     * @param regions the table's
     * @param memories the same, as this process has them; empty where they are another process's
     * @param inFlight lookups that a thread has under way
     * @param outstandingReads READs in flight on a queue pair
     * @param choice which record a lookup is for, from its number: an ordinal
     * @param localPs what a lookup in the own machine's memory takes the CPU; 0 for what any lookup takes
     */
    public record Parameters(
            FarmTable table,
            List<RemoteRegion> regions,
            List<MemorySegment> memories,
            int inFlight,
            int outstandingReads,
            QueuePairSharing sharing,
            LongUnaryOperator choice,
            long localPs,
            long warmUpNs,
            long durationNs,
            Sampling.Conditions conditions) {}

    public FarmLookups(Parameters plan, int clients) {
        this(plan, clients, null);
    }

    private FarmLookups(Parameters plan, int clients, @Nullable Listener listener) {
        this.plan = plan;
        this.listener = listener;
        this.counts = new Counts[clients];
        this.sampling = new Sampling(plan.warmUpNs(), plan.durationNs(), true, 0, plan.conditions());
    }

    @Override
    public Counts counts() {
        return OperationCounts.sum(counts);
    }

    @Override
    public long records() {
        return plan.table().records();
    }

    @Override
    public long key(long ordinal) {
        return plan.table().key(ordinal);
    }

    @Override
    public long value(long ordinal) {
        return ordinal;
    }

    /** They also ask for keys that no record has: those that follow the records'. */
    @Override
    public Workload watchedBy(Listener listener) {
        return new FarmLookups(plan, counts.length, listener);
    }

    @Override
    public void run(Client client) throws FabricException {
        Looker looker = new Looker(client);
        counts[client.index()] = looker.mine;
        SampledInterval interval = sampling.join(client);
        try {
            looker.run(interval);
            looker.close();
        } finally {
            boolean counts = interval.counts();
            interval.abandon();
            if (counts) {
                looker.mine.sampled(interval, looker.sampledUnderWay);
            }
        }
    }

    /** Bytes of local memory of a thread. */
    public static long localBytes(BucketLayout layout, int inFlight) {
        return inFlight * (long) TableSearch.bufferBytes(layout);
    }

    /** One lookup under way. */
    private static final class Lookup extends TableSearch.Lookup {
        private long ordinal;
        private int reads;
        private long beganNs;
        private boolean sampled;
    }

    /** One thread. */
    private final class Looker {
        private final Client client;
        private final FarmTable table = plan.table();
        private final TableSearch search;
        private final Lookup[] lookups = new Lookup[plan.inFlight()];
        private final MemorySegment local;
        private final int bufferBytes = TableSearch.bufferBytes(table.layout());
        private final @Nullable QueuePair[] connections = new QueuePair[table.machines()];
        private final Completions completions = new Completions(plan.inFlight());
        private final Counts mine = OperationCounts.none();
        private final int[] free = new int[plan.inFlight()];
        private int freeCount;
        private int sampledUnderWay;
        private long number;

        Looker(Client client) throws FabricException {
            this.client = client;
            this.search = new TableSearch(table, client);
            this.local = client.allocate(localBytes(table.layout(), plan.inFlight()));
            this.number = (long) client.index() << 40;
            ConnectionOptions options =
                    plan.sharing().options(client.index(), plan.inFlight(), plan.outstandingReads());
            for (int machine = 0; machine < connections.length; machine++) {
                if (!client.isLocal(machine)) {
                    connections[machine] = client.connect(machine, local, options);
                }
            }
            for (int i = 0; i < lookups.length; i++) {
                lookups[i] = new Lookup();
                free[freeCount++] = i;
            }
        }

        void run(SampledInterval interval) throws FabricException {
            client.barrier();
            long nowNs = client.nowNs();
            interval.start(nowNs, SampledInterval.Observer.NONE);
            long lastNs = nowNs;
            while (true) {
                interval.step(nowNs);
                boolean over = interval.isDone(nowNs, sampledUnderWay);
                if (over && freeCount == lookups.length) {
                    mine.sampled(interval, 0);
                    return;
                }
                int begun = 0;
                for (int n = over ? 0 : freeCount; n > 0; n--) {
                    begin(free[--freeCount], interval);
                    begun++;
                }
                if (freeCount < lookups.length) {
                    int count = client.await(completions);
                    for (int i = 0; i < count; i++) {
                        if (completions.status(i) != Status.SUCCESS) {
                            throw completions.status(i).exception("a lookup's READ");
                        }
                        int slot = (int) completions.id(i);
                        if (search.goOn(lookups[slot], local, (long) slot * bufferBytes)) {
                            finish(slot, interval);
                        } else {
                            post(slot);
                        }
                    }
                }
                nowNs = client.nowNs();
                interval.began(lastNs, nowNs, begun);
                lastNs = nowNs;
            }
        }

        private void begin(int slot, SampledInterval interval) throws FabricException {
            Lookup lookup = lookups[slot];
            lookup.beganNs = client.nowNs();
            lookup.sampled = interval.counts();
            sampledUnderWay += lookup.sampled ? 1 : 0;
            lookup.ordinal = plan.choice().applyAsLong(number++);
            if (listener != null && (number & 3) == 0) {
                lookup.ordinal += table.records();
            }
            lookup.reads = 0;
            search.begin(lookup, table.key(lookup.ordinal));
            if (connections[lookup.machine()] != null) {
                client.spendCpu(client.cpuCosts().operationPs());
                post(slot);
                return;
            }
            client.spendCpu(plan.localPs() == 0 ? client.cpuCosts().operationPs() : plan.localPs());
            lookup.reads = search.searchHere(lookup, plan.memories());
            finish(slot, interval);
        }

        private void post(int slot) throws FabricException {
            Lookup lookup = lookups[slot];
            QueuePair connection = Objects.requireNonNull(connections[lookup.machine()]);
            RemoteRegion region = plan.regions().get(lookup.region());
            connection.read(
                    slot,
                    (long) slot * bufferBytes,
                    region.address() + lookup.offset(),
                    region.key(),
                    lookup.bytes(),
                    true);
            connection.doorbell();
            lookup.reads++;
            if (lookup.sampled) {
                mine.add(Counter.REQUESTS, 1);
                mine.add(Counter.PAYLOAD_BYTES, lookup.bytes());
            }
        }

        private void finish(int slot, SampledInterval interval) {
            Lookup lookup = lookups[slot];
            long nowNs = client.nowNs();
            interval.ended(lookup.beganNs, nowNs, 1);
            if (listener != null) {
                listener.answered(client.index(), lookup.key(), lookup.found() ? new long[] {lookup.ordinal} : NOTHING);
            }
            if (lookup.sampled) {
                sampledUnderWay--;
                long latencyNs = nowNs - lookup.beganNs;
                OperationCounts.operation(mine, false, latencyNs, lookup.reads);
                mine.add(Counter.LOOKUP_READS, lookup.reads);
                mine.add(Counter.RETRIES, lookup.retries());
                if (connections[lookup.machine()] != null) {
                    OperationCounts.remote(mine, latencyNs);
                }
                if (!lookup.found() && listener == null) {
                    mine.wrongAnswer(() -> "client %d looked up record %d and did not find it"
                            .formatted(client.index(), lookup.ordinal));
                }
            }
            free[freeCount++] = slot;
        }

        void close() {
            for (QueuePair connection : connections) {
                if (connection != null) {
                    connection.close();
                }
            }
        }
    }
}
