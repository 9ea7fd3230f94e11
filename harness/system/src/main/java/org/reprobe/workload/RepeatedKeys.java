package org.reprobe.workload;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Set of the records with the key of an earlier record: a bit per record. Threads may mark records concurrently. */
public final class RepeatedKeys {
    private static final VarHandle WORDS = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] words;

    public RepeatedKeys(long records) {
        words = new long[Math.toIntExact((records + Long.SIZE - 1) / Long.SIZE)];
    }

    /** Marks a record that has the key of an earlier one. */
    public void mark(long ordinal) {
        WORDS.getAndBitwiseOr(words, (int) (ordinal / Long.SIZE), 1L << ordinal);
    }

    boolean isMarked(long ordinal) {
        return (words[(int) (ordinal / Long.SIZE)] & (1L << ordinal)) != 0;
    }
}
