package org.reprobe.fabric;

import org.jspecify.annotations.Nullable;

/** End of a thread's run by an external cause: a client was lost, or the run was stopped. */
public final class RunEndedException extends FabricException {
    public RunEndedException(String message) {
        super(message);
    }

    public RunEndedException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
