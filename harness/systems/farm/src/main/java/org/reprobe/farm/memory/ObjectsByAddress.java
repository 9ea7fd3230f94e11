package org.reprobe.farm.memory;

/** Mapping from addresses to object layouts, the same on all machines. */
@FunctionalInterface
public interface ObjectsByAddress {
    ObjectLayout at(int region, long offset);

    default ObjectLayout at(long address) {
        return at(Address.regionOf(address), Address.offsetOf(address));
    }
}
