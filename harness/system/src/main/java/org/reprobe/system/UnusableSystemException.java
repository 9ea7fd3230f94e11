package org.reprobe.system;

/** A system on the class path can't be loaded, or takes another one's name; the message says which and why, for users. */
public final class UnusableSystemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    UnusableSystemException(String message) {
        super(message);
    }
}
