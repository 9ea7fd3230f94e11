package org.reprobe.system;

import org.reprobe.fabric.FabricException;

/** Compare-and-swap register shared by all processes of a run, which survives failures of any of them. */
@FunctionalInterface
public interface SharedWord {

    /**
     * Replaces {@code known} by {@code next} if it is the current value. The first call finds the initial value of the run.
     *
     * @return the current value after the call
     * @throws FabricException if the register is unreachable; the outcome is then unknown
     */
    long replace(long known, long next) throws FabricException;
}
