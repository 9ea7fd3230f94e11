package org.reprobe.table;

import java.util.List;

/**
 * Reason why a table can't be built: the problem, the limits and a remedy, in a scenario's terms. The affected setting
 * that is most likely to be changed is first.
 */
public record Refusal(String message, List<Setting> settings) {
    public Refusal {
        settings = List.copyOf(settings);
    }

    Refusal(String message, Setting... settings) {
        this(message, List.of(settings));
    }

    /** Part of a {@link TableSpec}. */
    public enum Setting {
        KIND,
        RECORDS,
        RECORD_BYTES,
        LOAD_FACTOR,
        ASSOCIATIVITY,
        HASHES,
        NEIGHBOURHOOD,
        KEYS,
        THETA,
        KEY_SPACE
    }
}
