package org.reprobe.check;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A set with find-or-put (find-or-put paper, section 3.3): {@code found} when the key was there, {@code inserted} when it
 * was not, {@code full} when it was not and got no place. How many keys find a place depends on the table, so that
 * {@code full} is taken for right wherever the key is absent.
 *
 * @param before the keys that are there at first
 */
public record FindOrPutSet(Set<Long> before) implements Model<Boolean> {

    public FindOrPutSet {
        before = Set.copyOf(before);
    }

    /** An empty set. */
    public FindOrPutSet() {
        this(Set.of());
    }

    @Override
    public Boolean initial() {
        return false;
    }

    /** @param state whether the key was inserted since */
    @Override
    public @Nullable Boolean after(Boolean state, Event event) {
        if (event.operation() != Operation.FIND_OR_PUT) {
            throw new IllegalArgumentException(
                    "a set of find-or-put has no " + event.operation().words());
        }
        boolean present = state || before.contains(event.key());
        if (event.pending()) {
            return true;
        }
        boolean right = event.result() == (present ? Event.FOUND : Event.INSERTED)
                || (event.result() == Event.FULL && !present);
        return right ? (Boolean) (state || event.result() == Event.INSERTED) : null;
    }

    @Override
    public boolean eachKeyForItself() {
        return true;
    }
}
