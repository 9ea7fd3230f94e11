package org.reprobe.workload;

import java.util.function.LongUnaryOperator;

/**
 * Which record a request is for, as YCSB's {@code ScrambledZipfianGenerator} chooses it: a rank of 10^10, however many records there
 * are, rank r with probability proportional to r^-0.99, and the record that its hash names. So several ranks share a record, and the
 * hottest one gets 3.78 % of the requests of any table, where Zipf's law over a million records would give it 6.5 %.
 *
 * <p>Where it differs from YCSB's: ranks follow the law exactly ({@link ZipfRanks}), while YCSB's {@code ZipfianGenerator} approximates it
 * from the third rank on; the hash is another; and draws are a function of seed and number, so that a run can be repeated. For any
 * number of threads.
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

    /** Requests for the records 0 to {@code records} - 1. */
    public ScrambledZipf(long records, long seed) {
        this.records = records;
        this.seed = seed;
        this.ranks = new ZipfNumbers(RANKS, THETA, seed);
    }

    /** The record of request {@code number}. */
    @Override
    public long applyAsLong(long number) {
        return record(ranks.applyAsLong(number));
    }

    /** The record that a rank, from 1, stands for. */
    long record(long rank) {
        return Math.unsignedMultiplyHigh(Rng.at(seed ^ SCATTER, rank), records);
    }
}
