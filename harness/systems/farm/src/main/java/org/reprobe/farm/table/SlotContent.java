package org.reprobe.farm.table;

/** What a slot of the hash table has (FaRM 2014, sections 3.6 and 4.2). */
public enum SlotContent {
    /** A key and its value. */
    PAIR,
    /** A key and the fat pointer to an object that holds its value. */
    KEY,
    /**
     * A byte of the key's hash, and the address of an object that holds the key and its value: the slots of the baseline, which are MemC3's
     * (Fan, Andersen and Kaminsky, NSDI 2013, section 3.1). Keys with the same byte are told apart by the object alone.
     */
    TAG
}
