package org.reprobe.farm.trials;

import org.reprobe.testing.SeededFaults;

/** Faults of {@code Combining}. */
final class CombiningFaults {
    private static final String COMBINING = "table.Combining";

    private CombiningFaults() {}

    private static SeededFaults seeded() {
        return new SeededFaults("org.reprobe.farm.");
    }

    /** Operations of other keys are taken along. */
    static SeededFaults anyKey() {
        return seeded().replacing(COMBINING, "if (get(operation, KEY) == key) {", "if (true) {");
    }

    /** Operations are answered when they are taken along, before anything is written. */
    static SeededFaults answersEarly() {
        return seeded().replacing(COMBINING, "return inserts;", """
                        long value = value(slot);
                        answer((int) get(own, NEXT), TableWriter.Answer.UPDATED);
                        set(own, NEXT, NONE);
                        set(own, VALUE, value);
                        last[slot] = own;
                        return inserts;
                        """);
    }

    /** Operations that came after the written value was fixed are answered as done. */
    static SeededFaults takesLate() {
        return seeded().replacing(COMBINING, "set(leader, STATE, LEADS);", """
                        set(own, NEXT, NONE);
                        answer(leader, TableWriter.Answer.UPDATED);
                        end(slot, true);
                        """);
    }

    /** All inserts of a key are answered that it was not there. */
    static SeededFaults allInserted() {
        return seeded().replacing(
                        COMBINING,
                        "before != TableWriter.Answer.ABSENT && !full;",
                        "before == TableWriter.Answer.UPDATED;")
                .without(COMBINING, "there |= answer == TableWriter.Answer.INSERTED;");
    }
}
