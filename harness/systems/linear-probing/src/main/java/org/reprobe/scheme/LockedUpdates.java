package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.workload.Rng;

/**
 * Lookups of which a share ({@code workload.writes}) write the record that they found, by one-sided operations. A
 * COMPARE_AND_SWAP acquires the lock of the record in a separate table of locks. The WRITE of the record and the WRITE
 * that releases the lock are posted in one batch, which keeps their order. A client that finds the lock taken retries.
 * Writers exclude each other; a reader must detect a concurrent write by versions or checksums.
 *
 * <p>The lock of a client that dies or loses its connection stays taken: its records cannot be written any more, and
 * the record that was being written may be torn. In runs with such faults a client gives up a lookup if the lock stays
 * taken for too long.
 *
 * <p>A write stores the bytes that the lookup found, so the contents of the table do not change.
 *
 * <p>This class wraps a lookup scheme that does not depend on it. A lookup that will write has one more pending request
 * than the scheme has pushed, so the scheme does not finish it. When the scheme is done with the lookup, this class
 * pushes the requests of the write.
 */
public final class LockedUpdates implements LookupAlgorithm {
    /** No limit of the time spent on a lock, for runs in which every lock is released. */
    public static final long FOR_EVER_NS = Long.MAX_VALUE;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    // Values of a request's detail: the step of an update.
    private static final long LOCK = 0;
    private static final long WRITE = 1;
    private static final long UNLOCK = 2;

    /** State of a lookup that will write: the wrapped scheme is looking up the record. */
    private static final byte LOOKS = 1;

    /** State of a lookup that will write: lock, WRITE or unlock is in progress. */
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
    /** Number of lookups that hold a lock or are acquiring one. */
    private int updating;
    /** State by lookup: 0 for a lookup that does not write, {@link #LOOKS} or {@link #UPDATES}. */
    private byte[] state = {};
    /** Time in nanoseconds at which a lookup first found its lock taken, by lookup number; 0 for not yet. */
    private long[] takenNs = {};

    /**
     * Settings of the lookups that write: share from 0 to 1, words of 8 bytes as locks, and limit of the time for which
     * a lookup retries to acquire a lock. A free lock is 0. The number of locks is a power of two; the ordinal of a
     * record modulo that number selects its lock.
     */
    public record Writes(double share, RemoteRegion locks, long patienceNs) {}

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

    /** Returns false while the client holds a lock: clients with longer samples would wait for it. */
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

    /** Returns the number of times that a lookup found its lock taken. */
    long lockRetries() {
        return lockRetries;
    }

    /** Returns true if the wrapped scheme has pushed the request, false if this class has pushed it. */
    boolean isRead(int request) {
        return state[requests.lookup[request]] != UPDATES;
    }

    /** Adds a request that this class has pushed to the work requests of the queue pair; a doorbell sends them. */
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
