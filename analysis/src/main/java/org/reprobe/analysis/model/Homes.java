package org.reprobe.analysis.model;

/** Which slots lookups start from: the home slots that a probe-length distribution averages over. */
public enum Homes {
    /** A slot chosen uniformly, as the paper's section 3 has it: the lookup of a key that the table does not hold. */
    RANDOM,
    /** The home slot of a record chosen uniformly from those in the table: biased towards long clusters. */
    EXISTING_KEYS
}
