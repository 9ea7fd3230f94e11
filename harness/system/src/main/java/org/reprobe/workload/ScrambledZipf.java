package org.reprobe.workload;

import java.util.function.LongUnaryOperator;

/**
 * Requested records of YCSB's {@code ScrambledZipfianGenerator}. A rank r is drawn with a probability proportional to
 * r^-0.99, from 10^10 ranks regardless of the number of records, and is hashed to a record. Several ranks share a
 * record. The hottest record gets 3.78 % of the requests of any table; Zipf's law over a million records would give it
 * 6.5 %.
 *
 * <p>There are three differences from YCSB. Ranks follow the law exactly ({@link ZipfRanks}), whereas YCSB's
 * {@code ZipfianGenerator} approximates it from the third rank on. The hash function is another one. A draw is a
 * function of seed and number, so that runs are repeatable. Thread-safe.
 */
public final class ScrambledZipf implements LongUnaryOperator {
    /** YCSB's ZIPFIAN_CONSTANT. */
    public static final double THETA = 0.99;

    /** YCSB's ITEM_COUNT. */
    static final long RANKS = 10_000_000_000L;

    private static final long SCATTER = 0x5CA7;

    private final long records;
    private final long seed;
    private final ZipfNumbers ranks;

    public ScrambledZipf(long records, long seed) {
        this.records = records;
        this.seed = seed;
        this.ranks = new ZipfNumbers(RANKS, THETA, seed);
    }

    @Override
    public long applyAsLong(long number) {
        return record(ranks.applyAsLong(number));
    }

    /** Returns the record of a rank, which is at least 1. */
    long record(long rank) {
        return Math.unsignedMultiplyHigh(Rng.at(seed ^ SCATTER, rank), records);
    }
}
