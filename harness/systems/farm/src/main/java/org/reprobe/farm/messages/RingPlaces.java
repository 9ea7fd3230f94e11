package org.reprobe.farm.messages;

/**
 * Where in a machine's registered memory the ends of its threads' rings are. A ring leads from each thread of a machine to the thread of the
 * same number of each other machine (FaRM 2014, section 3.1: a ring for each pair of sending thread and receiving machine; it does not print
 * which thread polls it).
 *
 * @param layout of each ring
 * @param threads of each machine
 * @param from where the places begin; rounded up to a whole line
 */
public record RingPlaces(RingLayout layout, int machines, int threads, long from) {
    private static final int LINE_BYTES = 64;

    public RingPlaces {
        from = (from + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    }

    /** Bytes of the places of a thread that are for one other machine, in whole lines. */
    private long pairBytes() {
        return (2L * layout.roomBytes() + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES + 2 * LINE_BYTES;
    }

    /** Bytes of all. */
    public long bytes() {
        return (long) machines * threads * pairBytes();
    }

    private long pairAt(int thread, int other) {
        return from + ((long) thread * machines + other) * pairBytes();
    }

    /** The ring into which the thread of the same number of another machine WRITEs. */
    public long ringAt(int thread, int other) {
        return pairAt(thread, other) + 2 * LINE_BYTES;
    }

    /** What the thread keeps of the ring into which it WRITEs at another machine. */
    long copyAt(int thread, int other) {
        return ringAt(thread, other) + layout.roomBytes();
    }

    /** The word by which another machine tells how much it has processed of what the thread has sent. */
    long headAt(int thread, int other) {
        return pairAt(thread, other);
    }

    /** The word that the thread WRITEs to tell another machine so. */
    long toldAt(int thread, int other) {
        return pairAt(thread, other) + LINE_BYTES;
    }
}
