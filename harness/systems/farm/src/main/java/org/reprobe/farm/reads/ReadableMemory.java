package org.reprobe.farm.reads;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.workload.Rng;

/**
 * The bytes of the machines' memory: each word follows from the machine and its place there, so that a READ of another place or machine
 * is seen by any of its words.
 *
 * @param seed of a run's words
 */
public record ReadableMemory(long seed) {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int MACHINE_SHIFT = 44;

    /** The word at a byte offset, a multiple of 8, of a machine's memory. */
    long word(int machine, long offset) {
        return Rng.at(seed, (long) machine << MACHINE_SHIFT | offset >>> 3);
    }

    /** Writes all words of a machine's memory; a rest of less than 8 bytes stays as it is. */
    public void fill(int machine, MemorySegment memory) {
        for (long offset = 0; offset + Long.BYTES <= memory.byteSize(); offset += Long.BYTES) {
            memory.set(WORD, offset, word(machine, offset));
        }
    }

    /** Whether the first and the last word of what was read are those of the block that was asked for. */
    boolean isBlock(int machine, long offset, int bytes, MemorySegment local, long at) {
        long last = (long) bytes - Long.BYTES;
        return local.get(WORD, at) == word(machine, offset)
                && local.get(WORD, at + last) == word(machine, offset + last);
    }
}
