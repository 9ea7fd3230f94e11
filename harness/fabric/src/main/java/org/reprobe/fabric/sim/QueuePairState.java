package org.reprobe.fabric.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.SendQueue;

/**
 * What the cards keep of a queue pair, by which the threads that share it hold each other up: READs and atomics in flight, ends of
 * earlier requests, and the lock under which threads post. Where nobody shares it, each has one of its own.
 */
final class QueuePairState {
    /** Places of a set of remembered ends: half a cache line. */
    private static final int WAYS = 4;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final long[] outstandingPs;
    private int outstandingAt;

    private final RequestRate rate = new RequestRate();
    private final boolean shared;
    private final List<SimQueuePair> users = new ArrayList<>();
    /** Whose requests are next, in the order in which they were posted. */
    private final ArrayDeque<SimQueuePair> turns = new ArrayDeque<>();

    private int number = -1;
    private long lockFreePs;

    /**
     * Ends of earlier requests, newest first in each set: the tag in the lower half, in the upper how many translations the server's
     * card had fetched by then. One array, since each set is a cache miss.
     */
    private final long[] streams;
    /** Translations fetched by the end where the last request went on. */
    private int continuedFetches;

    private final int streamShift;

    /**
     * Of a queue pair that has not been used.
     *
     * @param capacity of its send queue
     * @param shared whether several threads may use it
     */
    QueuePairState(CardTimes times, int capacity, int outstandingReads, boolean shared) {
        this.outstandingPs = new long[outstandingReads];
        this.shared = shared;
        // What is remembered for longer than a few send queues' worth of requests would be met by chance only.
        int remembered = Math.min(SendQueue.powerOfTwo(times.sequentialStreams()), 4 * SendQueue.powerOfTwo(capacity));
        this.streams = new long[Math.max(WAYS, remembered)];
        this.streamShift = Long.numberOfLeadingZeros(streams.length / WAYS - 1L);
    }

    boolean isShared() {
        return shared;
    }

    int outstandingReads() {
        return outstandingPs.length;
    }

    /** The queue pair's number to the cards is the first of those who use it. */
    void usedBy(SimQueuePair user, int actor) {
        if (number < 0) {
            number = actor;
        }
        if (shared) {
            users.add(user);
        }
    }

    /** Each thread's part of a queue pair that is shared. */
    List<SimQueuePair> users() {
        return users;
    }

    /** Some more requests of one of those who share it stand behind all that were posted; whether they are the first. */
    boolean takesTurns(SimQueuePair user, long requests) {
        boolean first = turns.isEmpty();
        for (long i = 0; i < requests; i++) {
            turns.add(user);
        }
        return first;
    }

    /** The first request has been sent; whose the one after it is, null where there is none. */
    @Nullable
    SimQueuePair nextTurn() {
        turns.remove();
        return turns.peek();
    }

    int number() {
        return number;
    }

    RequestRate rate() {
        return rate;
    }

    /** When there is room for one more READ or atomic in flight. */
    long roomAt() {
        return outstandingPs[outstandingAt];
    }

    /** One more is in flight, until its answer is there. */
    void outstanding(long answeredPs) {
        outstandingPs[outstandingAt] = answeredPs;
        if (++outstandingAt == outstandingPs.length) {
            outstandingAt = 0;
        }
    }

    /** Takes the lock for some time once it is free; until when it is held. */
    long locked(long nowPs, long ps) {
        lockFreePs = Math.max(nowPs, lockFreePs) + ps;
        return lockFreePs;
    }

    int continuedFetches() {
        return continuedFetches;
    }

    /**
     * True when a request starts where an earlier one ended; remembers where this one ends.
     *
     * @param fetches translations that the server's card has fetched so far
     */
    boolean continues(long remote, int bytes, int fetches) {
        if (bytes == 0) {
            return true;
        }
        long start = remote * GOLDEN;
        int tag = tag(start);
        int set = set(start);
        boolean known = false;
        for (int way = set; way < set + WAYS; way++) {
            if ((int) streams[way] == tag) {
                known = true;
                continuedFetches = (int) (streams[way] >>> 32);
                break;
            }
        }
        long end = (remote + bytes) * GOLDEN;
        set = set(end);
        streams[set + 3] = streams[set + 2];
        streams[set + 2] = streams[set + 1];
        streams[set + 1] = streams[set];
        streams[set] = (long) fetches << 32 | Integer.toUnsignedLong(tag(end));
        return known;
    }

    private int set(long hash) {
        return streamShift == Long.SIZE ? 0 : (int) (hash >>> streamShift) * WAYS;
    }

    /** Tells hashed addresses of one set apart; zero is the empty place's. */
    private static int tag(long hash) {
        return (int) (hash >>> 12) | 1;
    }
}
