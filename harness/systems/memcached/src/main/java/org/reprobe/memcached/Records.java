package org.reprobe.memcached;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.workload.Rng;

/**
 * Records of a run: keys of 8 bytes, written as 16 letters; every byte of a value, of whole words, follows from its
 * key.
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

    /** Returns true if a reply is the record's value; null means absent. */
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
