package org.reprobe.memcached;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.workload.Rng;

/**
 * Records of a run. A key has 8 bytes, written as 16 hexadecimal digits. The bytes of a value are a function of the
 * key, so every value is checked.
 */
record Records(long count, LongUnaryOperator keys, int valueBytes) {
    static final int KEY_BYTES = 16;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    String key(long ordinal) {
        return HexFormat.of().toHexDigits(keys.applyAsLong(ordinal));
    }

    byte[] value(long ordinal) {
        long key = keys.applyAsLong(ordinal);
        byte[] value = new byte[valueBytes];
        for (int at = 0; at < valueBytes; at += Long.BYTES) {
            WORD.set(value, at, Rng.at(key, at));
        }
        return value;
    }

    /** Returns true if {@code answer} is the value of the record; null is the reply for an absent key. */
    boolean isValue(byte @Nullable [] answer, long ordinal) {
        if (answer == null || answer.length != valueBytes) {
            return false;
        }
        long key = keys.applyAsLong(ordinal);
        for (int at = 0; at < valueBytes; at += Long.BYTES) {
            if ((long) WORD.get(answer, at) != Rng.at(key, at)) {
                return false;
            }
        }
        return true;
    }
}
