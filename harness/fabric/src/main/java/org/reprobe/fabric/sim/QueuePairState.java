package org.reprobe.fabric.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.SendQueue;

/**
 * Card state of one queue pair: READs and atomics in flight, addresses at which earlier requests ended, and the locks
 * for posting. The threads of a shared queue pair have it in common, and so do the coroutines of one thread, which need
 * no lock.
 */
final class QueuePairState {
    /** Number of remembered ends per set; four of 8 bytes are half a cache line. */
    private static final int WAYS = 4;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private final long[] outstandingPs;
    private int outstandingAt;

    private final RequestRate rate = new RequestRate();
    /** Lock of a shared queue pair; null if one thread uses it. */
    private final @Nullable PostingLock lock;
    /** Lock of the doorbell that the queue pair shares with others; null if it has its own. */
    private final @Nullable PostingLock doorbell;

    private final List<SimQueuePair> users = new ArrayList<>();
    /** True if coroutines of one thread share the queue pair. */
    private boolean ofOneThread;

    private long lastReplyPs;
    /** Users with unsent requests, in posting order. */
    private final ArrayDeque<SimQueuePair> turns = new ArrayDeque<>();

    private int number = -1;
    /** State of the other end, if both ends are of one connection between programs. */
    private @Nullable QueuePairState otherEnd;
    /** Time at which the card of this end began with its last request of the queue pair, sent or served. */
    private long beganHerePs;
    /** The same for the other end's card, if that end has no state of its own. */
    private long beganTherePs;
    /** Time from which the next request can leave by the gap between messages. */
    private long gapEndsPs;

    /**
     * End addresses of earlier requests, newest first in each set. The lower half of an entry is the tag; the upper
     * half is the number of translations that the server's card had fetched. A single array, so that reading a set
     * costs one cache miss.
     */
    private final long[] streams;
    /** Number of translations that had been fetched at the end of the request that the last one continued. */
    private int continuedFetches;

    private final int streamShift;

    /** @param capacity of the send queue */
    QueuePairState(
            CardTimes times, int capacity, int outstandingReads, boolean shared, @Nullable PostingLock doorbell) {
        this.outstandingPs = new long[outstandingReads];
        this.lock = shared ? new PostingLock(times.card().lockHolds()) : null;
        this.doorbell = doorbell;
        // Matches beyond a few send queues' worth of requests would be coincidences.
        int remembered = Math.min(SendQueue.powerOfTwo(times.sequentialStreams()), 4 * SendQueue.powerOfTwo(capacity));
        this.streams = new long[Math.max(WAYS, remembered)];
        this.streamShift = Long.numberOfLeadingZeros(streams.length / WAYS - 1L);
    }

    boolean isShared() {
        return lock != null;
    }

    @Nullable
    PostingLock lock() {
        return lock;
    }

    @Nullable
    PostingLock doorbell() {
        return doorbell;
    }

    int outstandingReads() {
        return outstandingPs.length;
    }

    /** Adds a user; the first user's actor number identifies the queue pair to the cards. */
    void usedBy(SimQueuePair user, int actor) {
        if (number < 0) {
            number = actor;
        }
        if (lock != null) {
            boolean threadIsNew =
                    users.stream().noneMatch(other -> other.client().isOfThread(user.client()));
            if (threadIsNew) {
                lock.addSharer();
            }
            ofOneThread = users.isEmpty() || (ofOneThread && !threadIsNew);
            users.add(user);
        }
    }

    /** Returns the time of a reply, which is not before those of coroutines' earlier requests. */
    long inOrder(long replyPs) {
        if (ofOneThread) {
            lastReplyPs = Math.max(lastReplyPs, replyPs);
            return lastReplyPs;
        }
        return replyPs;
    }

    List<SimQueuePair> users() {
        return users;
    }

    /** Queues requests of a user behind all posted ones; returns true if there were none. */
    boolean takesTurns(SimQueuePair user, long requests) {
        boolean first = turns.isEmpty();
        for (long i = 0; i < requests; i++) {
            turns.add(user);
        }
        return first;
    }

    /** Notes that the first request was sent; returns the user of the next request, or null if there is none. */
    @Nullable
    SimQueuePair nextTurn() {
        turns.remove();
        return turns.peek();
    }

    /** Returns the number by which both cards identify the queue pair. */
    int number() {
        return number;
    }

    /** Makes this the state of one end of a connection whose other end has a state of its own. */
    void join(QueuePairState other) {
        otherEnd = other;
        other.otherEnd = this;
        number = Math.min(number, other.number);
        other.number = number;
    }

    long beganHerePs() {
        return beganHerePs;
    }

    void beganHere(long ps) {
        beganHerePs = ps;
    }

    long beganTherePs() {
        return otherEnd == null ? beganTherePs : otherEnd.beganHerePs;
    }

    void beganThere(long ps) {
        if (otherEnd == null) {
            beganTherePs = ps;
        } else {
            otherEnd.beganHerePs = ps;
        }
    }

    long gapEndsPs() {
        return gapEndsPs;
    }

    void gapEnds(long ps) {
        gapEndsPs = ps;
    }

    RequestRate rate() {
        return rate;
    }

    /** Returns the time from which one more READ or atomic may be in flight. */
    long roomAt() {
        return outstandingPs[outstandingAt];
    }

    /** Adds a READ or atomic that is in flight until {@code answeredPs}. */
    void outstanding(long answeredPs) {
        outstandingPs[outstandingAt] = answeredPs;
        if (++outstandingAt == outstandingPs.length) {
            outstandingAt = 0;
        }
    }

    int continuedFetches() {
        return continuedFetches;
    }

    /**
     * Returns true if a request starts where an earlier one ended. Remembers the end of this request.
     *
     * @param fetches number of translations that the server's card has fetched so far
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

    /** Returns the tag of a hashed address; 0 is reserved for empty entries. */
    private static int tag(long hash) {
        return (int) (hash >>> 12) | 1;
    }
}
