package org.reprobe.fabric;

import org.jspecify.annotations.Nullable;

/** Failed operation or broken connection. The message is one sentence in the user's terms. */
public class FabricException extends Exception {
    public FabricException(String message) {
        super(message);
    }

    public FabricException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
