package org.example.race;

/** Resolution of concurrent inserts of one key. */
public enum RaceRules {
    /**
     * A slot is tentative until its insert has read both combined buckets again and found no other slot with the key.
     * Any client may clear a tentative slot, so no client waits for a dead one.
     */
    CORRECTED,
    /**
     * Printed (section 3.3): a slot is visible at once. Of several slots with the same key the first one stays, by
     * bucket and slot.
     */
    PRINTED
}
