package org.reprobe.check;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Set with find-or-put (find-or-put paper, section 3.3), initially {@code before}: {@code found} for a present key,
 * {@code inserted} for an absent one, {@code full} for an absent one without a free slot. The capacity depends on the
 * table, so {@code full} is a valid result whenever the key is absent.
 */
public record FindOrPutSet(Set<Long> before) implements Model<Boolean> {

    public FindOrPutSet {
        before = Set.copyOf(before);
    }

    public FindOrPutSet() {
        this(Set.of());
    }

    @Override
    public Boolean initial() {
        return false;
    }

    /** {@inheritDoc} The state is true if the key has been inserted since the start. */
    @Override
    public @Nullable Boolean after(Boolean state, Event event) {
        if (event.operation() != Operation.FIND_OR_PUT) {
            throw new IllegalArgumentException(
                    "a set of find-or-put has no " + event.operation().text());
        }
        boolean present = state || before.contains(event.key());
        if (event.pending()) {
            return true;
        }
        boolean right = event.result() == (present ? Event.FOUND : Event.INSERTED)
                || (event.result() == Event.FULL && !present);
        return right ? (Boolean) (state || event.result() == Event.INSERTED) : null;
    }
}
