package org.reprobe.farm;

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
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.system.WatchedLookups;
import org.reprobe.system.Workload;

/**
 * Threads that look keys up, each several at a time (FaRM 2014, section 3.6): by one-sided READs, or in their own machine's memory. One
 * object serves all threads of a run.
 */
final class FarmLookups implements WatchedLookups {
    private static final long[] NOTHING = {};

    private final Parameters plan;
    private final @Nullable Listener listener;
    private final @Nullable Counts[] counts;
    private final Sampling sampling;

    /**
     * What all threads of a run do.
     *
     * @param regions each machine's
     * @param memories the same, as this process has them; empty for another process's
     * @param inFlight lookups that a thread has under way
     * @param outstandingReads READs in flight on a queue pair
     * @param choice which record a lookup is for, from its number: an ordinal
     * @param localPs what a lookup in the own machine's memory takes the CPU; 0 for what any lookup takes
     */
    record Parameters(
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

    FarmLookups(Parameters plan, int clients) {
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
            if (interval.abandon()) {
                looker.mine.sampled(interval, looker.sampledUnderWay);
            }
        }
    }

    /** Bytes of local memory of a thread. */
    static long localBytes(BucketLayout layout, int inFlight) {
        return inFlight * (long) bufferBytes(layout);
    }

    /** Whole cache lines for the longest READ: two buckets, a block or a value. */
    private static int bufferBytes(BucketLayout layout) {
        int value = layout.inline() ? 0 : layout.value().bytes();
        int longest =
                Math.max(2 * layout.bucket().bytes(), Math.max(layout.block().bytes(), value));
        return (longest + ObjectLayout.LINE_BYTES - 1) / ObjectLayout.LINE_BYTES * ObjectLayout.LINE_BYTES;
    }

    /** What a lookup reads next. */
    private enum Step {
        BUCKETS,
        BLOCK,
        VALUE
    }

    /** One lookup under way. */
    private static final class Lookup {
        private long ordinal;
        private long key;
        private int machine;
        private Step step = Step.BUCKETS;
        private long offset;
        private int bytes;
        private long incarnation;
        private int reads;
        private long beganNs;
        private boolean sampled;
        private boolean found;
    }

    /** One thread. */
    private final class Looker {
        private final Client client;
        private final FarmTable table = plan.table();
        private final BucketLayout layout = table.layout();
        private final ObjectLayout bucketObject = layout.bucket();
        private final ObjectLayout blockObject = layout.block();
        private final ObjectLayout valueObject = layout.value();
        private final Lookup[] lookups = new Lookup[plan.inFlight()];
        private final MemorySegment local;
        private final int bufferBytes = FarmLookups.bufferBytes(layout);
        private final @Nullable QueuePair[] connections = new QueuePair[table.machines()];
        private final Completions completions = new Completions(plan.inFlight());
        private final Counts mine = OperationCounts.none();
        private final MemorySegment bucket = payload(bucketObject);
        private final MemorySegment nextBucket = payload(bucketObject);
        private final MemorySegment block = payload(blockObject);
        private final MemorySegment value = payload(valueObject);
        private final int[] free = new int[plan.inFlight()];
        private int freeCount;
        private int sampledUnderWay;
        private long number;

        Looker(Client client) throws FabricException {
            this.client = client;
            this.local = client.allocate(localBytes(layout, plan.inFlight()));
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

        private static MemorySegment payload(ObjectLayout object) {
            return MemorySegment.ofArray(new byte[object.payloadBytes()]);
        }

        void run(SampledInterval interval) throws FabricException {
            client.barrier();
            long nowNs = client.nowNs();
            interval.start(nowNs);
            long lastNs = nowNs;
            while (true) {
                interval.begins(nowNs);
                interval.ends(nowNs);
                if (interval.isOver() && sampledUnderWay == 0) {
                    interval.sampleEnded();
                }
                boolean over = interval.runIsOver();
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
                        if (goOn(lookups[slot], local, (long) slot * bufferBytes)) {
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
            lookup.key = table.key(lookup.ordinal);
            lookup.machine = table.machine(lookup.key);
            lookup.reads = 0;
            readBuckets(lookup);
            if (connections[lookup.machine] != null) {
                client.spendCpu(client.cpuCosts().operationPs());
                post(slot);
                return;
            }
            client.spendCpu(plan.localPs() == 0 ? client.cpuCosts().operationPs() : plan.localPs());
            boolean done = false;
            while (!done) {
                client.accesses(lookup.bytes);
                lookup.reads++;
                done = goOn(lookup, plan.memories().get(lookup.machine), lookup.offset);
            }
            finish(slot, interval);
        }

        private void post(int slot) throws FabricException {
            Lookup lookup = lookups[slot];
            QueuePair connection = Objects.requireNonNull(connections[lookup.machine]);
            RemoteRegion region = plan.regions().get(lookup.machine);
            connection.read(
                    slot,
                    (long) slot * bufferBytes,
                    region.address() + lookup.offset,
                    region.key(),
                    lookup.bytes,
                    true);
            connection.doorbell();
            lookup.reads++;
            if (lookup.sampled) {
                mine.add(Counter.REQUESTS, 1);
                mine.add(Counter.PAYLOAD_BYTES, lookup.bytes);
            }
        }

        private void readBuckets(Lookup lookup) {
            lookup.step = Step.BUCKETS;
            lookup.found = false;
            lookup.offset = table.bucketOffset(table.bucket(lookup.key));
            lookup.bytes = 2 * bucketObject.bytes();
        }

        /** Looks at what was read; whether the lookup has its answer. Else it knows what it reads next. */
        private boolean goOn(Lookup lookup, MemorySegment from, long at) {
            return switch (lookup.step) {
                case BUCKETS -> searchBuckets(lookup, from, at);
                case BLOCK -> searchBlock(lookup, from, at);
                case VALUE -> {
                    if (!isMeant(lookup, from, at) || !valueObject.read(from, at, lookup.offset, value)) {
                        yield again(lookup);
                    }
                    lookup.found = table.isValue(value, 0, lookup.key);
                    yield true;
                }
            };
        }

        private boolean searchBuckets(Lookup lookup, MemorySegment from, long at) {
            if (!bucketObject.read(from, at, lookup.offset, bucket)
                    || !bucketObject.read(from, at + bucketObject.bytes(), lookup.offset, nextBucket)
                    || !layout.joined(bucket, nextBucket)) {
                return again(lookup);
            }
            if (search(lookup, bucket, layout.slots()) || search(lookup, nextBucket, layout.slots())) {
                return lookup.found;
            }
            return follow(lookup, bucket, layout.bucketChainOffset());
        }

        private boolean searchBlock(Lookup lookup, MemorySegment from, long at) {
            if (!isMeant(lookup, from, at) || !blockObject.read(from, at, lookup.offset, block)) {
                return again(lookup);
            }
            if (search(lookup, block, BucketLayout.BLOCK_SLOTS)) {
                return lookup.found;
            }
            return follow(lookup, block, layout.blockChainOffset());
        }

        /** Whether the key is in one of the slots: then its value is looked at, or is read next. */
        private boolean search(Lookup lookup, MemorySegment slots, int count) {
            client.spendCpu(count * client.cpuCosts().comparisonPs());
            for (int lane = 0; lane < count; lane++) {
                int slot = lane * layout.slotBytes();
                if (table.isKey(slots, slot, lookup.key)) {
                    int at = slot + layout.keyBytes();
                    if (layout.inline()) {
                        lookup.found = table.isValue(slots, at, lookup.key);
                    } else {
                        readObject(lookup, Step.VALUE, slots, at, valueObject);
                    }
                    return true;
                }
            }
            return false;
        }

        /** The chain goes on, or the key is not there. */
        private boolean follow(Lookup lookup, MemorySegment payload, int offset) {
            if (BucketLayout.incarnation(payload, offset) == 0) {
                return true;
            }
            readObject(lookup, Step.BLOCK, payload, offset, blockObject);
            return false;
        }

        private void readObject(Lookup lookup, Step step, MemorySegment payload, int pointer, ObjectLayout object) {
            lookup.step = step;
            lookup.offset = FarmTable.offsetOf(BucketLayout.address(payload, pointer));
            lookup.bytes = object.bytes();
            lookup.incarnation = BucketLayout.incarnation(payload, pointer);
        }

        private boolean isMeant(Lookup lookup, MemorySegment from, long at) {
            return ObjectLayout.incarnation(from, at) == lookup.incarnation;
        }

        private boolean again(Lookup lookup) {
            if (lookup.sampled) {
                mine.add(Counter.RETRIES, 1);
            }
            readBuckets(lookup);
            return false;
        }

        private void finish(int slot, SampledInterval interval) {
            Lookup lookup = lookups[slot];
            long nowNs = client.nowNs();
            interval.ended(lookup.beganNs, nowNs, 1);
            if (listener != null) {
                listener.answered(client.index(), lookup.key, lookup.found ? new long[] {lookup.ordinal} : NOTHING);
            }
            if (lookup.sampled) {
                sampledUnderWay--;
                long latencyNs = nowNs - lookup.beganNs;
                OperationCounts.operation(mine, false, latencyNs, lookup.reads);
                mine.add(Counter.LOOKUP_READS, lookup.reads);
                if (connections[lookup.machine] != null) {
                    OperationCounts.remote(mine, latencyNs);
                }
                if (!lookup.found && listener == null) {
                    mine.add(Counter.WRONG, 1);
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
