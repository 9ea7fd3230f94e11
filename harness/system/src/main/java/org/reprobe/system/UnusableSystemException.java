package org.reprobe.system;

/** System on the class path that can't be loaded or whose names conflict; the message names it and the reason. */
public final class UnusableSystemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableSystemException(String message) {
        super(message);
    }
}
