package org.reprobe.system;

import org.reprobe.fabric.FabricException;

/** Compare-and-swap register that all processes of a run share. It survives the failure of any of them. */
@FunctionalInterface
public interface SharedWord {

    /**
     * Replaces the current value by {@code next} if it equals {@code known}; returns the value after the call. The
     * first call finds the run's initial value. Throws if the register is unreachable; the outcome is then unknown.
     */
    long replace(long known, long next) throws FabricException;
}
