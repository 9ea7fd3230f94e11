package org.reprobe.workload;

/** How keys are distributed over records. */
public enum Distribution {
    /** Each record's key is drawn anew, so a key may come twice, as in the paper's "random records". */
    UNIFORM,
    /** No key comes twice. */
    DISTINCT,
    /** Key ranks follow Zipf's law. */
    ZIPF
}
