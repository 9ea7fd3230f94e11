package org.reprobe.farm.memory;

/** Address of an object: region number and 32-bit offset (FaRM 2014, section 3.3). */
public final class Address {
    /** Maximum size of a region, the unit of allocation (section 3.3). */
    public static final long MAX_REGION_BYTES = 2L << 30;

    private static final int OFFSET_BITS = 32;

    private Address() {}

    public static long of(int region, long offset) {
        return (long) region << OFFSET_BITS | offset;
    }

    public static int regionOf(long address) {
        return (int) (address >>> OFFSET_BITS);
    }

    public static long offsetOf(long address) {
        return address & (1L << OFFSET_BITS) - 1;
    }
}
