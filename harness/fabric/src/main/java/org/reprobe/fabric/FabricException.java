package org.reprobe.fabric;

import org.jspecify.annotations.Nullable;

/** An operation failed or a connection broke. The message is one sentence in the user's words. */
public class FabricException extends Exception {
    private static final long serialVersionUID = 1L;

    public FabricException(String message) {
        super(message);
    }

    public FabricException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
