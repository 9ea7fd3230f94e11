package org.reprobe.system;

import org.reprobe.fabric.FabricException;

/** Exclusion of this machine from a run, which continues without it. */
public final class EvictedException extends FabricException {
    public EvictedException(String message) {
        super(message);
    }
}
