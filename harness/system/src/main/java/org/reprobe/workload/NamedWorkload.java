package org.reprobe.workload;

import java.util.List;
import org.reprobe.analysis.document.EnumWord;

/**
 * Core workloads of YCSB (B. F. Cooper and others, "Benchmarking cloud serving systems with YCSB", SoCC 2010, table 2),
 * from its files {@code workloada} to {@code workloadf}. A constant gives the fraction and kind of the operations that
 * are not plain reads. {@link ScrambledZipf} is the skew of requests, in D {@link LatestRecords}.
 */
public enum NamedWorkload {
    OWN(0, Writes.UPDATE),
    YCSB_A(0.5, Writes.UPDATE),
    YCSB_B(0.05, Writes.UPDATE),
    YCSB_C(0, Writes.UPDATE),
    YCSB_D(0.05, Writes.INSERT),
    /** 95 % scans, which hash tables do not support. */
    YCSB_E(0.05, Writes.INSERT),
    YCSB_F(0.5, Writes.READ_MODIFY_WRITE);

    /** Scenario keys whose values a named workload sets. */
    public static final List<String> SETS = List.of("workload.keys", "workload.theta", "workload.writes");

    public enum Writes {
        /** Changes the value of an existing key. */
        UPDATE,
        /** Reads a key, then updates it. */
        READ_MODIFY_WRITE,
        /** Adds a new key. */
        INSERT
    }

    private final double share;
    private final Writes kind;

    NamedWorkload(double share, Writes kind) {
        this.share = share;
        this.kind = kind;
    }

    /** Returns the fraction of operations other than plain reads, 0 to 1. */
    public double writes() {
        return share;
    }

    public Writes kind() {
        return kind;
    }

    /** Returns true if most operations are range scans. */
    public boolean scans() {
        return this == YCSB_E;
    }

    public String key() {
        return EnumWord.of(this);
    }
}
