package org.reprobe.fabric;

import org.jspecify.annotations.Nullable;

/** A server program can't go on for a reason that lies elsewhere: a client was lost, or the run was ended. No failure of its own. */
public final class RunOverException extends FabricException {
    private static final long serialVersionUID = 1L;

    public RunOverException(String message) {
        super(message);
    }

    public RunOverException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
