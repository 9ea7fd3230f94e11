package org.reprobe.table;

import java.util.List;

/**
 * A reason why a table can't be built.
 *
 * @param message what is wrong, what is allowed, what would do; in the words of a scenario
 * @param settings what it speaks of, what would first be changed first
 */
public record Refusal(String message, List<Setting> settings) {
    public Refusal {
        settings = List.copyOf(settings);
    }

    Refusal(String message, Setting... settings) {
        this(message, List.of(settings));
    }

    /** A part of a {@link TableSpec}. */
    public enum Setting {
        /** {@link TableSpec#kind}. */
        KIND,
        /** {@link TableSpec#records}. */
        RECORDS,
        /** {@link TableSpec#recordBytes}. */
        RECORD_BYTES,
        /** {@link TableSpec#loadFactor}. */
        LOAD_FACTOR,
        /** {@link TableSpec#associativity}. */
        ASSOCIATIVITY,
        /** {@link TableSpec#hashes}. */
        HASHES,
        /** {@link TableSpec#neighbourhood}. */
        NEIGHBOURHOOD,
        /** {@link org.reprobe.workload.KeySpec#distribution}. */
        KEYS,
        /** {@link org.reprobe.workload.KeySpec#theta}. */
        THETA,
        /** {@link org.reprobe.workload.KeySpec#keySpace}. */
        KEY_SPACE
    }
}
