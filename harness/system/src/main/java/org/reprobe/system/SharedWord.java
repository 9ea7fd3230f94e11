package org.reprobe.system;

import org.reprobe.fabric.FabricException;

/** A compare-and-swap register that all processes of a run share, and that stays when any of them fails. */
@FunctionalInterface
public interface SharedWord {

    /**
     * Replaces a value by another, if it is still the present one. The first call finds what the run began with, which all agree on.
     *
     * @return the present value after that
     * @throws FabricException when it can't be reached, in words: nobody knows whether it was replaced
     */
    long replace(long known, long next) throws FabricException;
}
