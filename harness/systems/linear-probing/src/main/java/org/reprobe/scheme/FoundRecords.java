package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;

/**
 * Offset and bytes of the record that each lookup has found, by lookup number. Not final: trials override
 * {@link #copyTo} to write other bytes than the lookup found.
 */
public class FoundRecords {
    private final int recordBytes;
    private long[] offset = {};
    private boolean[] inHeap = {};
    private byte[] bytes = {};

    /** Remote offset minus local offset of the READ in progress: maps a local offset to one in table or heap. */
    private long cameFrom;

    private boolean fromHeap;

    public FoundRecords(int recordBytes) {
        this.recordBytes = recordBytes;
    }

    /** Sets the READ whose results the next calls of {@link #keep} belong to. */
    void processes(RequestQueue requests, int request) {
        cameFrom = requests.offset[request] - requests.local[request];
        fromHeap = requests.toHeap[request];
    }

    /** Keeps the record that the lookup requested, which the READ has placed at offset {@code at} of local memory. */
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

    /** Returns the byte offset of the record in the heap or in the table ({@link #inHeap}). */
    long offset(int lookup) {
        return offset[lookup];
    }

    boolean inHeap(int lookup) {
        return inHeap[lookup];
    }

    public void copyTo(MemorySegment local, long at, int lookup) {
        MemorySegment.copy(bytes, lookup * recordBytes, local, ValueLayout.JAVA_BYTE, at, recordBytes);
    }
}
