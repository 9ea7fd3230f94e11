package org.reprobe.farm.memory;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An object in remote memory that can be read without a lock (FaRM 2014, section 3.5): a header of 16 bytes, its version and its
 * incarnation with a bit that says whether it is allocated, then the payload. The low 16 bits of the version stand again at the start of each further cache line; where a READ takes
 * words rather than lines at one moment, at the end of each line, too. So a READ that finds them all alike, and no lock mode in the
 * version, has met no write. Numbers are little-endian.
 *
 * <p>Cache lines are those of memory: an object that does not begin with one has its line versions at other places of its own.
 *
 * @param payloadBytes what it holds
 * @param bytes of the object
 * @param bothEnds whether lines end with a version as well
 */
public record ObjectLayout(int payloadBytes, int bytes, boolean bothEnds) {
    public static final int LINE_BYTES = 64;
    public static final int HEADER_BYTES = 16;
    public static final int LINE_VERSION_BYTES = 2;

    /** These bits of a version are its lock mode: 0 when nobody has locked it. */
    public static final long LOCK_MODE = 3;

    /**
     * In the word of the incarnation: an object is allocated there. The paper says that there is such a bit, but not where; here, one store
     * frees an object and changes its incarnation.
     */
    static final long ALLOCATED = Long.MIN_VALUE;

    /** The lock mode of an object that will be changed, and is still as it was: READs accept it (section 3.4). */
    public static final long READABLE = 1;

    /** The lock mode of an object that is being changed: READs don't accept it. */
    public static final long EXCLUSIVE = 3;

    private static final int INCARNATION_OFFSET = 8;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    /** One that begins with a cache line and has whole ones, as elements of arrays have. */
    public static ObjectLayout inLines(int payloadBytes, boolean bothEnds) {
        int lines = 1;
        while (capacity(lines * LINE_BYTES, 0, bothEnds) < payloadBytes) {
            lines++;
        }
        return new ObjectLayout(payloadBytes, lines * LINE_BYTES, bothEnds);
    }

    /** The most payload that an object of some size class holds wherever it stands. */
    public static int maxPayloadBytes(boolean bothEnds) {
        return leastCapacity(SizeClasses.MAX_BYTES, bothEnds);
    }

    /** One of the smallest size class that holds the payload, {@link #maxPayloadBytes} at most, wherever it stands. */
    public static ObjectLayout inSizeClass(int payloadBytes, boolean bothEnds) {
        int sizeClass = SizeClasses.of(HEADER_BYTES + payloadBytes);
        while (leastCapacity(SizeClasses.bytes(sizeClass), bothEnds) < payloadBytes
                || (bothEnds && SizeClasses.bytes(sizeClass) % LINE_VERSION_BYTES != 0)) {
            sizeClass++; // a version at its end stands at a multiple of its length
        }
        return new ObjectLayout(payloadBytes, SizeClasses.bytes(sizeClass), bothEnds);
    }

    /** Room for its payload, all zero. */
    public MemorySegment newPayload() {
        return MemorySegment.ofArray(new byte[payloadBytes]);
    }

    /** Its address is a multiple of this: so the header and what goes with it are in one line. */
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

    /** The most payload of so many bytes that begin at {@code start} of a line. */
    private static int capacity(int bytes, int start, boolean bothEnds) {
        int lines = (start + bytes + LINE_BYTES - 1) / LINE_BYTES;
        int versions = lines - 1 + (bothEnds ? lines : 0);
        return bytes - HEADER_BYTES - versions * LINE_VERSION_BYTES;
    }

    /** What of an object stands in one of its lines. */
    @FunctionalInterface
    interface Line {
        /** A line that has no version there: the first at its start, where its header stands; any at its end but for {@link #bothEnds}. */
        long NO_VERSION = -1;

        /**
         * One line.
         *
         * @param versionAt the version at its start, or {@link #NO_VERSION}
         * @param from where payload begins
         * @param payloadOffset which payload it is
         * @param bytes of payload
         * @param endVersionAt the version at its end, or {@link #NO_VERSION}
         */
        void stands(long versionAt, long from, int payloadOffset, int bytes, long endVersionAt);
    }

    /** Goes through those of its lines that hold payload, in ascending order, of an object at {@code at} of memory that begins with one. */
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

    /**
     * Writes it where nobody reads yet, as allocated: header, line versions, payload.
     *
     * @param to memory that begins with a cache line
     */
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
     * Takes the payload of a READ.
     *
     * @param at where the READ has put it, a multiple of 8
     * @param address where it was read, or the offset in memory that begins with a cache line
     * @param payload for so many bytes
     * @return whether it is what the object held at one moment, and nobody had locked it but in the readable mode
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

    /** What its header says that it has. */
    public static long version(MemorySegment from, long at) {
        return from.get(LONG, at);
    }

    /** Which of the objects that have stood there one after the other it is. */
    public static long incarnation(MemorySegment from, long at) {
        return from.get(LONG, at + INCARNATION_OFFSET) & ~ALLOCATED;
    }

    /** What stands there from now on is another object, or none: its place is free. */
    public static void incrementIncarnation(MemorySegment of, long at) {
        of.set(LONG, at + INCARNATION_OFFSET, incarnation(of, at) + 1);
    }

    /** What stands there from now on is an object of this incarnation. */
    static void setIncarnation(MemorySegment of, long at, long incarnation) {
        of.set(LONG, at + INCARNATION_OFFSET, incarnation | ALLOCATED);
    }

    /** Whether an object is allocated there. */
    public static boolean isAllocated(MemorySegment from, long at) {
        return (from.get(LONG, at + INCARNATION_OFFSET) & ALLOCATED) != 0;
    }

    /**
     * Whether a place has no object of an incarnation, or no longer. Of one that is locked against READs that can't be told yet.
     *
     * @param version of the place, read before
     */
    public static boolean isGone(long version, long incarnation, MemorySegment from, long at) {
        return (version & LOCK_MODE) <= READABLE && (!isAllocated(from, at) || incarnation(from, at) != incarnation);
    }
}
