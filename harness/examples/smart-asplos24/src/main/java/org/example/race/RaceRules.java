package org.example.race;

/** How inserts of one key at once are told apart. */
public enum RaceRules {
    /**
     * A slot that an insert takes is tentative until the insert has read both combined buckets once more and found no other of the
     * key. Whoever finds another's tentative one clears it, so nobody waits for a client that has died.
     */
    CORRECTED,
    /** The paper's (section 3.3): a slot is seen at once; of several with a key the first stays, by bucket and slot. */
    PRINTED
}
