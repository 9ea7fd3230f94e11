package org.reprobe.workload;

/**
 * Which record a request is for, as YCSB's {@code SkewedLatestGenerator} chooses it: the record inserted last is the hottest, the one before
 * it comes next, and so on; the record that is r-th from the end has probability proportional to r^-0.99. For one thread.
 */
public final class LatestRecords {
    private final NumberedSequence numbers = new NumberedSequence();
    private final long seed;
    private long records;
    private ZipfRanks ranks;

    /** Requests for the records 0 to {@code records} - 1, the last of which is the latest. */
    public LatestRecords(long records, long seed) {
        this.seed = seed;
        this.records = records;
        this.ranks = new ZipfRanks(numbers, records, ScrambledZipf.THETA);
    }

    /** One more record, which is the latest now. */
    public void add() {
        records++;
        ranks = new ZipfRanks(numbers, records, ScrambledZipf.THETA);
    }

    /** The record of request {@code number}. */
    public long record(long number) {
        numbers.startAt(Rng.at(seed, number));
        return records - ranks.rank();
    }
}
