package org.reprobe.table;

public enum Storage {
    /** Records are in the slots. */
    INLINE,
    /** Records are in a heap beside the table. Slots contain 1-byte signatures and a 4-byte offset. */
    HEAP
}
