package org.reprobe.nessie;

import org.reprobe.fabric.RemoteRegion;

/**
 * Nessie table from a client's view.
 *
 * @param loaded number of items in the table from the start, by owner
 * @param backOffNs maximum wait before the first repetition of an attempt; it doubles with each repetition
 * @param attempts number of attempts after which an operation is given up
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Nessie(Geometry geometry, RemoteRegion memory, int[] loaded, Rules rules, long backOffNs, int attempts) {
    /** Limit that contention does not reach, but that ends a hanging run. */
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
