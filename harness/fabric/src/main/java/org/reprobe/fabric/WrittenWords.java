package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;

/** What a WRITE does to the memory of a server, where a core does it in place of a card. */
public final class WrittenWords {
    private static final VarHandle ALIGNED = ValueLayout.JAVA_LONG.varHandle();

    private WrittenWords() {}

    /**
     * Copies ascending. Aligned words of the memory that are written whole appear at once and in order to whoever reads them with acquire
     * semantics.
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

    /** Bytes up to the next aligned word. */
    static long toWord(MemorySegment memory, long offset) {
        return -(memory.address() + offset) & (Long.BYTES - 1);
    }

    /**
     * How many of {@code bytes} bytes can be copied to or from memory now, and the others later, without that a word of it is torn.
     *
     * @return 0 when none can
     */
    public static long beforeTorn(MemorySegment memory, long offset, long bytes) {
        return Math.max(0, bytes - ((memory.address() + offset + bytes) & (Long.BYTES - 1)));
    }

    private static void bytes(
            MemorySegment from, long fromOffset, MemorySegment to, long toOffset, long begin, long end) {
        if (begin < end) {
            // Before them, for who looks at them alone.
            VarHandle.releaseFence();
        }
        for (long i = begin; i < end; i++) {
            to.set(ValueLayout.JAVA_BYTE, toOffset + i, from.get(ValueLayout.JAVA_BYTE, fromOffset + i));
        }
    }
}
