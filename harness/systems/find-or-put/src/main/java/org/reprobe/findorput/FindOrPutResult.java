package org.reprobe.findorput;

/** Result of find-or-put (section 3.3). */
public enum FindOrPutResult {
    /** The data was present. */
    FOUND,
    /** The data was absent, and has been inserted. */
    INSERTED,
    /** The data was absent, and none of the M C buckets examined was empty. */
    FULL
}
