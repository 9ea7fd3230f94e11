package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.OneSidedLink;
import org.reprobe.remote.OperationResult;

/**
 * Client of a RACE table (RACE paper, section 3.3). A write first stores a block out of place, then changes a slot by
 * one compare-and-swap. Not thread-safe.
 */
final class RaceClient implements KeyValueClient {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    static final int SEND_QUEUE = 8;
    static final ConnectionOptions OPTIONS = ConnectionOptions.oneSided(SEND_QUEUE, 4);

    /**
     * Parameters of a client.
     *
     * @param backOffNs initial back-off; 0 for retries at once
     * @param cpu CPU time per round trip, besides posting and polling
     * @param conflicts back-off of this thread's writes instead of {@code backOffNs}, if any
     * @param coroutine access to the thread's requests, if other coroutines affect waits for them
     */
    record Parameters(
            RaceRules rules,
            long backOffNs,
            ConnectionOptions options,
            CpuTime cpu,
            @Nullable Conflicts conflicts,
            ThreadRequests.@Nullable Coroutine coroutine) {
        static Parameters of(RaceRules rules, long backOffNs) {
            return new Parameters(rules, backOffNs, OPTIONS, new CpuTime(0, 0, 0, 0), null, null);
        }
    }

    /** Blocks read per round trip; rarely do more slots have the fingerprint of a key. */
    private static final int BLOCKS_AT_ONCE = 4;

    private static final int MAX_BACK_OFF_DOUBLINGS = 4;

    /** Attempts before an operation is given up. */
    static final int ATTEMPTS = 100_000;

    private final Client client;
    private final int server;
    private final RaceTable table;
    private final RemoteRegion region;
    private final Parameters parameters;
    private final RaceRules rules;
    private final FreeBlocks free;
    private final MemorySegment local;
    private final OneSidedLink connection;

    private final RaceDirectory directory;
    private final RaceSplit splitter;

    // Offsets in local memory.
    private final long swappedAt;
    private final long ownBlockAt;
    private final long blocksAt;

    // Current key: offsets of its combined buckets in the server's memory, the lower one first.
    private final long[] combined = new long[RaceTable.COMBINED];
    private final long[] combinedOffset = new long[RaceTable.COMBINED];
    // Slots that may refer to the current key, and their offsets.
    private final long[] candidates;
    private final long[] candidateOffset;
    private int candidateCount;
    private int found;
    private long foundAt;
    private long retries;
    private boolean writing;
    private long postedRequests;

    RaceClient(Client client, RaceTable table, RemoteRegion region, RaceRules rules, FreeBlocks free, long backOffNs)
            throws FabricException {
        this(client, 0, table, region, free, Parameters.of(rules, backOffNs));
    }

    RaceClient(Client client, int server, RaceTable table, RemoteRegion region, FreeBlocks free, Parameters parameters)
            throws FabricException {
        this.client = client;
        this.server = server;
        this.table = table;
        this.region = region;
        this.parameters = parameters;
        this.rules = parameters.rules();
        this.free = free;
        this.swappedAt = (long) RaceTable.COMBINED * table.combinedBytes();
        this.ownBlockAt = swappedAt + Long.BYTES;
        this.blocksAt = ownBlockAt + table.blockBytes();
        int slots = 2 * RaceTable.COMBINED * table.slots();
        this.candidates = new long[slots];
        this.candidateOffset = new long[slots];
        this.local = client.allocate(localBytes(table));
        this.connection = new OneSidedLink(client, server, local, parameters.options());
        long directoryAt = blocksAt + (long) BLOCKS_AT_ONCE * table.blockBytes();
        this.directory = new RaceDirectory(connection, region, table, directoryAt);
        this.splitter = new RaceSplit(
                client,
                table,
                region,
                directory,
                connection,
                directoryAt + table.directoryBytes(),
                SEND_QUEUE,
                parameters.backOffNs());
    }

    static long localBytes(RaceTable table) {
        return (long) RaceTable.COMBINED * table.combinedBytes()
                + Long.BYTES
                + (1L + BLOCKS_AT_ONCE) * table.blockBytes()
                + table.directoryBytes()
                + RaceSplit.localBytes(table, SEND_QUEUE);
    }

    private enum Found {
        KEY,
        ABSENT,
        UNSETTLED
    }

    private enum Attempt {
        DONE,
        FULL,
        RETRY,
        /** The attempt must be repeated without back-off. */
        AGAIN
    }

    @Override
    public OperationResult read(long key) throws FabricException {
        writing = false;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Found end = readBuckets(key) ? findCommitted(key) : Found.UNSETTLED;
            if (end != Found.UNSETTLED) {
                return end == Found.KEY ? OperationResult.DONE : OperationResult.ABSENT;
            }
            backOff(attempt);
        }
        return OperationResult.GAVE_UP;
    }

    @Override
    public long firstWord() {
        return local.get(WORD, foundAt + RaceTable.VALUE);
    }

    @Override
    public OperationResult write(long key, long value) throws FabricException {
        Conflicts conflicts = parameters.conflicts();
        if (conflicts == null) {
            return put(key, value);
        }
        conflicts.begin(client);
        try {
            return put(key, value);
        } finally {
            conflicts.end(client);
        }
    }

    private OperationResult put(long key, long value) throws FabricException {
        writing = true;
        if (free.isEmpty()) {
            readBuckets(key); // refused after a round trip, like a write that finds no slot
            return OperationResult.FULL;
        }
        long slot = prepare(key, value);
        // Together with the first READs of the combined buckets: the block is complete before any slot refers to it.
        connection.write(region, table.blockOffset(RaceSlot.block(slot)), ownBlockAt, table.blockBytes());
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Found there = readBuckets(key) ? findCommitted(key) : Found.UNSETTLED;
            Attempt end = switch (there) {
                case KEY -> update(slot);
                case ABSENT -> rules == RaceRules.PRINTED ? insertAsPrinted(key, slot) : insert(key, slot);
                case UNSETTLED -> Attempt.RETRY;
            };
            switch (end) {
                case DONE -> {
                    return OperationResult.DONE;
                }
                case FULL -> {
                    free.giveBack(slot);
                    return OperationResult.FULL;
                }
                case RETRY -> avoidConflict(attempt);
                case AGAIN -> {}
            }
        }
        return OperationResult.GAVE_UP;
    }

    /** Splits the key's subtable, since both of its combined buckets are full, before a retry. */
    private Attempt split(long key) throws FabricException {
        return switch (splitter.split(key)) {
            case DONE -> Attempt.AGAIN;
            case BUSY -> Attempt.RETRY;
            case DEEPEST -> Attempt.FULL;
        };
    }

    private Attempt update(long slot) throws FabricException {
        long old = candidates[found];
        if (!swap(candidateOffset[found], old, slot)) {
            return Attempt.RETRY;
        }
        free.giveBack(old);
        return Attempt.DONE;
    }

    @Override
    public OperationResult delete(long key) throws FabricException {
        writing = true;
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Found end = readBuckets(key) ? findCommitted(key) : Found.UNSETTLED;
            if (end == Found.ABSENT) {
                return OperationResult.ABSENT;
            }
            if (end == Found.KEY && swap(candidateOffset[found], candidates[found], RaceSlot.EMPTY)) {
                free.giveBack(candidates[found]);
                return OperationResult.DONE;
            }
            backOff(attempt);
        }
        return OperationResult.GAVE_UP;
    }

    /**
     * Inserts by the corrected rules. As printed, a key that two clients insert concurrently is visible in both slots
     * until one of them is cleared. Then a read may return the later value and the next read the earlier one. Here a
     * slot is tentative, and so invisible, until its insert has read both combined buckets again without finding the
     * key. Of two inserts that take a slot before they read again, at least one finds the other: it clears the other's
     * slot or, if that insert has ended, withdraws and updates. The same holds for a slot taken during a split: either
     * the split clears it, or the second READ detects that the key has moved.
     */
    private Attempt insert(long key, long slot) throws FabricException {
        long own = emptySlot();
        if (own < 0) {
            return split(key);
        }
        long tentative = RaceSlot.tentative(slot);
        if (!swap(own, RaceSlot.EMPTY, tentative)) {
            return Attempt.RETRY;
        }
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            if (!readBuckets(key)) {
                swap(own, tentative, RaceSlot.EMPTY);
                return Attempt.RETRY;
            }
            switch (findOther(key, own)) {
                case ABSENT -> {
                    return swap(own, tentative, slot) ? Attempt.DONE : Attempt.RETRY;
                }
                case KEY -> {
                    if (!RaceSlot.isTentative(candidates[found])) {
                        swap(own, tentative, RaceSlot.EMPTY);
                        return Attempt.RETRY;
                    }
                    swap(candidateOffset[found], candidates[found], RaceSlot.EMPTY);
                }
                case UNSETTLED -> {}
            }
        }
        return Attempt.RETRY;
    }

    /**
     * Inserts as printed: takes a slot, reads again, and of several slots with the key clears all but the first. No
     * splits.
     */
    private Attempt insertAsPrinted(long key, long slot) throws FabricException {
        long own = emptySlot();
        if (own < 0) {
            return Attempt.FULL;
        }
        if (!swap(own, RaceSlot.EMPTY, slot)) {
            return Attempt.RETRY;
        }
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            switch (readBuckets(key) ? findOther(key, own) : Found.UNSETTLED) {
                case ABSENT -> {
                    return Attempt.DONE;
                }
                case KEY -> {
                    if (candidateOffset[found] < own) {
                        // Cleared by another client, which may reuse it.
                        return swap(own, slot, RaceSlot.EMPTY) ? Attempt.RETRY : Attempt.DONE;
                    }
                    if (swap(candidateOffset[found], candidates[found], RaceSlot.EMPTY)) {
                        free.giveBack(candidates[found]);
                    }
                }
                case UNSETTLED -> {}
            }
        }
        return Attempt.RETRY;
    }

    /** Writes a block to local memory; returns the slot value for it. */
    private long prepare(long key, long value) {
        long slot = free.take(table.fingerprint(key), table.length());
        local.set(WORD, ownBlockAt, key);
        local.set(WORD, ownBlockAt + RaceTable.VALUE, value);
        table.seal(local, ownBlockAt, slot);
        return slot;
    }

    /** Reads both combined buckets of a key in one round trip; returns false if the directory is stale. */
    private boolean readBuckets(long key) throws FabricException {
        long begin = table.subtableOffset(RaceTable.number(directory.entry(key)));
        long one = table.combined(key, 0);
        long other = table.combined(key, 1);
        combined[0] = Math.min(one, other);
        combined[1] = Math.max(one, other);
        for (int i = 0; i < RaceTable.COMBINED; i++) {
            combinedOffset[i] = begin + table.combinedOffset(combined[i]);
            connection.read(region, combinedOffset[i], localCombined(i), table.combinedBytes());
        }
        roundTrip();
        for (int bucket = 0; bucket < 2 * RaceTable.COMBINED; bucket++) {
            long header = local.get(WORD, (long) bucket * table.bucketBytes() + table.headerOffset());
            if (!RaceTable.isOf(header, key)) {
                directory.forget();
                return false;
            }
        }
        return true;
    }

    private long localCombined(int i) {
        return (long) i * table.combinedBytes();
    }

    /** Finds the key among visible slots; with printed rules the first of several. */
    private Found findCommitted(long key) throws FabricException {
        collect(key, false, -1);
        return readBlocks(key);
    }

    private Found findOther(long key, long own) throws FabricException {
        collect(key, true, own);
        return readBlocks(key);
    }

    private void collect(long key, boolean tentative, long own) {
        int fingerprint = table.fingerprint(key);
        candidateCount = 0;
        for (int i = 0; i < RaceTable.COMBINED; i++) {
            for (long at = 0; at < table.combinedBytes(); at += Long.BYTES) {
                long slot = local.get(WORD, localCombined(i) + at);
                long offset = combinedOffset[i] + at;
                if (at % table.bucketBytes() != table.headerOffset()
                        && slot != RaceSlot.EMPTY
                        && RaceSlot.fingerprint(slot) == fingerprint
                        && (tentative || !RaceSlot.isTentative(slot))
                        && offset != own) {
                    candidates[candidateCount] = slot;
                    candidateOffset[candidateCount++] = offset;
                }
            }
        }
    }

    /** Reads the blocks of the collected slots, several per round trip. */
    private Found readBlocks(long key) throws FabricException {
        boolean settled = true;
        for (int from = 0; from < candidateCount; from += BLOCKS_AT_ONCE) {
            int to = Math.min(candidateCount, from + BLOCKS_AT_ONCE);
            for (int i = from; i < to; i++) {
                connection.read(
                        region, table.blockOffset(RaceSlot.block(candidates[i])), blockAt(i), table.blockBytes());
            }
            roundTrip();
            for (int i = from; i < to; i++) {
                if (!table.isWhole(local, blockAt(i), candidates[i])) {
                    settled = false; // the block is being rewritten, so its slot has changed
                } else if (local.get(WORD, blockAt(i)) == key) {
                    found = i;
                    foundAt = blockAt(i);
                    return Found.KEY;
                }
            }
        }
        return settled ? Found.ABSENT : Found.UNSETTLED;
    }

    private long blockAt(int candidate) {
        return blocksAt + (long) (candidate % BLOCKS_AT_ONCE) * table.blockBytes();
    }

    /** Returns an empty slot of the combined bucket with more of them, the main bucket first; -1 for none. */
    private long emptySlot() {
        int less = free(1) > free(0) ? 1 : 0;
        for (int slot = 0; slot < RaceTable.COMBINED * table.slots(); slot++) {
            int at = table.slotOffset(combined[less], slot);
            if (local.get(WORD, localCombined(less) + at) == RaceSlot.EMPTY) {
                return combinedOffset[less] + at;
            }
        }
        return -1;
    }

    private int free(int which) {
        int empty = 0;
        for (int slot = 0; slot < RaceTable.COMBINED * table.slots(); slot++) {
            empty += local.get(WORD, localCombined(which) + table.slotOffset(combined[which], slot)) == RaceSlot.EMPTY
                    ? 1
                    : 0;
        }
        return empty;
    }

    private boolean swap(long offset, long expected, long desired) throws FabricException {
        connection.compareAndSwap(region, offset, swappedAt, expected, desired);
        roundTrip();
        return local.get(WORD, swappedAt) == expected;
    }

    private void backOff(int attempt) throws FabricException {
        retries++;
        if (parameters.backOffNs() > 0) {
            client.pause(parameters.backOffNs() << Math.min(attempt, MAX_BACK_OFF_DOUBLINGS));
        }
    }

    private void avoidConflict(int attempt) throws FabricException {
        Conflicts conflicts = parameters.conflicts();
        if (conflicts == null) {
            backOff(attempt);
        } else {
            retries++;
            client.pause(conflicts.backOffNs(attempt, client.nowNs()));
        }
    }

    private void roundTrip() throws FabricException {
        client.spendCpu(parameters.cpu().nextPs(writing));
        ThreadRequests.Coroutine coroutine = parameters.coroutine();
        if (coroutine == null) {
            connection.roundTrip();
        } else {
            coroutine.roundTrip(connection, server, connection.requests() - postedRequests);
            postedRequests = connection.requests();
        }
    }

    /** {@inheritDoc} Interrupted operations may still take effect, so their blocks are never reused. */
    @Override
    public void reconnect() throws FabricException {
        connection.reconnect();
    }

    @Override
    public OneSidedLink connection() {
        return connection;
    }

    @Override
    public long retries() {
        return retries;
    }

    /** Returns the number of entries moved by this client's splits. */
    @Override
    public long migrations() {
        return splitter.moved();
    }

    @Override
    public long splits() {
        return splitter.splits();
    }

    @Override
    public long splitNs() {
        return splitter.splitNs();
    }

    @Override
    public long serverCalls() {
        return 0;
    }

    @Override
    public void close() {
        connection.close();
    }
}
