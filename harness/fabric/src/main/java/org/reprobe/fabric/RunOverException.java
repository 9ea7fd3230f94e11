package org.reprobe.fabric;

import org.jspecify.annotations.Nullable;

/** End of a thread's run by an external cause: a client was lost, or the run was stopped. */
public final class RunOverException extends FabricException {
    public RunOverException(String message) {
        super(message);
    }

    public RunOverException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
