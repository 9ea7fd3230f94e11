package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An object in remote memory that can be read without a lock (FaRM 2014, section 4.2): a header of 16 bytes, its version and its
 * incarnation, then the payload. The low 16 bits of the version stand again in each cache line but the first, before its payload;
 * where a READ takes words rather than lines at one moment, at the end of each line, too. So a READ that finds them all alike, and
 * no lock mode in the version, has met no write. Numbers are little-endian.
 *
 * @param payloadBytes what it holds
 * @param bothEnds whether lines end with a version as well
 */
record ObjectLayout(int payloadBytes, boolean bothEnds) {
    static final int LINE_BYTES = 64;
    static final int HEADER_BYTES = 16;
    static final int LINE_VERSION_BYTES = 2;

    /** A version that nobody has locked ends so. */
    static final long LOCK_MODE = 3;

    private static final int INCARNATION_OFFSET = 8;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    /** The most payload that an object of so many lines holds. */
    private int capacity(int lines) {
        int atEnds = bothEnds ? lines * LINE_VERSION_BYTES : 0;
        return lines * LINE_BYTES - HEADER_BYTES - (lines - 1) * LINE_VERSION_BYTES - atEnds;
    }

    /** Bytes of the object: whole lines. */
    int bytes() {
        int lines = 1;
        while (capacity(lines) < payloadBytes) {
            lines++;
        }
        return lines * LINE_BYTES;
    }

    private static int begin(int line) {
        return line == 0 ? HEADER_BYTES : LINE_VERSION_BYTES;
    }

    private int end() {
        return bothEnds ? LINE_BYTES - LINE_VERSION_BYTES : LINE_BYTES;
    }

    /** Writes it where nobody reads yet: header, line versions, payload. */
    void write(MemorySegment to, long at, long version, long incarnation, MemorySegment payload) {
        to.set(LONG, at, version);
        to.set(LONG, at + INCARNATION_OFFSET, incarnation);
        int done = 0;
        for (int line = 0; done < payloadBytes; line++) {
            long from = at + (long) line * LINE_BYTES;
            if (line > 0) {
                to.set(SHORT, from, (short) version);
            }
            if (bothEnds) {
                to.set(SHORT, from + end(), (short) version);
            }
            int bytes = Math.min(end() - begin(line), payloadBytes - done);
            MemorySegment.copy(payload, done, to, from + begin(line), bytes);
            done += bytes;
        }
    }

    /**
     * Takes the payload of a READ.
     *
     * @param payload for so many bytes
     * @return whether it is what the object held at one moment, and nobody had locked it
     */
    boolean read(MemorySegment from, long at, MemorySegment payload) {
        long version = from.get(LONG, at);
        if ((version & LOCK_MODE) != 0) {
            return false;
        }
        short expected = (short) version;
        int done = 0;
        for (int line = 0; done < payloadBytes; line++) {
            long start = at + (long) line * LINE_BYTES;
            if (line > 0 && from.get(SHORT, start) != expected) {
                return false;
            }
            if (bothEnds && from.get(SHORT, start + end()) != expected) {
                return false;
            }
            int bytes = Math.min(end() - begin(line), payloadBytes - done);
            MemorySegment.copy(from, start + begin(line), payload, done, bytes);
            done += bytes;
        }
        return true;
    }

    /** Which of the objects that have stood there one after the other it is. */
    static long incarnation(MemorySegment from, long at) {
        return from.get(LONG, at + INCARNATION_OFFSET);
    }
}
