package org.reprobe.system;

import org.jspecify.annotations.Nullable;

/** There is no such content, or no memory for it. The message is for people. */
public class RefusedException extends Exception {
    private static final long serialVersionUID = 1L;

    public RefusedException(@Nullable String message) {
        super(message);
    }

    public RefusedException(@Nullable String message, Throwable cause) {
        super(message, cause);
    }
}
