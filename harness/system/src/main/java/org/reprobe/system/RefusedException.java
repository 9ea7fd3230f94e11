package org.reprobe.system;

import org.jspecify.annotations.Nullable;

/** Impossible content, or insufficient memory for it. The message is for users. */
public class RefusedException extends Exception {
    public RefusedException(@Nullable String message) {
        super(message);
    }

    public RefusedException(@Nullable String message, Throwable cause) {
        super(message, cause);
    }
}
