package org.reprobe.memcached;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.workload.Rng;

/**
 * The records of a run: keys are 16 letters, since memcached's are text, and every byte of a value follows from its key.
 *
 * @param keys of 8 bytes, by ordinal
 * @param valueBytes whole words of 8 bytes
 */
record Records(long count, LongUnaryOperator keys, int valueBytes) {
    static final int KEY_BYTES = 16;

    private static final VarHandle WORD = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** A record's key as memcached has it. */
    String key(long ordinal) {
        return HexFormat.of().toHexDigits(keys.applyAsLong(ordinal));
    }

    /** A record's value. */
    byte[] value(long ordinal) {
        long key = keys.applyAsLong(ordinal);
        byte[] value = new byte[valueBytes];
        for (int at = 0; at < valueBytes; at += Long.BYTES) {
            WORD.set(value, at, Rng.at(key, at));
        }
        return value;
    }

    /** Whether an answer is a record's value; null is none. */
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
