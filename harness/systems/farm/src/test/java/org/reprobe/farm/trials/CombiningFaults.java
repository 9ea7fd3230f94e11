package org.reprobe.farm.trials;

import org.reprobe.testing.SeededFaults;

/** Faults of {@code Combining}. */
final class CombiningFaults {
    private static final String COMBINING = "table.Combining";

    private CombiningFaults() {}

    private static SeededFaults seeded() {
        return new SeededFaults("org.reprobe.farm.");
    }

    /** Combines operations of other keys, too. */
    static SeededFaults anyKey() {
        return seeded().replacing(COMBINING, "if (get(operation, KEY) == key) {", "if (true) {");
    }

    /** Replies to combined operations before the write. */
    static SeededFaults answersEarly() {
        return seeded().replacing(COMBINING, "return inserts;", """
                        long value = value(slot);
                        result((int) get(own, NEXT), TableWriter.Result.UPDATED);
                        set(own, NEXT, NONE);
                        set(own, VALUE, value);
                        last[slot] = own;
                        return inserts;
                        """);
    }

    /** Replies to operations that arrived too late for the written value. */
    static SeededFaults takesLate() {
        return seeded().replacing(COMBINING, "set(leader, STATE, LEADS);", """
                        set(own, NEXT, NONE);
                        result(leader, TableWriter.Result.UPDATED);
                        end(slot, true);
                        """);
    }

    /** Reports to all combined inserts that the key was absent. */
    static SeededFaults allInserted() {
        return seeded().replacing(
                        COMBINING,
                        "before != TableWriter.Result.ABSENT && !full;",
                        "before == TableWriter.Result.UPDATED;")
                .without(COMBINING, "there |= result == TableWriter.Result.INSERTED;");
    }
}
