package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.reprobe.workload.Rng;

/**
 * A scheme some of whose lookups go on to write the record that they found. The record's lock stands in a table of locks: a
 * COMPARE_AND_SWAP takes it, then a WRITE of the record and one that frees the lock go out in one list, which keeps their
 * order. Who finds the lock taken asks again. So writers exclude each other; a reader must see for itself, by versions or
 * checksums, whether it met a writer.
 *
 * <p>The bytes written are those that were found, so that the table stays what it was built as.
 */
final class LockedUpdates implements LookupAlgorithm {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final LookupAlgorithm lookup;
    private final Lookups lookups;
    private final RequestQueue requests;
    private final Answers answers;
    private final MemorySegment local;
    private final Rng random;
    private final Updates updates;
    private final int recordBytes;
    /** By number of lookup: whether the record is to be written once it is found; then where it stands, and its bytes. */
    private boolean[] writes = {};

    private long[] recordAt = {};
    private boolean[] recordInHeap = {};
    private byte[] records = {};

    /** Of the READ that is being processed: where it landed, and where in table or heap it came from. */
    private long landed;

    private long cameFrom;
    private boolean fromHeap;

    LockedUpdates(LookupParts parts, LookupAlgorithm lookup, Updates updates) {
        this.lookup = lookup;
        this.lookups = parts.lookups();
        this.requests = parts.requests();
        this.answers = parts.answers();
        this.local = parts.local();
        this.random = parts.random();
        this.updates = updates;
        this.recordBytes = parts.table().geometry().recordBytes();
        answers.goOnWith(this);
    }

    @Override
    public int requestsToStart() {
        return lookup.requestsToStart();
    }

    @Override
    public void begin(int number) {
        if (number >= writes.length) {
            int capacity = lookups.key.length;
            writes = Arrays.copyOf(writes, capacity);
            recordAt = Arrays.copyOf(recordAt, capacity);
            recordInHeap = Arrays.copyOf(recordInHeap, capacity);
            records = Arrays.copyOf(records, capacity * recordBytes);
        }
        writes[number] = random.nextDouble() < updates.share();
        lookup.begin(number);
    }

    /** The record of a lookup is at {@code offset} of local memory. */
    void found(int number, long offset) {
        recordAt[number] = cameFrom + offset - landed;
        recordInHeap[number] = fromHeap;
        MemorySegment.copy(local, ValueLayout.JAVA_BYTE, offset, records, number * recordBytes, recordBytes);
    }

    /** True when a lookup that has found what it looked for now asks for the lock instead of finishing. */
    boolean goesOn(int number) {
        if (!writes[number] || !lookups.answered[number]) {
            return false;
        }
        writes[number] = false;
        lock(number);
        return true;
    }

    private void lock(int number) {
        push(RequestQueue.LOCK, number, false, updates.offset(lookups.ordinal[number]), Long.BYTES);
    }

    private void push(byte verb, int number, boolean toHeap, long offset, int bytes) {
        requests.push(verb, number, toHeap, offset, bytes, 0);
        lookups.pending[number]++;
    }

    @Override
    public void completed(int request) {
        byte verb = requests.verb[request];
        landed = requests.local[request];
        if (verb == RequestQueue.READ) {
            cameFrom = requests.offset[request];
            fromHeap = requests.toHeap[request];
            lookup.completed(request);
            return;
        }
        int number = requests.lookup[request];
        lookups.pending[number]--;
        if (verb == RequestQueue.LOCK) {
            if (local.get(WORD, landed) == 0) {
                push(RequestQueue.WRITE, number, recordInHeap[number], recordAt[number], recordBytes);
                push(RequestQueue.UNLOCK, number, false, updates.offset(lookups.ordinal[number]), Long.BYTES);
            } else {
                lock(number);
            }
        }
        answers.finishIfDone(number);
    }

    /** Puts what a WRITE carries where it is taken from. */
    void fill(int request, int at) {
        if (requests.verb[request] == RequestQueue.WRITE) {
            int from = requests.lookup[request] * recordBytes;
            MemorySegment.copy(records, from, local, ValueLayout.JAVA_BYTE, at, recordBytes);
        } else {
            local.set(WORD, at, 0);
        }
    }

    @Override
    public void whileWaiting() {
        lookup.whileWaiting();
    }
}
