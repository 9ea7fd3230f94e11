package org.reprobe.system;

import org.reprobe.fabric.FabricException;

/** A machine takes no part in a run any more, which goes on without it. */
public final class LeftOutException extends FabricException {
    private static final long serialVersionUID = 1L;

    public LeftOutException(String message) {
        super(message);
    }
}
