package org.reprobe.farm.reads;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.workload.Rng;

/**
 * Contents of the machines' memory by a run's seed: each word is a function of machine and offset, so a READ of a wrong
 * place is detected.
 */
public record ReadableMemory(long seed) {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int MACHINE_SHIFT = 44;

    /** Returns the word at a byte offset, a multiple of 8, of a machine's memory. */
    long word(int machine, long offset) {
        return Rng.at(seed, (long) machine << MACHINE_SHIFT | offset >>> 3);
    }

    /** Writes all words of a machine's memory; a remainder of less than 8 bytes is unchanged. */
    public void fill(int machine, MemorySegment memory) {
        // By way of an array, which code that is not compiled yet fills several times as fast as native memory.
        long[] words = new long[1024];
        long all = memory.byteSize() / Long.BYTES;
        for (long done = 0; done < all; done += words.length) {
            int count = (int) Math.min(words.length, all - done);
            for (int i = 0; i < count; i++) {
                words[i] = word(machine, (done + i) * Long.BYTES);
            }
            MemorySegment.copy(words, 0, memory, WORD, done * Long.BYTES, count);
        }
    }

    /** Returns true if the first and the last word belong to the requested block. */
    boolean isBlock(int machine, long offset, int bytes, MemorySegment local, long at) {
        long last = (long) bytes - Long.BYTES;
        return local.get(WORD, at) == word(machine, offset)
                && local.get(WORD, at + last) == word(machine, offset + last);
    }
}
