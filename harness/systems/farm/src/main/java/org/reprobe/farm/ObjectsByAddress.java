package org.reprobe.farm;

/** Tells which layout the object has that stands at an address: all machines agree on that. */
@FunctionalInterface
interface ObjectsByAddress {
    ObjectLayout at(int region, long offset);
}
