package org.reprobe.workload;

/**
 * Requested records of YCSB's {@code SkewedLatestGenerator}. The last inserted record is the hottest; the r-th from the
 * end has a probability proportional to r^-0.99. Not thread-safe.
 */
public final class LatestRecords {
    private final NumberedSequence numbers = new NumberedSequence();
    private final long seed;
    private long records;
    private ZipfRanks ranks;

    public LatestRecords(long records, long seed) {
        this.seed = seed;
        this.records = records;
        this.ranks = new ZipfRanks(numbers, records, ScrambledZipf.THETA);
    }

    /** Adds a record, which becomes the latest. */
    public void add() {
        records++;
        ranks = new ZipfRanks(numbers, records, ScrambledZipf.THETA);
    }

    /** Returns the record of request {@code number}, a function of seed, number and the records added so far. */
    public long record(long number) {
        numbers.startAt(Rng.at(seed, number));
        return records - ranks.rank();
    }
}
