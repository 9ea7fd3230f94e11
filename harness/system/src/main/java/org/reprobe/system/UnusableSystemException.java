package org.reprobe.system;

/** Failure to use a system on the class path: it can't be loaded, or its names conflict with another system's. */
public final class UnusableSystemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableSystemException(String message) {
        super(message);
    }
}
