package org.reprobe.table;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Layout of a record: key (4 bytes), ordinal (4 bytes), then filler. The filler is computed from the ordinal, so that
 * every byte can be verified. Numbers are little-endian.
 */
public final class RecordFormat {
    /** Size of key and ordinal. */
    public static final int MIN_RECORD_BYTES = 8;

    private RecordFormat() {}

    public static void write(MemorySegment memory, long offset, int recordBytes, int key, long ordinal) {
        memory.set(KeyAndOrdinal.LONG, offset, KeyAndOrdinal.of(key, ordinal));
        int at = MIN_RECORD_BYTES;
        for (; at + 8 <= recordBytes; at += 8) {
            memory.set(KeyAndOrdinal.LONG, offset + at, filling(ordinal, at));
        }
        if (at < recordBytes) {
            long rest = filling(ordinal, at);
            for (; at < recordBytes; at++, rest >>>= 8) {
                memory.set(ValueLayout.JAVA_BYTE, offset + at, (byte) rest);
            }
        }
    }

    /** Returns the key of a record; 0 for an empty slot. */
    public static int key(MemorySegment memory, long offset) {
        return memory.get(KeyAndOrdinal.INT, offset);
    }

    public static long ordinal(MemorySegment memory, long offset) {
        return Integer.toUnsignedLong(memory.get(KeyAndOrdinal.INT, offset + 4));
    }

    /** Returns true if all bytes match the record with this key and ordinal. */
    public static boolean matches(MemorySegment memory, long offset, int recordBytes, int key, long ordinal) {
        if (memory.get(KeyAndOrdinal.LONG, offset) != KeyAndOrdinal.of(key, ordinal)) {
            return false;
        }
        int at = MIN_RECORD_BYTES;
        for (; at + 8 <= recordBytes; at += 8) {
            if (memory.get(KeyAndOrdinal.LONG, offset + at) != filling(ordinal, at)) {
                return false;
            }
        }
        if (at < recordBytes) {
            long rest = filling(ordinal, at);
            for (; at < recordBytes; at++, rest >>>= 8) {
                if (memory.get(ValueLayout.JAVA_BYTE, offset + at) != (byte) rest) {
                    return false;
                }
            }
        }
        return true;
    }

    private static long filling(long ordinal, int at) {
        return (ordinal + 1) * 0x9E3779B97F4A7C15L + at * 0xD1B54A32D192ED03L;
    }
}
