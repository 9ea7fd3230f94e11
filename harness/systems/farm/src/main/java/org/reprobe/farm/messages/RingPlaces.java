package org.reprobe.farm.messages;

import org.reprobe.farm.memory.MemoryMap;

/**
 * Places of the ends of a machine's rings in its registered memory. A ring leads from each thread of a machine to the thread of the
 * same number of each other machine (FaRM 2014, section 3.1: a ring for each pair of sending thread and receiving machine; it does not print
 * which thread polls it).
 *
 * @param layout of each ring
 * @param threads of each machine
 * @param from where the places begin: at a line
 */
public record RingPlaces(RingLayout layout, int machines, int threads, long from) {
    private static final int LINE_BYTES = 64;

    /** Adds the places of all threads to a map. */
    public static RingPlaces in(MemoryMap map, RingLayout layout, int machines) {
        long bytes = new RingPlaces(layout, machines, map.threads(), 0).bytes();
        return new RingPlaces(layout, machines, map.threads(), map.lines(bytes));
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
