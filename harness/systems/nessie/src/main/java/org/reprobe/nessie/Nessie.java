package org.reprobe.nessie;

import org.reprobe.fabric.RemoteRegion;

/**
 * A Nessie table as its clients know it.
 *
 * @param memory registered memory of {@link Geometry#bytes} bytes
 * @param loaded how many items of each owner are in the table from the start
 * @param rules which algorithms clients follow; all the same
 * @param backOffNs the longest first wait before an attempt is repeated; it doubles with each
 * @param attempts after how many an operation gives up
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Nessie(Geometry geometry, RemoteRegion memory, int[] loaded, Rules rules, long backOffNs, int attempts) {
    /** Longer than any contention lasts, shorter than a run that hangs. */
    public static final int ATTEMPTS = 100_000;

    public Nessie {
        if (memory.bytes() < geometry.bytes()) {
            throw new IllegalArgumentException(
                    "the table needs " + geometry.bytes() + " bytes, but " + memory.bytes() + " are registered");
        }
    }

    /** The same table as the server has laid it out since. */
    Nessie laidOut(TableLayout layout) {
        return new Nessie(geometry.withSlots(layout.slots()), layout.memory(), loaded, rules, backOffNs, attempts);
    }
}
