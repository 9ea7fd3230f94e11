package org.reprobe.workload;

/** Distribution of keys over records. */
public enum Distribution {
    /** Independent draws per record, so that keys may repeat, as in the paper's "random records". */
    UNIFORM,
    DISTINCT,
    ZIPF
}
