package org.reprobe.farm.tao;

import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.Model;
import org.reprobe.check.Operation;

/**
 * What lists of edges do when operations come one by one. The key of an event is the list, its state the time of the newest edge, less the edges that were loaded. A
 * write adds an edge: its argument is who does, and the edge's time is the next number with that. A read's argument says what is asked.
 */
public record TaoLists() implements Model<Long> {
    /** A read of the newest edges; its result is the time of the first, 0 for none. */
    static final long NEWEST = 0;

    /** A read of how many there are. */
    static final long COUNT = 1;

    /** A read of edges to some nodes; its result is {@link #got}. */
    static final long GET = 2;

    /** No edge that was asked for was missing. */
    static final long NONE_MISSING = (1L << TaoLayout.NUMBER_SHIFT) - 1;

    /** The result of a read of edges: the largest number of those found, and the smallest of those that were asked for and not found. */
    static long got(long found, long missing) {
        return (found << TaoLayout.NUMBER_SHIFT) | missing;
    }

    @Override
    public Long initial() {
        return 0L;
    }

    @Override
    public @Nullable Long after(Long state, Event event) {
        long number = TaoLayout.number(state);
        if (event.operation() == Operation.WRITE) {
            return ((number + 1) << TaoLayout.NUMBER_SHIFT) | event.argument();
        }
        long result = event.result();
        boolean right = event.pending()
                || (event.argument() == NEWEST
                        ? result == state
                        : event.argument() == COUNT
                                ? result == number
                                : TaoLayout.number(result) <= number && number < (result & NONE_MISSING));
        return right ? state : null;
    }

    @Override
    public boolean eachKeyForItself() {
        return true;
    }
}
