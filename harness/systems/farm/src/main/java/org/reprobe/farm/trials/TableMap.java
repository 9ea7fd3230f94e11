package org.reprobe.farm.trials;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.Model;
import org.reprobe.check.Operation;
import org.reprobe.farm.table.TableWriter;

/**
 * Sequential specification of a table with some initial pairs. An insert is a write whose result shows whether the key
 * was present. An update is a write with the expectation {@link #IF_PRESENT} and has no effect on an absent key.
 */
record TableMap(Map<Long, Long> before) implements Model<Long> {
    /** {@link Event#expected} of an update. */
    static final long IF_PRESENT = 1;

    private static final Long UNTOUCHED = Event.ABSENT + 10;

    TableMap {
        before = Map.copyOf(before);
    }

    static long recorded(TableWriter.Result result) {
        return switch (result) {
            case INSERTED -> Event.INSERTED;
            case UPDATED -> Event.FOUND;
            case REMOVED -> Event.DONE;
            case ABSENT -> Event.ABSENT;
            case FULL -> Event.REFUSED;
        };
    }

    @Override
    public Long initial() {
        return UNTOUCHED;
    }

    @Override
    public @Nullable Long after(Long state, Event event) {
        long now = state.equals(UNTOUCHED) ? before.getOrDefault(event.key(), Event.ABSENT) : state;
        boolean present = now != Event.ABSENT;
        long result;
        long after;
        if (event.operation() == Operation.READ) {
            result = now;
            after = now;
        } else if (event.operation() == Operation.DELETE) {
            result = present ? Event.DONE : Event.ABSENT;
            after = Event.ABSENT;
        } else if (event.operation() == Operation.WRITE && event.expected() == IF_PRESENT) {
            result = present ? Event.FOUND : Event.ABSENT;
            after = present ? event.argument() : Event.ABSENT;
        } else if (event.operation() == Operation.WRITE) {
            result = present ? Event.FOUND : Event.INSERTED;
            after = event.argument();
        } else {
            throw new IllegalArgumentException(
                    "a table has no " + event.operation().text());
        }
        return event.pending() || event.result() == result ? (Long) after : null;
    }
}
