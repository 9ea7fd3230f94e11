package org.reprobe.table;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Entry that represents a record during construction: a long with the key in the low half and the ordinal in the high
 * half. It is never 0, since keys are nonzero. In little-endian order it equals an 8-byte record.
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
