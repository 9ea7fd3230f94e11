package org.reprobe.farm.tao;

import org.jspecify.annotations.Nullable;
import org.reprobe.check.Event;
import org.reprobe.check.Model;
import org.reprobe.check.Operation;

/**
 * Sequential model of edge lists. The key of an event is the list; its state is the time of the newest edge minus the
 * number of loaded edges. A write adds an edge: its argument identifies the writer, and the edge's time is the next
 * number combined with it. A read's argument is its kind.
 */
public record TaoLists() implements Model<Long> {
    /** Read of the newest edges; the result is the time of the first, 0 for none. */
    static final long NEWEST = 0;

    /** Read of the number of edges. */
    static final long COUNT = 1;

    /** Read of edges to given nodes; the result is {@link #got}. */
    static final long GET = 2;

    /** Marker in {@link #got}: all requested edges were found. */
    static final long NONE_MISSING = (1L << TaoLayout.NUMBER_SHIFT) - 1;

    /** Encodes the largest number of the edges found and the smallest of the requested edges not found. */
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
}
