package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Offset and bytes of the record that a lookup has found, by the lookup's number. Not final: trials write
 * other bytes than were found.
 */
public class FoundRecords {
    private final int recordBytes;
    private long[] offset = {};
    private boolean[] inHeap = {};
    private byte[] bytes = {};

    /** Offset in table or heap of the READ that is being processed, less its offset in local memory. */
    private long cameFrom;

    private boolean fromHeap;

    public FoundRecords(int recordBytes) {
        this.recordBytes = recordBytes;
    }

    /** The READ at this place of the queue is processed next. */
    void processes(RequestQueue requests, int request) {
        cameFrom = requests.offset[request] - requests.local[request];
        fromHeap = requests.toHeap[request];
    }

    /** Keeps the record that a lookup is for, which the READ has brought to {@code at}. */
    void keep(int lookup, MemorySegment local, long at) {
        if (lookup >= offset.length) {
            int room = 2 * Math.max(lookup, 8);
            offset = Arrays.copyOf(offset, room);
            inHeap = Arrays.copyOf(inHeap, room);
            bytes = Arrays.copyOf(bytes, room * recordBytes);
        }
        offset[lookup] = cameFrom + at;
        inHeap[lookup] = fromHeap;
        MemorySegment.copy(local, ValueLayout.JAVA_BYTE, at, bytes, lookup * recordBytes, recordBytes);
    }

    int recordBytes() {
        return recordBytes;
    }

    /** Returns the offset of a record, in the heap or in the table. */
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
