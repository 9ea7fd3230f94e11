package org.reprobe.farm.table;

/** Content of a slot whose value is stored outside of the bucket. */
public enum OutsideSlots {
    KEYS,
    /** A byte of the key's hash, as in MemC3. */
    TAGS;

    public SlotContent content() {
        return this == KEYS ? SlotContent.KEY : SlotContent.TAG;
    }
}
