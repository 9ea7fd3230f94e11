package org.reprobe.farm.table;

/** Content of a slot whose value is stored outside of the bucket. */
public enum OutsideSlots {
    KEYS,
    /** As in MemC3: a byte of the key's hash. */
    TAGS;

    public SlotContent content() {
        return this == KEYS ? SlotContent.KEY : SlotContent.TAG;
    }
}
