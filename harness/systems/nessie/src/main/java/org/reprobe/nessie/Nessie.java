package org.reprobe.nessie;

import org.reprobe.fabric.RemoteRegion;

/**
 * Nessie table from a client's view: layout in registered memory, items of each owner in the table from the start,
 * algorithms of all clients, and waits before attempts are repeated, of at most {@code backOffNs} at first and doubling
 * each time. An operation is given up after {@code attempts} attempts.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Nessie(Geometry geometry, RemoteRegion memory, int[] loaded, Rules rules, long backOffNs, int attempts) {
    /** More than any contention causes, less than a hanging run. */
    public static final int ATTEMPTS = 100_000;

    public Nessie {
        if (memory.bytes() < geometry.bytes()) {
            throw new IllegalArgumentException(
                    "the table needs " + geometry.bytes() + " bytes, but " + memory.bytes() + " are registered");
        }
    }

    Nessie laidOut(TableLayout layout) {
        return new Nessie(geometry.withSlots(layout.slots()), layout.memory(), loaded, rules, backOffNs, attempts);
    }
}
