package org.reprobe.findorput;

/** What find-or-put says (section 3.3). */
public enum FindOrPutResult {
    /** The data was there before. */
    FOUND,
    /** It was not, and is now. */
    INSERTED,
    /** It was not, and none of the M C buckets looked at was empty. */
    FULL
}
