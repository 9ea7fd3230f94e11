package org.reprobe.table;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Record during construction: the key in the low half of a long, the ordinal in the high half. Never 0, since keys are not;
 * in little-endian order these are the bytes of an 8-byte record.
 */
final class KeyAndOrdinal {
    static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private KeyAndOrdinal() {}

    static long of(int key, long ordinal) {
        return ordinal << 32 | Integer.toUnsignedLong(key);
    }

    static int key(long entry) {
        return (int) entry;
    }

    static long ordinal(long entry) {
        return entry >>> 32;
    }
}
