package org.reprobe.scheme;

import org.reprobe.fabric.RemoteRegion;

/**
 * Lookups that go on to write the record they found, by one-sided operations.
 *
 * @param share of lookups that do, 0 to 1
 * @param locks words of 8 bytes, zero for free; their number is a power of two, and a record's is given by its ordinal
 */
public record Updates(double share, RemoteRegion locks) {

    /** Where in {@link #locks} a record's stands. */
    long offset(long ordinal) {
        return (ordinal * Long.BYTES) & (locks.bytes() - 1);
    }
}
