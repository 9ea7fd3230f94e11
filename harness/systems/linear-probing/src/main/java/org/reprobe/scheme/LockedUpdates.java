package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.workload.Rng;

/**
 * A scheme some of whose lookups go on to write the record that they found, by one-sided operations ({@code workload.writes}). The
 * record's lock stands in a table of locks: a COMPARE_AND_SWAP takes it, then a WRITE of the record and one that frees the lock go
 * out in one batch, which keeps their order. A client that finds the lock taken tries again. So writers exclude each other; a reader must
 * detect a concurrent write by versions or checksums. A client that dies or loses its connection keeps its lock: the lock's records are
 * not written any more, and the one that was being written may be torn. In runs with such faults a client gives its lookup up when the
 * lock is taken for too long.
 *
 * <p>The bytes written are those that were found, so that the table stays what it was built as.
 *
 * <p>It wraps a lookup scheme, which does not depend on it: a lookup that is to write has a request more pending than the scheme
 * pushed, so that it does not finish, and once the scheme is done with it, what it pushes is this class's.
 */
public final class LockedUpdates implements LookupAlgorithm {
    /** Unlimited patience, for runs in which every lock is released. */
    public static final long FOR_EVER_NS = Long.MAX_VALUE;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    // Values of a request's detail: the step of an update.
    private static final long LOCK = 0;
    private static final long WRITE = 1;
    private static final long UNLOCK = 2;

    /** State of a lookup that will write: it looks its record up. */
    private static final byte LOOKS = 1;

    private static final byte UPDATES = 2;

    private final LookupAlgorithm lookup;
    private final FoundRecords found;
    private final Lookups lookups;
    private final RequestQueue requests;
    private final MemorySegment local;
    private final Rng random;
    private final RemoteTable table;
    private final Writes plan;
    private final Client client;
    private long lockRetries;
    /** Lookups that have, or are about to have, a record locked. */
    private int updating;
    /** State by lookup: 0 for a lookup that does not write, {@link #LOOKS} or {@link #UPDATES}. */
    private byte[] state = {};
    /** Time at which a lookup first found its lock taken, by lookup; 0 for not yet. */
    private long[] takenNs = {};

    /**
     * Writes among lookups.
     *
     * @param share share of lookups that write, 0 to 1
     * @param locks of records: words of 8 bytes, zero for free; their number is a power of two, and a record's is given by its ordinal
     * @param patienceNs time for which a lookup tries to take a lock; {@link #FOR_EVER_NS} for no limit
     */
    public record Writes(double share, RemoteRegion locks, long patienceNs) {}

    /**
     * Creates the updates of one client.
     *
     * @param lookup the wrapped scheme
     * @param found the records that lookups have found
     */
    LockedUpdates(LookupResources client, LookupAlgorithm lookup, FoundRecords found, RemoteTable table, Writes plan) {
        this.lookup = lookup;
        this.found = found;
        this.table = table;
        this.plan = plan;
        this.lookups = client.lookups;
        this.requests = client.requests;
        this.local = client.local;
        this.random = client.random;
        this.client = client.client;
    }

    /** Returns the number of locks that are held. */
    static long held(MemorySegment locks) {
        long held = 0;
        for (long at = 0; at < locks.byteSize(); at += Long.BYTES) {
            held += locks.get(WORD, at) == 0 ? 0 : 1;
        }
        return held;
    }

    @Override
    public int requestsToStart() {
        return lookup.requestsToStart();
    }

    @Override
    public void begin(int number) {
        if (number >= state.length) {
            state = Arrays.copyOf(state, lookups.capacity());
            takenNs = Arrays.copyOf(takenNs, lookups.capacity());
        }
        boolean writes = random.nextDouble() < plan.share();
        state[number] = writes ? LOOKS : 0;
        lookup.begin(number);
        if (writes) {
            lookups.pending[number]++;
        }
    }

    @Override
    public void completed(int request) {
        int number = requests.lookup[request];
        if (state[number] == UPDATES) {
            updated(request, number);
            return;
        }
        found.processes(requests, request);
        lookup.completed(request);
        if (state[number] == LOOKS && lookups.tableDone[number] && lookups.pending[number] == 1) {
            lookups.pending[number] = 0;
            if (lookups.answered[number]) {
                state[number] = UPDATES;
                takenNs[number] = 0;
                updating++;
                lookups.writes(number);
                lock(number);
            } else {
                lookups.finishIfDone(number);
            }
        }
    }

    private void updated(int request, int number) {
        lookups.pending[number]--;
        if (requests.detail[request] == LOCK) {
            if (local.get(WORD, requests.local[request]) == 0) {
                push(WRITE, number, found.inHeap(number), found.offset(number), found.recordBytes());
                push(UNLOCK, number, false, lockOffset(number), Long.BYTES);
            } else {
                lockRetries++;
                lookups.lockTaken(number);
                if (waitsTooLong(number)) {
                    updating--;
                    lookups.giveUp(number);
                    return;
                }
                lock(number);
            }
        } else if (requests.detail[request] == UNLOCK) {
            updating--;
        }
        lookups.finishIfDone(number);
    }

    private boolean waitsTooLong(int number) {
        if (plan.patienceNs() == FOR_EVER_NS) {
            return false;
        }
        long nowNs = client.nowNs();
        takenNs[number] = takenNs[number] == 0 ? nowNs : takenNs[number];
        return nowNs - takenNs[number] >= plan.patienceNs();
    }

    @Override
    public void lostAll() {
        lookups.cutOff(updating);
        updating = 0;
    }

    /** A record that stays locked would keep clients of other processes waiting, whose samples may last longer. */
    @Override
    public boolean mayEnd() {
        return updating == 0;
    }

    private void lock(int number) {
        push(LOCK, number, false, lockOffset(number), Long.BYTES);
    }

    private long lockOffset(int number) {
        return (lookups.ordinal[number] * Long.BYTES) & (plan.locks().bytes() - 1);
    }

    private void push(long verb, int number, boolean toHeap, long offset, int bytes) {
        requests.push(number, toHeap, offset, bytes, verb);
        lookups.pending[number]++;
    }

    /** Returns the number of times that a lock was found taken. */
    long lockRetries() {
        return lockRetries;
    }

    /** Returns true if the wrapped scheme has pushed the request, false if this class has. */
    boolean isRead(int request) {
        return state[requests.lookup[request]] != UPDATES;
    }

    /** Appends a request that this class has pushed to the queue pair's list. */
    void post(QueuePair queuePair, long id, int request, int at, boolean signaled) {
        long offset = requests.offset[request];
        RemoteRegion locks = plan.locks();
        if (requests.detail[request] == LOCK) {
            queuePair.compareAndSwap(id, at, locks.address() + offset, locks.key(), 0, client.index() + 1L, signaled);
            return;
        }
        RemoteRegion region = locks;
        if (requests.detail[request] == UNLOCK) {
            local.set(WORD, at, 0);
        } else {
            found.copyTo(local, at, requests.lookup[request]);
            RemoteRegion heap = table.heap();
            region = requests.toHeap[request] && heap != null ? heap : table.table();
        }
        queuePair.write(id, at, region.address() + offset, region.key(), requests.bytes[request], signaled);
    }

    @Override
    public void whileWaiting() {
        lookup.whileWaiting();
    }
}
