package org.reprobe.explore;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Transactions;

/** Memory of the servers: the regions, their initial content, and a hash of the current content. */
final class ServerMemory {
    private static final int REGION_SHIFT = 44;
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final Arena arena;
    private final Transactions transactions = new Transactions(Integer.MAX_VALUE);
    private final List<MemorySegment> blocks = new ArrayList<>();
    /** Blocks of earlier schedules that can be reused. */
    private final List<MemorySegment> spare = new ArrayList<>();

    private final List<Region> regions = new ArrayList<>();
    private final BitSet closed = new BitSet();

    private int firstRegions;
    private long[][] first = new long[0][];
    private long firstHash;
    private long hash;

    /** Registered memory: {@code bytes} bytes of a block of whole words, from offset {@code from}. */
    record Region(int block, MemorySegment words, long from, long bytes) {}

    ServerMemory(Arena arena) {
        this.arena = arena;
    }

    MemorySegment allocate(long bytes) {
        long blockBytes = Math.max(8, (bytes + 7) & ~7L);
        MemorySegment block = takeSpare(blockBytes);
        if (block == null) {
            block = arena.allocate(blockBytes, 64);
        }
        blocks.add(block);
        return block.asSlice(0, bytes);
    }

    private @Nullable MemorySegment takeSpare(long bytes) {
        for (int i = 0; i < spare.size(); i++) {
            if (spare.get(i).byteSize() == bytes) {
                return spare.remove(i).fill((byte) 0);
            }
        }
        return null;
    }

    RemoteRegion register(MemorySegment memory) throws FabricException {
        for (int i = 0; i < blocks.size(); i++) {
            long from = memory.address() - blocks.get(i).address();
            if (from >= 0 && from + memory.byteSize() <= blocks.get(i).byteSize()) {
                regions.add(new Region(i, blocks.get(i), from, memory.byteSize()));
                return new RemoteRegion(
                        (long) regions.size() << REGION_SHIFT, memory.byteSize(), keyOf(regions.size()));
            }
        }
        throw new FabricException("only memory that the fabric has allocated can be registered");
    }

    void deregister(RemoteRegion region) throws FabricException {
        if (region(region.address(), 0, region.key()) == null) {
            throw new FabricException("the region is not registered");
        }
        closed.set(number(region.address()));
    }

    /** Makes the current content the initial content of every schedule. */
    void keep() {
        first = blocks.stream().map(block -> block.toArray(WORD)).toArray(long[][]::new);
        firstRegions = regions.size();
        rehash();
        firstHash = hash;
    }

    void reset() {
        while (blocks.size() > first.length) {
            spare.add(blocks.removeLast());
        }
        for (int i = 0; i < first.length; i++) {
            MemorySegment.copy(first[i], 0, blocks.get(i), WORD, 0, first[i].length);
        }
        while (regions.size() > firstRegions) {
            regions.removeLast();
        }
        closed.clear();
        hash = firstHash;
        transactions.reset();
    }

    Transactions transactions() {
        return transactions;
    }

    /** Writes a word of a commit, whose request has been checked; returns true if the word changed. */
    boolean set(long address, long value) {
        return write(regions.get(number(address)), offset(address), value);
    }

    /** Returns the hash of content and registrations. */
    long hash() {
        return closed.isEmpty() ? hash : Mixing.mix(Mixing.mix(hash, regions.size()), closed.hashCode());
    }

    /** Updates the hash after a program's own stores. */
    void rehash() {
        long sum = 0;
        for (int i = 0; i < blocks.size(); i++) {
            MemorySegment block = blocks.get(i);
            for (long at = 0; at < block.byteSize(); at += 8) {
                sum += hashOf(i, at, block.get(WORD, at));
            }
        }
        hash = sum;
    }

    long[][] contents() {
        return blocks.stream().map(block -> block.toArray(WORD)).toArray(long[][]::new);
    }

    @FunctionalInterface
    interface Changes {
        /** Receives a run of {@code words} changed words and the first one's value. */
        void changed(long address, int words, long value);
    }

    /** Reports the changes since {@link #contents}; those of memory of several regions for the first one. */
    void reportChanges(long[][] before, Changes to) {
        for (int i = 0; i < before.length && i < blocks.size(); i++) {
            long[] now = blocks.get(i).toArray(WORD);
            int word = 0;
            while (word < now.length) {
                int from = word;
                while (word < now.length && now[word] != before[i][word]) {
                    word++;
                }
                if (word > from) {
                    reportChange(i, from, word - from, now[from], to);
                }
                word++;
            }
        }
    }

    private void reportChange(int block, int word, int words, long value, Changes to) {
        for (int i = 0; i < regions.size(); i++) {
            Region region = regions.get(i);
            long offset = (long) word * Long.BYTES - region.from;
            if (region.block == block && offset >= 0 && offset < region.bytes && !closed.get(i)) {
                to.changed(((long) (i + 1) << REGION_SHIFT) + offset, words, value);
                return;
            }
        }
    }

    /** Returns the region of [address, address + bytes) if the key matches, otherwise null. */
    @Nullable
    Region region(long address, int bytes, int key) {
        int region = number(address);
        if (region < 0 || region >= regions.size() || closed.get(region) || key != keyOf(region + 1)) {
            return null;
        }
        Region found = regions.get(region);
        return offset(address) + bytes > found.bytes ? null : found;
    }

    static long offset(long address) {
        return address & ((1L << REGION_SHIFT) - 1);
    }

    static int number(long address) {
        return (int) (address >>> REGION_SHIFT) - 1;
    }

    /** Writes bytes of one aligned word; returns true if it changed. */
    boolean write(Region region, long offset, MemorySegment from, long fromOffset, long bytes) {
        long at = region.from + offset;
        long word = at & ~7L;
        long before = region.words.get(WORD, word);
        MemorySegment.copy(from, fromOffset, region.words, at, bytes);
        return changed(region.block, word, before, region.words.get(WORD, word));
    }

    boolean write(Region region, long offset, long value) {
        long at = region.from + offset;
        long before = region.words.get(WORD, at);
        region.words.set(WORD, at, value);
        return changed(region.block, at, before, value);
    }

    private boolean changed(int block, long at, long before, long after) {
        if (after != before) {
            dooms(block, at);
        }
        hash += hashOf(block, at, after) - hashOf(block, at, before);
        return after != before;
    }

    /** Fails the open transactions that have accessed a changed word through any region. */
    private void dooms(int block, long at) {
        for (int i = 0; i < regions.size(); i++) {
            Region region = regions.get(i);
            if (region.block == block && at >= region.from && at < region.from + region.bytes) {
                transactions.changed(((long) (i + 1) << REGION_SHIFT) + at - region.from, Long.BYTES);
            }
        }
    }

    private static long hashOf(int block, long at, long value) {
        return Mixing.mix(((long) block << 40) + at + 1, value);
    }

    private static int keyOf(int region) {
        return region * 0x9E3779B1 ^ 0xE7;
    }
}
