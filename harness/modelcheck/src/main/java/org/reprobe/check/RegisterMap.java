package org.reprobe.check;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Map with read, write, delete and compare-and-swap. A {@link Event#REFUSED} write or delete has no effect. Keys that
 * are not in {@code before} are initially absent.
 */
public record RegisterMap(Map<Long, Long> before) implements Model<Long> {

    public RegisterMap {
        before = Map.copyOf(before);
    }

    public RegisterMap() {
        this(Map.of());
    }

    /** State of a key that still has its initial value. */
    private static final Long UNTOUCHED = Long.MIN_VALUE + 6;

    @Override
    public Long initial() {
        return UNTOUCHED;
    }

    @Override
    public @Nullable Long after(Long state, Event event) {
        Long now = state.equals(UNTOUCHED) ? before.getOrDefault(event.key(), Event.ABSENT) : state;
        boolean refused = !event.pending() && event.result() == Event.REFUSED;
        boolean done = event.pending() || event.result() == Event.DONE;
        boolean fits = event.pending() || event.result() == now;
        return switch (event.operation()) {
            case READ -> when(fits, now);
            case WRITE -> refused ? now : when(done, event.argument());
            case DELETE -> refused ? now : when(done || (fits && now == Event.ABSENT), Event.ABSENT);
            case COMPARE_AND_SWAP -> when(fits, now == event.expected() ? Long.valueOf(event.argument()) : now);
            case FIND_OR_PUT, TRANSACTION ->
                throw new IllegalArgumentException(
                        "a map has no " + event.operation().text());
        };
    }

    private static @Nullable Long when(boolean right, Long after) {
        return right ? after : null;
    }
}
