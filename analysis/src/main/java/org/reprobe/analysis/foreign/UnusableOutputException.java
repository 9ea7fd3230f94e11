package org.reprobe.analysis.foreign;

/** What a program wrote can't be read; the message says where, what was expected and what stands there. */
public final class UnusableOutputException extends Exception {
    private static final long serialVersionUID = 1L;

    public UnusableOutputException(String message) {
        super(message);
    }
}
