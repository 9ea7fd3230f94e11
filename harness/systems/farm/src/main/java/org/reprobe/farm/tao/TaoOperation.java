package org.reprobe.farm.tao;

import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/**
 * Operation of Tao (FaRM 2014, section 4.4; N. Bronson and others, "TAO: Facebook's distributed data store for the
 * social graph", ATC 2013).
 */
public enum TaoOperation {
    /** Read of a node with its data. */
    OBJ_GET("obj-get", Counter.OBJ_GETS, Counter.OBJ_GET_NS),
    /** Number of a node's edges of a type. */
    ASSOC_COUNT("count", Counter.ASSOC_COUNTS, Counter.ASSOC_COUNT_NS),
    ASSOC_RANGE("range", Counter.ASSOC_RANGES, Counter.ASSOC_RANGE_NS),
    /**
     * Newest edges of a type since a time. Not named in the paper, whose share of operations with one READ includes it
     * as a range.
     */
    ASSOC_TIME_RANGE("time-range", Counter.ASSOC_TIME_RANGES, Counter.ASSOC_TIME_RANGE_NS),
    /** Edges of a type to given nodes. */
    ASSOC_GET("get", Counter.ASSOC_GETS, Counter.ASSOC_GET_NS),
    /** Addition of an edge, the only update. */
    ASSOC_ADD("add", Counter.ASSOC_ADDS, Counter.ASSOC_ADD_NS);

    private final String kind;
    private final Counter number;
    private final Counter timeNs;

    TaoOperation(String kind, Counter number, Counter timeNs) {
        this.kind = kind;
        this.number = number;
        this.timeNs = timeNs;
    }

    /** Returns the suffix of its latency metric, one of {@link Metrics#kinds}. */
    public String kind() {
        return kind;
    }

    void count(Counts counts, long ns) {
        counts.add(number, 1);
        counts.add(timeNs, ns);
    }

    public long counted(Counts counts) {
        return counts.total(number);
    }

    /** Returns the mean time in ns; NaN without operations. */
    public double meanNs(Counts counts) {
        return counted(counts) == 0 ? Double.NaN : (double) counts.total(timeNs) / counted(counts);
    }

    /** Returns true if it usually takes one READ. */
    boolean isOneSided() {
        return this != ASSOC_GET && this != ASSOC_ADD;
    }

    boolean isRange() {
        return this == ASSOC_RANGE || this == ASSOC_TIME_RANGE;
    }
}
