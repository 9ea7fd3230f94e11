package org.reprobe.workload;

import org.jspecify.annotations.Nullable;

/** Factory of key sets: pure functions of seed and ordinal. Thread-safe. */
public final class KeySets {
    /** Maximum number of nonzero 32-bit keys. */
    public static final long MAX_KEY_SPACE = KeyPermutation.KEYS;

    /** Maximum number of Zipf keys, whose ranks are positive ints. */
    public static final long MAX_ZIPF_KEY_SPACE = Integer.MAX_VALUE;

    public static final int MAX_THETA = 2;

    private KeySets() {}

    public static long maxKeySpace(Distribution distribution) {
        return distribution == Distribution.ZIPF ? MAX_ZIPF_KEY_SPACE : MAX_KEY_SPACE;
    }

    /** Returns a table's keys; throws an {@link IllegalArgumentException} with {@link #problem} if impossible. */
    public static KeySet of(KeySpec spec, long records, long seed) {
        String problem = problem(spec, records);
        if (problem != null) {
            throw new IllegalArgumentException(problem);
        }
        return switch (spec.distribution()) {
            case UNIFORM -> new UniformKeys(records, spec.keySpace(), seed);
            case DISTINCT -> new DistinctKeys(records, seed);
            case ZIPF -> new ZipfKeys(records, (int) spec.keySpace(), spec.theta(), seed);
        };
    }

    /** Returns the reason why the key set is impossible; null if it is possible. */
    public static @Nullable String problem(KeySpec spec, long records) {
        if (spec.keySpace() < 1 || spec.keySpace() > MAX_KEY_SPACE) {
            return "a key space of " + spec.keySpace() + " keys: keys are 4 bytes and never zero, so 1 to "
                    + MAX_KEY_SPACE + " are possible";
        }
        return switch (spec.distribution()) {
            case UNIFORM -> null;
            case DISTINCT ->
                spec.keySpace() < records
                        ? records + " records with distinct keys need a key space of at least as many keys, but it has "
                                + spec.keySpace() + "; use fewer records or more keys-per-record"
                        : null;
            case ZIPF -> {
                if (!(spec.theta() >= 0 && spec.theta() <= MAX_THETA)) {
                    yield "a Zipf theta of " + spec.theta() + ": it must lie between 0 (uniform) and " + MAX_THETA;
                }
                yield spec.keySpace() > MAX_ZIPF_KEY_SPACE
                        ? "a key space of " + spec.keySpace() + " keys: Zipf keys are drawn from at most "
                                + MAX_ZIPF_KEY_SPACE
                        : null;
            }
        };
    }
}
