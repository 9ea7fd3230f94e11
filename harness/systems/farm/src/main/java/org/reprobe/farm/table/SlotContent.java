package org.reprobe.farm.table;

/** Content of a slot of the hash table (FaRM 2014, sections 3.6 and 4.2). */
public enum SlotContent {
    /** A key and its value. */
    PAIR,
    /** A key and the fat pointer to its value's object. */
    KEY,
    /**
     * A byte of the key's hash, and the address of an object with key and value: the baseline's slots, as in MemC3
     * (Fan, Andersen and Kaminsky, NSDI 2013, section 3.1). Keys with the same byte differ only in the object.
     */
    TAG
}
