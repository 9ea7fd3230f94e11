package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** Copying of a WRITE's bytes by a core instead of a card. */
public final class WrittenWords {
    private static final VarHandle ALIGNED = ValueLayout.JAVA_LONG.varHandle();

    private WrittenWords() {}

    /**
     * Copies bytes in ascending order. Readers with acquire semantics see each fully written aligned word appear
     * atomically, and the words in order.
     */
    public static void land(MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long bytes) {
        long done = Math.min(bytes, toWord(to, toOffset));
        bytes(from, fromOffset, to, toOffset, 0, done);
        long words = bytes - (bytes - done) % Long.BYTES;
        for (; done < words; done += Long.BYTES) {
            ALIGNED.setRelease(to, toOffset + done, from.get(ValueLayout.JAVA_LONG_UNALIGNED, fromOffset + done));
        }
        bytes(from, fromOffset, to, toOffset, done, bytes);
    }

    /** Returns the distance to the next aligned word, in bytes. */
    static long toWord(MemorySegment memory, long offset) {
        return -(memory.address() + offset) & (Long.BYTES - 1);
    }

    /** Returns the number of leading bytes of {@code bytes}, possibly 0, that can be copied without tearing a word. */
    public static long beforeTorn(MemorySegment memory, long offset, long bytes) {
        return Math.max(0, bytes - ((memory.address() + offset + bytes) & (Long.BYTES - 1)));
    }

    private static void bytes(
            MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long begin, long end) {
        if (begin < end) {
            // A reader that sees one of these bytes must also see the bytes before it.
            VarHandle.releaseFence();
        }
        for (long i = begin; i < end; i++) {
            to.set(ValueLayout.JAVA_BYTE, toOffset + i, from.get(ValueLayout.JAVA_BYTE, fromOffset + i));
        }
    }
}
