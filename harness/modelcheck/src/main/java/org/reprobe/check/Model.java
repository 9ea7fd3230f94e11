package org.reprobe.check;

import org.jspecify.annotations.Nullable;

/**
 * What a table does when operations come one after the other.
 *
 * @param <S> what it holds: immutable, with equals and hashCode
 */
public interface Model<S> {

    /** Before the first operation. */
    S initial();

    /**
     * After one more operation, or null when it can't have its result here. The result of a pending operation is
     * unknown: any is right.
     */
    @Nullable
    S after(S state, Event event);

    /** Whether keys don't influence each other, so that {@code S} is the state of a single one. */
    boolean eachKeyForItself();
}
