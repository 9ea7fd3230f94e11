package org.reprobe.farm.tao;

import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/** What clients ask of Tao (FaRM 2014, section 4.4; N. Bronson and others, "TAO: Facebook's distributed data store for the social graph", ATC 2013). */
public enum TaoOperation {
    /** A node and its data. */
    OBJ_GET("obj-get", Counter.OBJ_GETS, Counter.OBJ_GET_NS),
    /** How many edges of a type a node has. */
    ASSOC_COUNT("count", Counter.ASSOC_COUNTS, Counter.ASSOC_COUNT_NS),
    /** The newest of these edges. */
    ASSOC_RANGE("range", Counter.ASSOC_RANGES, Counter.ASSOC_RANGE_NS),
    /**
     * The newest of these edges that are not older than something. The paper does not name it; the share that it prints for operations by a READ has it among
     * them, as a range.
     */
    ASSOC_TIME_RANGE("time-range", Counter.ASSOC_TIME_RANGES, Counter.ASSOC_TIME_RANGE_NS),
    /** Those of these edges that lead to some nodes. */
    ASSOC_GET("get", Counter.ASSOC_GETS, Counter.ASSOC_GET_NS),
    /** Another edge: the only update here. */
    ASSOC_ADD("add", Counter.ASSOC_ADDS, Counter.ASSOC_ADD_NS);

    private final String kind;
    private final Counter number;
    private final Counter timeNs;

    TaoOperation(String kind, Counter number, Counter timeNs) {
        this.kind = kind;
        this.number = number;
        this.timeNs = timeNs;
    }

    /** What stands behind the metric of its latency: one of {@link Metrics#kinds}. */
    public String kind() {
        return kind;
    }

    /** Counts one of this kind. */
    void count(Counts counts, long ns) {
        counts.add(number, 1);
        counts.add(timeNs, ns);
    }

    /** How many were counted. */
    public long counted(Counts counts) {
        return counts.total(number);
    }

    /** Their mean time; NaN where there were none. */
    public double meanNs(Counts counts) {
        return counted(counts) == 0 ? Double.NaN : (double) counts.total(timeNs) / counted(counts);
    }

    /** Whether it takes one READ in the common case. */
    boolean isOneSided() {
        return this != ASSOC_GET && this != ASSOC_ADD;
    }

    /** Whether it is for the newest edges. */
    boolean isRange() {
        return this == ASSOC_RANGE || this == ASSOC_TIME_RANGE;
    }
}
