package org.reprobe.farm.messages;

import org.reprobe.farm.memory.MemoryMap;

/**
 * Offsets of a machine's rings in its registered memory: receiving ends and copies of sending ends, from a cache line
 * on. Each thread has a ring to the thread with its number on each other machine. FaRM 2014 (section 3.1) has a ring
 * for each pair of sending thread and receiving machine, and does not print which thread polls it.
 */
public record RingAddresses(RingLayout layout, int machines, int threads, long from) {
    private static final int LINE_BYTES = 64;

    /** Adds the rings of all threads to a map. */
    public static RingAddresses in(MemoryMap map, RingLayout layout, int machines) {
        long bytes = new RingAddresses(layout, machines, map.threads(), 0).bytes();
        return new RingAddresses(layout, machines, map.threads(), map.lines(bytes));
    }

    /** Returns the bytes per pair of thread and other machine, in whole cache lines. */
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

    /** Returns the offset of the word for the other machine's head, up to which it has processed messages. */
    long headAt(int thread, int other) {
        return pairAt(thread, other);
    }

    /** Returns the offset of the word from which this thread's head is sent to another machine. */
    long publishedHeadAt(int thread, int other) {
        return pairAt(thread, other) + LINE_BYTES;
    }
}
