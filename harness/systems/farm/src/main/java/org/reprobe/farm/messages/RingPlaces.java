package org.reprobe.farm.messages;

/**
 * Offsets of the ring ends in a machine's registered memory, from {@code from} rounded up to a whole line. A ring leads from each thread of
 * a machine to the thread with the same number on each other machine (FaRM 2014, section 3.1: a ring for each pair of sending thread and
 * receiving machine; the polling thread is not printed).
 */
public record RingPlaces(RingLayout layout, int machines, int threads, long from) {
    private static final int LINE_BYTES = 64;

    public RingPlaces {
        from = (from + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }

    /** Returns the bytes per thread and other machine, in whole lines. */
    private long pairBytes() {
        return (2L * layout.roomBytes() + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + 2 * LINE_BYTES;
    }

    public long bytes() {
        return (long) machines * threads * pairBytes();
    }

    private long pairAt(int thread, int other) {
        return from + ((long) thread * machines + other) * pairBytes();
    }

    /** Returns the offset of the ring into which another machine's thread WRITEs. */
    public long ringAt(int thread, int other) {
        return pairAt(thread, other) + 2 * LINE_BYTES;
    }

    /** Returns the offset of the sender's copy of its ring at another machine. */
    long copyAt(int thread, int other) {
        return ringAt(thread, other) + layout.roomBytes();
    }

    /**
     * Returns the offset of the word that receives another machine's head: the position up to which it has processed
     * this thread's messages.
     */
    long headAt(int thread, int other) {
        return pairAt(thread, other);
    }

    /** Returns the offset of the word from which this thread's head is sent to another machine. */
    long toldAt(int thread, int other) {
        return pairAt(thread, other) + LINE_BYTES;
    }
}
