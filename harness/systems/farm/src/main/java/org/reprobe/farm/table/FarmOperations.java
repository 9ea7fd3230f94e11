package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.check.Operation;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.CommitMessage;
import org.reprobe.farm.commit.CommitRules;
import org.reprobe.farm.commit.LogFile;
import org.reprobe.farm.commit.LoggingParticipant;
import org.reprobe.farm.commit.Participant;
import org.reprobe.farm.commit.ReplicaLog;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.memory.ObjectAllocator;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.remote.LatestKeys;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.system.WatchedLookups.Listener;
import org.reprobe.table.ChainedPlacement;
import org.reprobe.workload.Rng;

/**
 * Operations of a thread on single keys: lookups, updates of existing keys, and inserts (FaRM 2014, sections 3.4 to
 * 3.6). An update is shipped to the machine of the key, as a message with key and value; a thread there executes it. A
 * lookup uses lock-free READs. It restarts after a random time if an object is locked or has changed, and repeats a
 * READ that took so long that versions may have wrapped around. After a number of retries of either kind the lookup is
 * shipped, too, so that keys under constant updates can be looked up. Operations on keys of the thread's own machine
 * need no message, except to replicas; without updates, lookups need none.
 *
 * <p>A read-modify-write is a lookup of a present key and an update of it: two operations that are adjacent on their
 * thread. Concurrent updates of the key are not detected, as in YCSB.
 *
 * <p>An insert is an update of a key that may be absent. An insert without space is refused and counted.
 *
 * <p>The words of a request are a key and, for an update, the stamp of its new value.
 */
public final class FarmOperations implements RemoteRequests {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfLong UNALIGNED_WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final long[] NOTHING = {};

    // Number of words by kind of request; more words are a message to a replica.
    private static final int LOOKUP_WORDS = 1;
    private static final int UPDATE_WORDS = 2;

    /** Minimum words of a message to a replica, and of a deferred request's reply, with the answer as second word. */
    private static final int MIN_LOG_WORDS = 3;

    /** Bytes of the number of words, which replicas need because the length does not identify the kind of request. */
    private static final int COUNT_BYTES = Long.BYTES;

    private static final int REPLY_BYTES = Long.BYTES;

    private static final long NOT_DONE = 0;
    private static final long DONE = 1;
    private static final long COMBINED = 2;
    private static final long FULL = 3;

    /** Position in an update's stamp of its client's number. */
    private static final int STAMP_BITS = 40;

    private final Client client;
    private final Parameters plan;
    private final Mix mix;
    /** True if values are updated during the run. */
    private final boolean updated;
    /** True if objects stay locked for READs while replicas log their update: lookups must not block their thread. */
    private final boolean exclusive;

    private final FarmTable table;
    private final int keyBytes;
    private final int valueBytes;
    private final int machine;
    private final List<MemorySegment> memories;
    private final MemorySegment memory;
    private final long readsAt;
    private final int bufferBytes;
    private final long localPs;
    private final @Nullable Listener listener;
    private final HistoryRecorder history;
    private final BackOff backOff;
    private final TableSearch search;
    private final ShardUpdates updates;
    private final @Nullable LoggingParticipant replicas;
    private final long[] served;

    private final boolean[] servesUpdate;
    private final int countBytes;
    private final Slot[] slots;
    private final TableSearch.Lookup lookup = new TableSearch.Lookup();

    private final long[] requestWords = new long[UPDATE_WORDS];
    private final int maxWords;
    private final @Nullable LatestKeys latest;
    private long number;
    private long stamps;
    private long inserts;
    private long inserted;
    private long insertedSum;

    /**
     * Plan that all threads of a run follow, with regions by number.
     *
     * @param oneSided true if lookups use READs, false if all are shipped
     * @param retries number of retries after which a lookup is shipped
     * @param replication replication of updates; null for none
     */
    public record Parameters(
            FarmTable table,
            List<RemoteRegion> regions,
            Mix mix,
            boolean oneSided,
            int retries,
            ThreadPlan threads,
            @Nullable Replication replication) {}

    /**
     * Operations of a run.
     *
     * @param choice ordinal of an operation's record, by operation number
     * @param coin random bits, by operation number
     * @param readFirst true if updates look up their key first (read-modify-write)
     * @param inserts keys that writes insert; null if writes update
     */
    public record Mix(
            LongUnaryOperator choice,
            LongUnaryOperator coin,
            double writes,
            boolean readFirst,
            @Nullable Inserts inserts) {}

    /**
     * Keys that writes insert.
     *
     * @param fresh ordinal of the key of an insert, by number; each thread has its own range of numbers
     * @param latest true if lookups choose from {@link LatestKeys}, which requires that threads insert distinct keys
     * @param seed seed of the lookups of inserted keys
     */
    public record Inserts(LongUnaryOperator fresh, boolean latest, long seed) {}

    private static final class Slot extends TableSearch.Lookup {
        private boolean update;
        /** True if the lookup is part of a read-modify-write. */
        private boolean modify;

        private long key;
        private long ordinal;
        /** Stamp that an update writes, or a lookup has found. */
        private long stamp;

        private long postedNs;
        private int reads;
        private int tries;
        private boolean shipped;
        private boolean done;
        private boolean combined;
        private boolean full;
        private int invocation;
    }

    /**
     * Creates a thread's operations.
     *
     * @param memories by region; only the machine's own are required
     * @param readsAt offset in the machine's first region of the buffer for READs, of {@link #readBytes}
     * @param combining combining with other threads of the machine; null for none
     * @param places this thread's allocators, by shard of the machine; empty without inserts
     */
    public FarmOperations(
            Client client,
            Parameters plan,
            int machine,
            List<MemorySegment> memories,
            long readsAt,
            long logAt,
            @Nullable Combining combining,
            List<? extends ObjectAllocator> places,
            @Nullable Listener listener,
            HistoryRecorder history)
            throws FabricException {
        this.client = client;
        this.plan = plan;
        this.mix = plan.mix();
        this.table = plan.table();
        this.keyBytes = table.layout().keyBytes();
        this.valueBytes = table.layout().valueBytes();
        this.machine = machine;
        this.memories = memories;
        this.memory = memories.get(machine * table.shards());
        this.readsAt = readsAt;
        this.bufferBytes = TableSearch.bufferBytes(table.layout());
        this.localPs = plan.threads().localPs(client);
        this.listener = listener;
        this.history = history;
        this.backOff = plan.threads().backOff(client);
        this.updated = mix.writes() > 0;
        this.exclusive = plan.replication() != null && plan.replication().locksExclusively();
        this.search = new TableSearch(table, client, updated ? backOff : null);
        long updatePs = plan.threads().updatePs(client);
        int slots = updated ? slots(table.machines(), plan.threads().inFlight(), plan.replication() != null) : 0;
        Inserts own = mix.inserts();
        this.updates = new ShardUpdates(
                table,
                client,
                memories,
                combining,
                plan.replication(),
                own == null
                        ? null
                        : new ShardInserts(
                                table,
                                client,
                                machine,
                                memories,
                                places,
                                updatePs,
                                plan.replication() == null
                                        ? ChainedPlacement.MAX_PROBE
                                        : ShardInserts.MAX_REPLICATED_PROBE),
                backOff,
                updatePs,
                slots);
        this.latest = own == null || !own.latest()
                ? null
                : new LatestKeys(table.records(), LongUnaryOperator.identity(), own.seed());
        this.served = new long[slots];
        this.servesUpdate = new boolean[slots];
        this.replicas = plan.replication() == null ? null : replicas(plan.replication(), logAt, slots);
        this.countBytes = replicas == null ? 0 : COUNT_BYTES;
        this.maxWords = replicas == null ? UPDATE_WORDS : ShardUpdates.maxWords(table.layout(), own != null);
        this.slots = new Slot[plan.threads().inFlight()];
        for (int i = 0; i < this.slots.length; i++) {
            this.slots[i] = new Slot();
        }
        this.number = (long) client.index() << STAMP_BITS;
        this.inserts = (client.index() + 1L) << STAMP_BITS;
    }

    private LoggingParticipant replicas(Replication replication, long logAt, int slots) throws FabricException {
        ObjectsByAddress objects = table::objectAt;
        LogFile file = replication.logs().open(machine, client.index(), replication.logBytes());
        ReplicaLog log = new ReplicaLog(client, memory, logAt, replication.logBytes(), objects, file);
        Participant participant = new Participant(client, memories, objects, CommitRules.CORRECTED, log);
        return new LoggingParticipant(participant, log, replication.logs().device(machine), file, slots);
    }

    /** Returns the maximum number of concurrent requests from others: updates of primaries, messages to replicas. */
    private static int maxServed(int machines, int inFlight, boolean replicated) {
        return (replicated ? 2 : 1) * machines * inFlight;
    }

    /** Returns the slots of a thread: for its own operations and for other machines' requests. */
    public static int slots(int machines, int inFlight, boolean replicated) {
        return inFlight + maxServed(machines, inFlight, replicated);
    }

    /** Returns the bytes of the longest request, an upper bound of those of a reply. */
    public static int requestBytes(BucketLayout layout, boolean replicated, boolean inserts) {
        int update = layout.keyBytes() + layout.valueBytes();
        return replicated
                ? COUNT_BYTES + Math.max(update, ShardUpdates.maxWords(layout, inserts) * Long.BYTES)
                : update;
    }

    /** Returns the bytes of a thread's buffer for READs. */
    public static long readBytes(BucketLayout layout, int inFlight) {
        return (long) inFlight * TableSearch.bufferBytes(layout);
    }

    @Override
    public int maxWords() {
        return maxWords;
    }

    @Override
    public int maxServed() {
        return updated ? maxServed(table.machines(), plan.threads().inFlight(), replicas != null) : 0;
    }

    @Override
    public boolean isDeferred(long[] words, int count) {
        return count >= UPDATE_WORDS;
    }

    @Override
    public int maxReads() {
        return plan.oneSided() ? 1 : 0;
    }

    @Override
    public int requestBytes(int words) {
        return countBytes
                + (words >= MIN_LOG_WORDS
                        ? words * Long.BYTES
                        : words == LOOKUP_WORDS ? keyBytes : keyBytes + valueBytes);
    }

    @Override
    public int replyBytes(int words) {
        return words == LOOKUP_WORDS ? lookupReplyBytes(valueBytes) : REPLY_BYTES;
    }

    public static int lookupReplyBytes(int valueBytes) {
        return REPLY_BYTES + valueBytes;
    }

    @Override
    public int payloadBytes() {
        return valueBytes;
    }

    @Override
    public boolean begin(int number, Sender sender) throws FabricException {
        Slot slot = slots[number];
        long operation = this.number++;
        boolean writes = Rng.unit(mix.coin().applyAsLong(operation)) < mix.writes();
        slot.update = writes && !mix.readFirst();
        slot.modify = writes && mix.readFirst();
        slot.ordinal = ordinal(operation, writes);
        if (listener != null && !writes && (this.number & 3) == 0) {
            slot.ordinal += table.records(); // an absent key
        }
        slot.key = table.key(slot.ordinal);
        slot.reads = 0;
        slot.tries = 0;
        slot.shipped = false;
        slot.done = false;
        slot.combined = false;
        slot.full = false;
        if (slot.update) {
            return beginUpdate(number, slot, sender);
        }
        slot.invocation = history.invoked(client.index(), Operation.READ, slot.key, 0);
        return beginLookup(number, slot, sender);
    }

    private long ordinal(long operation, boolean writes) {
        if (writes && mix.inserts() != null) {
            return mix.inserts().fresh().applyAsLong(inserts++);
        }
        return latest == null ? mix.choice().applyAsLong(operation) : latest.key(operation);
    }

    private boolean beginUpdate(int number, Slot slot, Sender sender) throws FabricException {
        slot.stamp = (long) (client.index() + 1) << STAMP_BITS | ++stamps;
        slot.invocation = history.invoked(client.index(), Operation.WRITE, slot.key, slot.stamp);
        int home = table.machine(slot.key);
        if (home != machine) {
            ship(slot, sender);
            return true;
        }
        client.spendCpu(localPs);
        updates.begin(number, slot.key, slot.stamp, sender);
        return updated(number, slot);
    }

    /** Takes the result of a local update so far; returns false if it is wrong. */
    private boolean updated(int number, Slot slot) {
        slot.done = updates.isDone(number);
        slot.combined = updates.isCombined(number);
        slot.full = updates.isFull(number);
        return slot.done || slot.full || !updates.isOver(number);
    }

    private boolean beginLookup(int number, Slot slot, Sender sender) throws FabricException {
        if (table.machine(slot.key) == machine) {
            search.begin(slot, slot.key);
            return lookUpLocally(number, slot, sender);
        }
        if (!plan.oneSided()) {
            ship(slot, sender);
            return true;
        }
        client.spendCpu(client.cpuCosts().operationPs());
        search.begin(slot, slot.key);
        read(number, slot, sender);
        return true;
    }

    private boolean lookUpLocally(int number, Slot slot, Sender sender) throws FabricException {
        client.spendCpu(localPs);
        int reads = search.searchLocal(slot, memories, !exclusive);
        slot.reads += Math.max(1, reads);
        slot.tries = slot.retries();
        if (reads == 0) {
            sender.waitFor(backOff.nextNs());
            return true;
        }
        return found(number, slot, slot.stamp(), sender);
    }

    private void ship(Slot slot, Sender sender) throws FabricException {
        requestWords[0] = slot.key;
        requestWords[1] = slot.stamp;
        sender.sendRequest(table.machine(slot.key), requestWords, slot.update ? UPDATE_WORDS : LOOKUP_WORDS);
    }

    private long bufferAt(int number) {
        return readsAt + (long) number * bufferBytes;
    }

    private void read(int number, Slot slot, Sender sender) throws FabricException {
        slot.reads++;
        slot.postedNs = client.nowNs();
        sender.read(
                0, slot.machine(), plan.regions().get(slot.region()), slot.offset(), bufferAt(number), slot.bytes());
    }

    @Override
    public boolean readCompleted(int number, int part, Sender sender) throws FabricException {
        Slot slot = slots[number];
        int before = slot.retries();
        boolean aged =
                updated && client.nowNs() - slot.postedNs > plan.threads().maxReadNs();
        if (!aged && search.proceed(slot, memory, bufferAt(number))) {
            return found(number, slot, slot.stamp(), sender);
        }
        boolean conflicted = updated && slot.retries() > before;
        if (!aged && !conflicted) {
            read(number, slot, sender);
        } else if (++slot.tries > plan.retries() && !exclusive) {
            slot.shipped = true;
            ship(slot, sender);
        } else if (conflicted) {
            sender.waitFor(backOff.nextNs());
        } else {
            read(number, slot, sender);
        }
        return true;
    }

    @Override
    public boolean resume(int number, Sender sender) throws FabricException {
        if (number >= slots.length) {
            if (servesUpdate[number]) {
                updates.resume(number, sender);
            } else {
                awaitLog(replicas().stillNs(number), sender);
            }
            return true;
        }
        Slot slot = slots[number];
        if (slot.update) {
            updates.resume(number, sender);
            return updated(number, slot);
        }
        if (table.machine(slot.key) == machine) {
            return lookUpLocally(number, slot, sender);
        }
        read(number, slot, sender);
        return true;
    }

    /** Completes a lookup, and begins the update of a read-modify-write. Returns false if the result is wrong. */
    private boolean found(int number, Slot slot, long stamp, Sender sender) throws FabricException {
        slot.stamp = stamp;
        slot.done = stamp != FarmTable.NO_VALUE;
        if (slot.modify && slot.done) {
            release(number);
            slot.update = true;
            slot.done = false;
            return beginUpdate(number, slot, sender);
        }
        return slot.done || listener != null;
    }

    @Override
    public void encodeRequest(long[] words, int count, MemorySegment to, long at) {
        if (replicas != null) {
            to.set(WORD, at, count);
        }
        int from = (int) at + countBytes;
        if (count >= MIN_LOG_WORDS) {
            MemorySegment.copy(words, 0, to, WORD, from, count);
            return;
        }
        table.putKey(to, from, words[0]);
        if (count == UPDATE_WORDS) {
            table.putValue(to, from + keyBytes, words[0], words[1]);
        }
    }

    @Override
    public int decodeRequest(MemorySegment from, long at, int bytes, long[] into) {
        long first = at + countBytes;
        int count = replicas != null ? (int) from.get(WORD, at) : bytes == keyBytes ? LOOKUP_WORDS : UPDATE_WORDS;
        if (count >= MIN_LOG_WORDS) {
            MemorySegment.copy(from, WORD, first, into, 0, count);
            return count;
        }
        into[0] = from.get(UNALIGNED_WORD, first);
        if (count == UPDATE_WORDS) {
            into[1] = table.stamp(from, (int) first + keyBytes, into[0]);
        }
        return count;
    }

    @Override
    public void serve(int slot, long[] words, int count, Sender sender) throws FabricException {
        servesUpdate[slot] = count == UPDATE_WORDS;
        if (servesUpdate[slot]) {
            client.spendCpu(localPs);
            served[slot] = words[0];
            if (words[1] != FarmTable.NO_VALUE) {
                updates.begin(slot, words[0], words[1], sender);
            } else {
                updates.refuse(slot);
            }
            return;
        }
        LoggingParticipant own = replicas();
        served[slot] = own.execute(words, count);
        awaitLog(own.waitNs(slot, words, count, client.nowNs()), sender);
    }

    private static void awaitLog(long ns, Sender sender) {
        if (ns > 0) {
            sender.waitFor(ns);
        }
    }

    @Override
    public int servedWords(int slot, long[] into) {
        if (servesUpdate[slot]) {
            into[0] = served[slot];
            into[1] = updates.isDone(slot)
                    ? updates.isCombined(slot) ? COMBINED : DONE
                    : updates.isFull(slot) ? FULL : NOT_DONE;
            return UPDATE_WORDS;
        }
        into[0] = 0;
        into[1] = served[slot];
        into[2] = 0;
        return MIN_LOG_WORDS;
    }

    private LoggingParticipant replicas() {
        if (replicas == null) {
            throw new IllegalStateException("there are no replicas");
        }
        return replicas;
    }

    /** Replies to a lookup, or with the outcome of a deferred request. */
    @Override
    public void encodeReply(long[] words, int count, MemorySegment to, long at) throws FabricException {
        if (count >= UPDATE_WORDS) {
            to.set(WORD, at, words[1]);
            return;
        }
        client.spendCpu(localPs);
        search.begin(lookup, words[0]);
        search.searchLocal(lookup, memories);
        to.set(WORD, at, lookup.found() ? 1 : 0);
        if (lookup.found()) {
            lookup.copyValue(to, at + REPLY_BYTES, valueBytes);
        } else {
            to.asSlice(at + REPLY_BYTES, valueBytes).fill((byte) 0);
        }
    }

    @Override
    public boolean replyReceived(int number, int from, MemorySegment reply, long at, int bytes, Sender sender)
            throws FabricException {
        boolean fromReplica =
                number >= slots.length || (slots[number].update && table.machine(slots[number].key) == machine);
        if (!fromReplica) {
            return takeOwnResult(number, reply, at, bytes, sender);
        }
        updates.replyReceived(number, sender);
        if (number < slots.length) {
            slots[number].done = updates.isDone(number);
        }
        return reply.get(WORD, at) == CommitMessage.DONE;
    }

    /** Takes the reply to a slot's own lookup or update. */
    private boolean takeOwnResult(int number, MemorySegment reply, long at, int bytes, Sender sender)
            throws FabricException {
        Slot slot = slots[number];
        if (bytes != replyBytes(slot.update ? UPDATE_WORDS : LOOKUP_WORDS)) {
            return false;
        }
        long first = reply.get(WORD, at);
        boolean executed = first != NOT_DONE;
        if (slot.update) {
            slot.full = first == FULL;
            slot.done = executed && !slot.full;
            slot.combined = first == COMBINED;
            return executed;
        }
        long stamp = executed ? table.stamp(reply, (int) at + REPLY_BYTES, slot.key) : FarmTable.NO_VALUE;
        return found(number, slot, stamp, sender);
    }

    @Override
    public void release(int number) {
        Slot slot = slots[number];
        if (slot.update && slot.done && mix.inserts() != null) {
            inserted(slot);
        }
        long written = slot.full ? Event.REFUSED : Event.DONE;
        history.returned(slot.invocation, slot.update ? written : slot.done ? slot.stamp : Event.ABSENT);
        if (listener != null && !slot.update) {
            listener.resultFound(client.index(), slot.key, slot.done ? new long[] {slot.ordinal} : NOTHING);
        }
    }

    private void inserted(Slot slot) {
        inserted++;
        insertedSum += FarmTable.sum(slot.key, slot.stamp);
        if (latest != null) {
            latest.add(slot.ordinal);
        }
    }

    @Override
    public void addTotals(Counts counts) {
        counts.add(Counter.KEYS_INSERTED, inserted);
        counts.add(Counter.INSERTED_SUM, insertedSum);
    }

    @Override
    public void addFinalChecks(Counts counts) throws FabricException {
        if (replicas != null) {
            replicas.check(counts);
        }
    }

    @Override
    public void close() {
        if (replicas != null) {
            replicas.close();
        }
    }

    @Override
    public void count(Counts counts, int number, long latencyNs) {
        Slot slot = slots[number];
        boolean remote = table.machine(slot.key) != machine;
        boolean askedFor = slot.shipped || !plan.oneSided();
        boolean looks = !slot.update || slot.modify;
        int messages = (slot.update ? 1 : 0) + (looks && askedFor ? 1 : 0);
        int trips = slot.reads + (remote ? messages : 0);
        if (slot.modify) {
            OperationCounts.readModifyWrite(counts, latencyNs, trips);
        } else {
            OperationCounts.operation(counts, slot.update, latencyNs, trips);
        }
        if (slot.full) {
            OperationCounts.tableFull(counts, trips);
        }
        if (remote) {
            OperationCounts.remote(counts, latencyNs);
        }
        counts.add(Counter.RETRIES, slot.tries);
        if (replicas != null) {
            replicas.count(counts);
        }
        if (slot.update) {
            counts.add(Counter.PAYLOAD_BYTES, valueBytes);
            counts.add(Counter.COMBINED, slot.combined ? 1 : 0);
        }
        if (looks) {
            counts.add(Counter.LOOKUP_READS, slot.reads);
            counts.add(Counter.SHIPPED, slot.shipped ? 1 : 0);
            counts.add(Counter.PAYLOAD_BYTES, askedFor ? valueBytes : 0);
        }
    }
}
