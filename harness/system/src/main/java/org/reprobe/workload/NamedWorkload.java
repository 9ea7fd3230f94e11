package org.reprobe.workload;

import java.util.List;
import java.util.Locale;

/**
 * The core workloads of YCSB (B. F. Cooper and others, "Benchmarking cloud serving systems with YCSB", SoCC 2010, table 2), as its files
 * {@code workloada} to {@code workloadf} have them: which operations there are, and how often; the others read. Requests are skewed by
 * {@link ScrambledZipf}, those of D by {@link LatestRecords}.
 */
public enum NamedWorkload {
    /** None of them. */
    OWN(0, Writes.UPDATE),
    YCSB_A(0.5, Writes.UPDATE),
    YCSB_B(0.05, Writes.UPDATE),
    YCSB_C(0, Writes.UPDATE),
    YCSB_D(0.05, Writes.INSERT),
    /** Its 95 % of scans are what no hash table can do. */
    YCSB_E(0.05, Writes.INSERT),
    YCSB_F(0.5, Writes.READ_MODIFY_WRITE);

    /** Keys whose values it sets. */
    public static final List<String> SETS = List.of("workload.keys", "workload.theta", "workload.writes");

    /** What operations do that don't just read. */
    public enum Writes {
        /** Give a key that is there another value. */
        UPDATE,
        /** Read a key, and then update it. */
        READ_MODIFY_WRITE,
        /** Give a key that is not there a value. */
        INSERT
    }

    private final double share;
    private final Writes kind;

    NamedWorkload(double share, Writes kind) {
        this.share = share;
        this.kind = kind;
    }

    /** The share of operations that don't just read, 0 to 1. */
    public double writes() {
        return share;
    }

    /** What those do. */
    public Writes kind() {
        return kind;
    }

    /** Whether most operations ask for a range of keys. */
    public boolean scans() {
        return this == YCSB_E;
    }

    /** The word in a scenario file. */
    public String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
