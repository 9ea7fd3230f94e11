package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Where the record that a lookup was for stands, and its bytes, by the lookup's number. Not final: trials write
 * other bytes than were found.
 */
public class FoundRecords implements MatchListener {
    private final Lookups lookups;
    private final int recordBytes;
    private final @Nullable MatchListener next;
    private long[] offset = {};
    private boolean[] inHeap = {};
    private byte[] bytes = {};

    /** Of the READ that is being processed: where it came from in table or heap, less where it landed. */
    private long cameFrom;

    private boolean fromHeap;

    /** @param next who listens besides */
    public FoundRecords(Lookups lookups, int recordBytes, @Nullable MatchListener next) {
        this.lookups = lookups;
        this.recordBytes = recordBytes;
        this.next = next;
    }

    /** The READ at this place of the queue is processed next. */
    void processes(RequestQueue requests, int request) {
        cameFrom = requests.offset[request] - requests.local[request];
        fromHeap = requests.toHeap[request];
    }

    @Override
    public void found(int client, int lookup, int key, long ordinal, MemorySegment local, long at) {
        if (ordinal == lookups.ordinal[lookup]) {
            if (lookup >= offset.length) {
                offset = Arrays.copyOf(offset, lookups.capacity());
                inHeap = Arrays.copyOf(inHeap, lookups.capacity());
                bytes = Arrays.copyOf(bytes, lookups.capacity() * recordBytes);
            }
            offset[lookup] = cameFrom + at;
            inHeap[lookup] = fromHeap;
            MemorySegment.copy(local, ValueLayout.JAVA_BYTE, at, bytes, lookup * recordBytes, recordBytes);
        }
        if (next != null) {
            next.found(client, lookup, key, ordinal, local, at);
        }
    }

    @Override
    public void finished(int client, int lookup, int key) {
        if (next != null) {
            next.finished(client, lookup, key);
        }
    }

    int recordBytes() {
        return recordBytes;
    }

    /** Where a record stands: in the heap or in the table. */
    long offset(int lookup) {
        return offset[lookup];
    }

    boolean inHeap(int lookup) {
        return inHeap[lookup];
    }

    /** Puts a record into local memory. */
    public void copyTo(MemorySegment local, long at, int lookup) {
        MemorySegment.copy(bytes, lookup * recordBytes, local, ValueLayout.JAVA_BYTE, at, recordBytes);
    }
}
