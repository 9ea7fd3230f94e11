package org.reprobe.pilaf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.BitSet;
import java.util.List;
import java.util.OptionalLong;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.remote.CuckooSearch;
import org.reprobe.remote.RequestLoop;

/**
 * Server program of Pilaf, which is the only writer of the table. Not thread-safe. The server first writes a new value
 * to a free item, then the entry. It writes a moved key to its new place before it removes it from the old one. A
 * reader therefore finds the old item, the new one, or checksums that do not match.
 *
 * <p>A server that replaces a failed one continues from the same memory. It completes entries whose first word was
 * written, and removes one of two equal entries, which an interrupted move leaves.
 */
public final class PilafServer implements ServerProgram, CuckooSearch.Table {
    static final int WRITE = 1;
    static final int DELETE = 2;

    static final int DONE = 1;
    static final int FULL = 2;

    /** Byte offsets in a request, which holds kind, key and value. */
    static final int KEY = 8;

    static final int REQUEST_VALUE = 16;
    static final int REPLY_BYTES = 8;

    /** CPU time of a write in ps, without messages, from PilafServerBenchmark (results/benchmarks/writes.md). */
    private static final long WRITE_PS = 136_000;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfLong UNALIGNED = ValueLayout.JAVA_LONG_UNALIGNED;

    private final MemorySegment memory;
    private final PilafTable table;
    private final CuckooSearch search;
    /** Called before each write that readers or a replacement server may observe separately. */
    private final Runnable step;

    private final int[] free;
    private final int[] versions;
    private int freeCount;

    /** Creates a server for memory of {@link PilafTable#bytes} that is zeroed or was written by another server. */
    public PilafServer(MemorySegment memory, PilafTable table) {
        this(memory, table, () -> {});
    }

    /** Creates a server that calls {@code step} before each separately observable write. */
    public PilafServer(MemorySegment memory, PilafTable table, Runnable step) {
        this.step = step;
        this.memory = memory;
        this.table = table;
        this.search = new CuckooSearch(this, table.slots());
        this.free = new int[table.items()];
        this.versions = new int[table.items() + 1];
        BitSet used = new BitSet(table.items() + 1);
        for (long slot = 0; slot < table.slots(); slot++) {
            complete(slot);
            int index = PilafTable.index(entry(slot));
            if (index > 0 && used.get(index)) {
                setEntry(slot, 0, 0);
            }
            used.set(index);
        }
        for (int index = table.items(); index >= 1; index--) {
            versions[index] = (int) memory.get(WORD, table.itemOffset(index) + Long.BYTES);
            if (!used.get(index)) {
                free[freeCount++] = index;
            }
        }
    }

    /** Completes an entry that a failed server has only partly written; the item of the entry was complete before. */
    private void complete(long slot) {
        if (!PilafTable.isWhole(memory, table.slotOffset(slot))) {
            long entry = entry(slot);
            long at = table.itemOffset(Math.max(1, PilafTable.index(entry)));
            setEntry(slot, entry, entry == 0 ? 0 : table.itemSum(memory, at, entry));
        }
    }

    @Override
    public void run(Server server) throws FabricException {
        int requestBytes = REQUEST_VALUE + table.valueBytes();
        RequestLoop.run(server, requestBytes, REPLY_BYTES, new RequestLoop.Handler() {
            @Override
            public void handle(int connection, MemorySegment request, MemorySegment reply) {
                server.spendCpu(WRITE_PS);
                long key = request.get(UNALIGNED, KEY);
                boolean done = request.get(UNALIGNED, 0) == DELETE
                        ? delete(key)
                        : write(key, request.asSlice(REQUEST_VALUE, table.valueBytes()));
                reply.set(UNALIGNED, 0, done ? DONE : FULL);
            }

            @Override
            public void gone(List<Integer> connections) {
                // Clients leave no state behind.
            }
        });
    }

    /** Writes the value of a key; returns false if there is no free item or no place for the key. */
    public boolean write(long key, MemorySegment value) {
        if (freeCount == 0) {
            return false;
        }
        long slot = slotOf(key);
        long old = slot < 0 ? 0 : entry(slot);
        if (slot < 0) {
            slot = emptyPlaceOf(key);
            if (slot < 0) {
                return false;
            }
        }
        int index = free[--freeCount];
        long entry = PilafTable.entry(index, ++versions[index]);
        long at = table.itemOffset(index);
        step.run();
        memory.set(WORD, at, key);
        memory.set(WORD, at + Long.BYTES, entry);
        step.run();
        MemorySegment.copy(value, 0, memory, at + PilafTable.VALUE, value.byteSize());
        setEntry(slot, entry, table.itemSum(memory, at, entry));
        if (old != 0) {
            free[freeCount++] = PilafTable.index(old);
        }
        return true;
    }

    private boolean delete(long key) {
        long slot = slotOf(key);
        if (slot >= 0) {
            free[freeCount++] = PilafTable.index(entry(slot));
            setEntry(slot, 0, 0);
        }
        return true;
    }

    /** Returns the first word of the key's value, for checks after all clients have ended. */
    public OptionalLong firstWord(long key) {
        long slot = slotOf(key);
        return slot < 0
                ? OptionalLong.empty()
                : OptionalLong.of(memory.get(WORD, table.itemOffset(PilafTable.index(entry(slot))) + PilafTable.VALUE));
    }

    private long slotOf(long key) {
        for (int n = 0; n < PilafTable.PLACES; n++) {
            long slot = table.place(key, n);
            if (!isEmpty(slot) && keyAt(slot) == key) {
                return slot;
            }
        }
        return -1;
    }

    private long emptyPlaceOf(long key) {
        int to = search.emptyEnd(table.place(key, 0), table.place(key, 1), table.place(key, 2));
        if (to < 0) {
            return -1;
        }
        for (int from = search.from(to); from >= 0; from = search.from(to)) {
            long leaves = search.place(from);
            long sum = memory.get(WORD, table.slotOffset(leaves) + PilafTable.ITEM_SUM);
            setEntry(search.place(to), entry(leaves), sum);
            setEntry(leaves, 0, 0);
            to = from;
        }
        return search.place(to);
    }

    @Override
    public boolean isEmpty(long slot) {
        return entry(slot) == 0;
    }

    @Override
    public long place(long slot, int n) {
        return table.place(keyAt(slot), n);
    }

    @Override
    public int placesOfAKey() {
        return PilafTable.PLACES;
    }

    private long entry(long slot) {
        return memory.get(WORD, table.slotOffset(slot));
    }

    private long keyAt(long slot) {
        return memory.get(WORD, table.itemOffset(PilafTable.index(entry(slot))));
    }

    /** Writes an entry in three steps, which readers may observe separately and in this order. */
    private void setEntry(long slot, long entry, long itemSum) {
        VarHandle.releaseFence();
        long at = table.slotOffset(slot);
        step.run();
        memory.set(WORD, at, entry);
        step.run();
        memory.set(WORD, at + PilafTable.ITEM_SUM, itemSum);
        step.run();
        memory.set(WORD, at + PilafTable.ENTRY_SUM, PilafTable.entrySum(entry, itemSum));
        VarHandle.releaseFence();
    }
}
