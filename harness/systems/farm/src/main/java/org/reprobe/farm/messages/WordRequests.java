package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Workload whose requests are encoded as their words. */
public interface WordRequests extends RemoteRequests {

    @Override
    default int requestBytes(int words) {
        return words * Long.BYTES;
    }

    @Override
    default void encodeRequest(long[] words, int count, MemorySegment to, long at) {
        MemorySegment.copy(words, 0, to, ValueLayout.JAVA_LONG, at, count);
    }

    @Override
    default int decodeRequest(MemorySegment from, long at, int bytes, long[] into) {
        int count = bytes / Long.BYTES;
        MemorySegment.copy(from, ValueLayout.JAVA_LONG, at, into, 0, count);
        return count;
    }
}
