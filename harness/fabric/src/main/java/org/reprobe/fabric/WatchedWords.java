package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** Words watched with {@link Requester#watch}. Confined to the watching thread. */
public final class WatchedWords {
    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

    private @Nullable MemorySegment[] memories = new MemorySegment[0];
    private long[] offsets = new long[0];
    private long[] addresses = new long[0];
    private long[] seen = new long[0];
    /** Highest number in use, plus 1. */
    private int count;

    private int next;

    // All words ever watched lie in [firstAt, lastTo).
    private long firstAt = Long.MAX_VALUE;
    private long lastTo = Long.MIN_VALUE;

    public void watch(int number, MemorySegment memory, long offset, long value) {
        if (number >= memories.length) {
            int capacity = Math.max(number + 1, 2 * memories.length);
            memories = Arrays.copyOf(memories, capacity);
            offsets = Arrays.copyOf(offsets, capacity);
            addresses = Arrays.copyOf(addresses, capacity);
            seen = Arrays.copyOf(seen, capacity);
        }
        WORD.getAcquire(
                memory, offset); // throws here, in the program's call, if the word is out of bounds or not aligned
        memories[number] = memory;
        offsets[number] = offset;
        seen[number] = value;
        count = Math.max(count, number + 1);
        long address = memory.address() + offset;
        addresses[number] = address;
        firstAt = Math.min(firstAt, address);
        lastTo = Math.max(lastTo, address + Long.BYTES);
    }

    public void clear() {
        Arrays.fill(memories, null);
        count = 0;
        next = 0;
        firstAt = Long.MAX_VALUE;
        lastTo = Long.MIN_VALUE;
    }

    /** Returns the number of words that are compared per check. */
    public int count() {
        return count;
    }

    /** Returns the number of a changed word; -1 if there is none. */
    public int firstChanged() {
        return firstChanged(_ -> true);
    }

    private int firstChanged(IntPredicate visible) {
        for (int i = 0; i < count; i++) {
            int number = next + i < count ? next + i : next + i - count;
            if (visible.test(number) && hasChanged(number)) {
                return number;
            }
        }
        return -1;
    }

    public int takeChanged() {
        return takeChanged(_ -> true);
    }

    /**
     * Returns the number of a changed word, among those that {@code visible} accepts, and stops watching it; -1 if
     * there is none.
     */
    public int takeChanged(IntPredicate visible) {
        int number = firstChanged(visible);
        if (number >= 0) {
            memories[number] = null;
            next = number + 1 < count ? number + 1 : 0;
            while (count > 0 && memories[count - 1] == null) {
                count--;
            }
            next = next < count ? next : 0;
        }
        return number;
    }

    public boolean hasChanged(int number) {
        MemorySegment memory = memories[number];
        return memory != null && (long) WORD.getAcquire(memory, offsets[number]) != seen[number];
    }

    /** Returns false if certainly no watched word lies in [address, address + bytes); a cheap filter. */
    public boolean mayLieIn(long address, long bytes) {
        return address < lastTo && address + bytes > firstAt;
    }

    /** Returns true if the word is watched and lies in [address, address + bytes) of this process's memory. */
    public boolean liesIn(int number, long address, long bytes) {
        long at = addresses[number];
        return at + Long.BYTES > address && at < address + bytes && memories[number] != null;
    }
}
