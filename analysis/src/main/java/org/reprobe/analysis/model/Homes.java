package org.reprobe.analysis.model;

/** Home slots where lookups start, over which a probe-length distribution averages. */
public enum Homes {
    /** A slot chosen uniformly (section 3 of the paper): lookups of keys that are not in the table. */
    RANDOM,
    /** The home slot of a record chosen uniformly from the table: biased towards long clusters. */
    EXISTING_KEYS
}
