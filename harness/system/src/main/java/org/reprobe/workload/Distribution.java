package org.reprobe.workload;

/** Distribution of keys over records. */
public enum Distribution {
    /** An independent draw per record, so that keys may repeat, as in the linear-probing paper's "random records". */
    UNIFORM,
    DISTINCT,
    ZIPF
}
