package org.reprobe.farm.memory;

/** Tells which layout the object has that stands at an address: all machines agree on that. */
@FunctionalInterface
public interface ObjectsByAddress {
    ObjectLayout at(int region, long offset);
}
