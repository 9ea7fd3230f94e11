package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.RemoteRequests;
import org.reprobe.system.WatchedLookups.Listener;

/**
 * Lookups by messages to the machine of the key (FaRM 2014, section 4.2: the alternative to one-sided READs, and the
 * baseline's multi-gets). An operation looks up one or more keys. A request holds the keys of one machine, its reply
 * one bit per key, set if it was found, and the values. Keys of the thread's own machine are looked up directly.
 */
public final class LookupRequests implements RemoteRequests {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfLong UNALIGNED_WORD = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final long[] NOTHING = {};

    private final Client client;
    private final FarmTable table;
    private final int keyBytes;
    private final int valueBytes;
    private final int machine;
    private final List<MemorySegment> memories;
    private final LongUnaryOperator choice;
    private final long localPs;
    private final @Nullable Listener listener;
    private final TableSearch search;
    private final TableSearch.Lookup lookup = new TableSearch.Lookup();
    private final long[][] ordinals;

    private final boolean[][] found;
    private final long[][] keys;

    private final int[] counts;
    private long number;

    /**
     * Creates a thread's lookups; {@code choice} is the record by lookup number.
     *
     * @param memories by region; only the machine's own are required
     * @param together number of keys per operation
     */
    public LookupRequests(
            Client client,
            FarmTable table,
            int machine,
            List<MemorySegment> memories,
            LongUnaryOperator choice,
            ThreadPlan threads,
            int together,
            @Nullable Listener listener) {
        this.client = client;
        this.table = table;
        this.keyBytes = table.layout().keyBytes();
        this.valueBytes = table.layout().valueBytes();
        this.machine = machine;
        this.memories = memories;
        this.choice = choice;
        this.localPs = threads.localPs(client);
        this.listener = listener;
        this.search = new TableSearch(table, client);
        this.ordinals = new long[threads.inFlight()][together];
        this.found = new boolean[threads.inFlight()][together];
        this.keys = new long[table.machines()][together];
        this.counts = new int[table.machines()];
        this.number = (long) client.index() << 40;
    }

    @Override
    public int maxWords() {
        return ordinals[0].length;
    }

    @Override
    public int requestBytes(int words) {
        return words * keyBytes;
    }

    @Override
    public int replyBytes(int words) {
        return replyBytes(words, valueBytes);
    }

    public static int replyBytes(int keys, int valueBytes) {
        return bitsBytes(keys) + keys * valueBytes;
    }

    private static int bitsBytes(int keys) {
        return (keys + Long.SIZE - 1) / Long.SIZE * Long.BYTES;
    }

    @Override
    public int keysPerOperation() {
        return ordinals[0].length;
    }

    @Override
    public int payloadBytes() {
        return keysPerOperation() * valueBytes;
    }

    @Override
    public boolean begin(int slot, Sender sender) throws FabricException {
        boolean right = true;
        for (int i = 0; i < keysPerOperation(); i++) {
            long ordinal = choice.applyAsLong(number++);
            if (listener != null && (number & 3) == 0) {
                ordinal += table.records(); // an absent key
            }
            long key = table.key(ordinal);
            int home = table.machine(key);
            ordinals[slot][i] = ordinal;
            if (home == machine) {
                found[slot][i] = find(key);
                right &= found[slot][i] || listener != null;
            } else {
                keys[home][counts[home]++] = key;
            }
        }
        for (int other = 0; other < counts.length; other++) {
            if (counts[other] > 0) {
                sender.sendRequest(other, keys[other], counts[other]);
                counts[other] = 0;
            }
        }
        return right;
    }

    private boolean find(long key) throws FabricException {
        client.spendCpu(localPs);
        search.begin(lookup, key);
        search.searchLocal(lookup, memories);
        return lookup.found();
    }

    @Override
    public void encodeRequest(long[] words, int count, MemorySegment to, long at) {
        for (int i = 0; i < count; i++) {
            table.putKey(to, (int) at + i * keyBytes, words[i]);
        }
    }

    @Override
    public int decodeRequest(MemorySegment from, long at, int bytes, long[] into) {
        int count = bytes / keyBytes;
        for (int i = 0; i < count; i++) {
            into[i] = from.get(UNALIGNED_WORD, at + (long) i * keyBytes);
        }
        return count;
    }

    @Override
    public void encodeReply(long[] words, int count, MemorySegment to, long at) throws FabricException {
        long values = at + bitsBytes(count);
        for (long bits = at; bits < values; bits += Long.BYTES) {
            to.set(WORD, bits, 0);
        }
        for (int i = 0; i < count; i++) {
            long valueAt = values + (long) i * valueBytes;
            if (find(words[i])) {
                long bits = at + (long) (i / Long.SIZE) * Long.BYTES;
                to.set(WORD, bits, to.get(WORD, bits) | 1L << i);
                lookup.copyValue(to, valueAt, valueBytes);
            } else {
                to.asSlice(valueAt, valueBytes).fill((byte) 0);
            }
        }
    }

    @Override
    public boolean replyReceived(int slot, int from, MemorySegment reply, long at, int bytes, Sender sender) {
        int requested = 0;
        for (int i = 0; i < keysPerOperation(); i++) {
            requested += table.machine(table.key(ordinals[slot][i])) == from ? 1 : 0;
        }
        if (requested == 0 || bytes != replyBytes(requested)) {
            return false;
        }
        boolean right = true;
        int place = 0;
        for (int i = 0; i < keysPerOperation(); i++) {
            long key = table.key(ordinals[slot][i]);
            if (table.machine(key) == from) {
                boolean present = (reply.get(WORD, at + (long) (place / Long.SIZE) * Long.BYTES) >>> place & 1) != 0;
                long valueAt = at + bitsBytes(requested) + (long) place * valueBytes;
                found[slot][i] = present && table.isValue(reply, (int) valueAt, key);
                right &= found[slot][i] || listener != null;
                place++;
            }
        }
        return right;
    }

    @Override
    public void release(int slot) {
        if (listener != null) {
            for (int i = 0; i < keysPerOperation(); i++) {
                long ordinal = ordinals[slot][i];
                listener.resultFound(
                        client.index(), table.key(ordinal), found[slot][i] ? new long[] {ordinal} : NOTHING);
            }
        }
    }
}
