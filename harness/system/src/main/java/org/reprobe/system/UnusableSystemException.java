package org.reprobe.system;

/** Failure to use a system on the class path: it can't be loaded, or its names conflict with another system's. */
public final class UnusableSystemException extends RuntimeException {
    UnusableSystemException(String message) {
        super(message);
    }
}
