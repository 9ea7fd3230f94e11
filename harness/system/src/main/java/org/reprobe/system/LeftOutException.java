package org.reprobe.system;

import org.reprobe.fabric.FabricException;

/** Exclusion of this machine from a run, which continues without it. */
public final class LeftOutException extends FabricException {
    public LeftOutException(String message) {
        super(message);
    }
}
