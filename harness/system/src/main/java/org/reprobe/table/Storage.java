package org.reprobe.table;

public enum Storage {
    /** Records in the slots. */
    INLINE,
    /** Records in a heap beside the table; slots contain 1-byte signatures and a 4-byte offset. */
    HEAP
}
