package org.reprobe.check;

import org.jspecify.annotations.Nullable;

/** Sequential specification of a table, whose state {@code S} is immutable, with equals and hashCode. */
public interface Model<S> {

    S initial();

    /**
     * Returns the state after one more operation, or null if its result is impossible here. A pending operation may have
     * any result.
     */
    @Nullable
    S after(S state, Event event);

    /** Returns true if keys are independent, so that {@code S} is the state of a single key. */
    boolean eachKeyForItself();
}
