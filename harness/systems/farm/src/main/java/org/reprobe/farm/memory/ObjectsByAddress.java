package org.reprobe.farm.memory;

/** Mapping from addresses to object layouts, the same on all machines. */
@FunctionalInterface
public interface ObjectsByAddress {
    ObjectLayout at(int region, long offset);
}
