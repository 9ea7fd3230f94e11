package org.reprobe.check;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A map: read, write, delete, compare-and-swap. A write or delete that was {@link Event#REFUSED} did nothing.
 *
 * @param before what is there at first; other keys are absent
 */
public record RegisterMap(Map<Long, Long> before) implements Model<Long> {

    public RegisterMap {
        before = Map.copyOf(before);
    }

    /** An empty map. */
    public RegisterMap() {
        this(Map.of());
    }

    /** Stands for whatever {@link #before} says of the key, which only an operation tells. */
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
        boolean told = event.pending() || event.result() == now;
        return switch (event.operation()) {
            case READ -> when(told, now);
            case WRITE -> refused ? now : when(done, event.argument());
            case DELETE -> refused ? now : when(done || (told && now == Event.ABSENT), Event.ABSENT);
            case COMPARE_AND_SWAP -> when(told, now == event.expected() ? Long.valueOf(event.argument()) : now);
            case FIND_OR_PUT, TRANSACTION ->
                throw new IllegalArgumentException(
                        "a map has no " + event.operation().words());
        };
    }

    private static @Nullable Long when(boolean right, Long after) {
        return right ? after : null;
    }

    @Override
    public boolean eachKeyForItself() {
        return true;
    }
}
