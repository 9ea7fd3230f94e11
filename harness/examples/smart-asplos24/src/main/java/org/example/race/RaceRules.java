package org.example.race;

/** Resolution of concurrent inserts of one key. */
public enum RaceRules {
    /**
     * A slot is tentative until its insert has read both combined buckets once more and found no other slot with the key.
     * Any client clears another's tentative slot, so no client waits for a dead one.
     */
    CORRECTED,
    /** The paper's (section 3.3): a slot is visible at once; of several with a key the first stays, by bucket and slot. */
    PRINTED
}
