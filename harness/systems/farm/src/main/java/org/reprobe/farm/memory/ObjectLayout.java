package org.reprobe.farm.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Layout of a remote object that supports lock-free READs (FaRM 2014, section 3.5): a 16-byte header with version,
 * incarnation and allocated bit, then the payload. Each further cache line starts with the low 16 bits of the version;
 * with {@code bothEnds}, for READs that are atomic per word only, each line ends with them as well. Equal versions
 * without a lock mode show that no write overlapped the READ. Numbers are little-endian.
 *
 * <p>Cache lines are those of memory: the positions of line versions depend on the object's offset within its first
 * line.
 */
public record ObjectLayout(int payloadBytes, int bytes, boolean bothEnds) {
    public static final int LINE_BYTES = 64;
    public static final int HEADER_BYTES = 16;
    public static final int LINE_VERSION_BYTES = 2;

    /** Mask of the lock mode in a version; 0 means unlocked. */
    public static final long LOCK_MODE = 3;

    /**
     * Allocated bit in the incarnation word. The paper does not print its position; here, one store both frees an
     * object and changes its incarnation.
     */
    static final long ALLOCATED = Long.MIN_VALUE;

    /** Lock mode of an object that will change but still has its old value: READs accept it (section 3.4). */
    public static final long READABLE = 1;

    /** Lock mode of an object that is being changed: READs reject it. */
    public static final long EXCLUSIVE = 3;

    private static final int INCARNATION_OFFSET = 8;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    /** Returns a layout of whole cache lines that starts at a line, as for array elements. */
    public static ObjectLayout inLines(int payloadBytes, boolean bothEnds) {
        int lines = 1;
        while (capacity(lines * LINE_BYTES, 0, bothEnds) < payloadBytes) {
            lines++;
        }
        return new ObjectLayout(payloadBytes, lines * LINE_BYTES, bothEnds);
    }

    /** Returns the maximum payload of the largest size class at any position. */
    public static int maxPayloadBytes(boolean bothEnds) {
        return leastCapacity(SizeClasses.MAX_BYTES, bothEnds);
    }

    /** Returns the smallest size class for a payload up to {@link #maxPayloadBytes}, at any position. */
    public static ObjectLayout inSizeClass(int payloadBytes, boolean bothEnds) {
        int sizeClass = SizeClasses.of(HEADER_BYTES + payloadBytes);
        while (leastCapacity(SizeClasses.bytes(sizeClass), bothEnds) < payloadBytes
                || (bothEnds && SizeClasses.bytes(sizeClass) % LINE_VERSION_BYTES != 0)) {
            sizeClass++; // a line version at the end must be at a multiple of its size
        }
        return new ObjectLayout(payloadBytes, SizeClasses.bytes(sizeClass), bothEnds);
    }

    public MemorySegment newPayload() {
        return MemorySegment.ofArray(new byte[payloadBytes]);
    }

    /** Returns the alignment of addresses, which keeps the header and its companion words in one line. */
    public int alignment() {
        return alignment(bothEnds);
    }

    private static int alignment(boolean bothEnds) {
        return bothEnds ? LINE_BYTES : HEADER_BYTES;
    }

    private static int leastCapacity(int bytes, boolean bothEnds) {
        int least = Integer.MAX_VALUE;
        for (int start = 0; start < LINE_BYTES; start += alignment(bothEnds)) {
            least = Math.min(least, capacity(bytes, start, bothEnds));
        }
        return least;
    }

    /** Returns the payload capacity of {@code bytes} bytes that begin at offset {@code start} of a line. */
    private static int capacity(int bytes, int start, boolean bothEnds) {
        int lines = (start + bytes + LINE_BYTES - 1) / LINE_BYTES;
        int versions = lines - 1 + (bothEnds ? lines : 0);
        return bytes - HEADER_BYTES - versions * LINE_VERSION_BYTES;
    }

    @FunctionalInterface
    interface Line {
        /** Placeholder for a missing line version: in the first line, and at line ends unless {@link #bothEnds}. */
        long NO_VERSION = -1;

        /**
         * Visits a line, with the positions of its versions, or {@link #NO_VERSION}, and of {@code bytes} of payload.
         */
        void stands(long versionAt, long from, int payloadOffset, int bytes, long endVersionAt);
    }

    /** Visits the lines with payload in ascending order. {@code at} is the object's offset in line-aligned memory. */
    void forEachLine(long at, Line line) {
        long versionAt = Line.NO_VERSION;
        long from = at + HEADER_BYTES;
        long lineEnd = (at | LINE_BYTES - 1) + 1;
        int done = 0;
        while (done < payloadBytes) {
            long until = Math.min(lineEnd, at + bytes) - (bothEnds ? LINE_VERSION_BYTES : 0);
            int part = (int) Math.min(until - from, payloadBytes - done);
            line.stands(versionAt, from, done, part, bothEnds ? until : Line.NO_VERSION);
            done += part;
            versionAt = lineEnd;
            from = lineEnd + LINE_VERSION_BYTES;
            lineEnd += LINE_BYTES;
        }
    }

    /** Writes an allocated object that no reader accesses yet into line-aligned memory. */
    public void write(MemorySegment to, long at, long version, long incarnation, MemorySegment payload) {
        to.set(LONG, at, version);
        to.set(LONG, at + INCARNATION_OFFSET, incarnation | ALLOCATED);
        forEachLine(at, (versionAt, from, payloadOffset, count, endVersionAt) -> {
            setLineVersion(to, versionAt, (short) version);
            MemorySegment.copy(payload, payloadOffset, to, from, count);
            setLineVersion(to, endVersionAt, (short) version);
        });
    }

    private static void setLineVersion(MemorySegment to, long at, short version) {
        if (at != Line.NO_VERSION) {
            to.set(SHORT, at, version);
        }
    }

    /**
     * Copies the payload out of a READ's buffer; returns true if it is a consistent snapshot and the object was
     * unlocked or locked in the readable mode.
     *
     * @param at position in the buffer, a multiple of 8
     * @param address source address of the READ, or an offset in line-aligned memory
     */
    public boolean read(MemorySegment buffer, long at, long address, MemorySegment payload) {
        long version = buffer.get(LONG, at);
        if ((version & LOCK_MODE) > READABLE) {
            return false;
        }
        short expected = (short) (version & ~LOCK_MODE);
        long from = at + HEADER_BYTES;
        long lineEnd = at + LINE_BYTES - (address & LINE_BYTES - 1);
        int done = 0;
        while (true) {
            long until = Math.min(lineEnd, at + bytes);
            if (bothEnds) {
                until -= LINE_VERSION_BYTES;
                if (buffer.get(SHORT, until) != expected) {
                    return false;
                }
            }
            int part = (int) Math.min(until - from, payloadBytes - done);
            MemorySegment.copy(buffer, from, payload, done, part);
            done += part;
            if (done == payloadBytes) {
                return true;
            }
            if (buffer.get(SHORT, lineEnd) != expected) {
                return false;
            }
            from = lineEnd + LINE_VERSION_BYTES;
            lineEnd += LINE_BYTES;
        }
    }

    public static long version(MemorySegment from, long at) {
        return from.get(LONG, at);
    }

    /** Returns the incarnation: the number of the object among all that have used this place. */
    public static long incarnation(MemorySegment from, long at) {
        return from.get(LONG, at + INCARNATION_OFFSET) & ~ALLOCATED;
    }

    /** Increments the incarnation and clears the allocated bit: the object at this place is freed. */
    public static void incrementIncarnation(MemorySegment of, long at) {
        of.set(LONG, at + INCARNATION_OFFSET, incarnation(of, at) + 1);
    }

    static void setIncarnation(MemorySegment of, long at, long incarnation) {
        of.set(LONG, at + INCARNATION_OFFSET, incarnation | ALLOCATED);
    }

    public static boolean isAllocated(MemorySegment from, long at) {
        return (from.get(LONG, at + INCARNATION_OFFSET) & ALLOCATED) != 0;
    }

    /**
     * Returns true if a place, after its version was read, does not hold this incarnation; false under exclusive locks.
     */
    public static boolean isGone(long version, long incarnation, MemorySegment from, long at) {
        return (version & LOCK_MODE) <= READABLE && (!isAllocated(from, at) || incarnation(from, at) != incarnation);
    }
}
