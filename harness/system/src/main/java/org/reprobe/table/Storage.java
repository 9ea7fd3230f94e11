package org.reprobe.table;

/** Where records stand. */
public enum Storage {
    /** In the slots themselves. */
    INLINE,
    /** In a heap beside the table; slots hold 1-byte signatures and a 4-byte offset. */
    HEAP
}
