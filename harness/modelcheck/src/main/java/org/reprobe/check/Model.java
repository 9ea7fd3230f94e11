package org.reprobe.check;

import org.jspecify.annotations.Nullable;

/** Sequential specification of a table. Its state {@code S} must be immutable and define equals and hashCode. */
public interface Model<S> {

    /** Returns the initial state. */
    S initial();

    /** Returns the next state, or null if the result is impossible; a pending operation may have any result. */
    @Nullable
    S after(S state, Event event);

    /** Returns true if keys are independent; {@code S} is then the state of one key. */
    default boolean eachKeyForItself() {
        return true;
    }
}
