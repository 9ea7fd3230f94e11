package org.reprobe.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Which records have the key of an earlier one: a bit a record. Threads may mark records at the same time. */
public final class RepeatedKeys {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words;

    /** None of so many records. */
    public RepeatedKeys(long records) {
        words = new long[Math.toIntExact((records + Long.SIZE - 1) / Long.SIZE)];
    }

    /** An earlier record has the key of this one. */
    public void mark(long ordinal) {
        WORDS.getAndBitwiseOr(words, (int) (ordinal / Long.SIZE), 1L << ordinal);
    }

    boolean isMarked(long ordinal) {
        return (words[(int) (ordinal / Long.SIZE)] & (1L << ordinal)) != 0;
    }
}
