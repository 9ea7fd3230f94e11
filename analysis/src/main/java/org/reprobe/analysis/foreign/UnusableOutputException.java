package org.reprobe.analysis.foreign;

/** Unreadable output of a program; the message has the place, the expected and the actual content. */
public final class UnusableOutputException extends Exception {
    private final int line;
    private final String reason;

    public UnusableOutputException(String message) {
        super(message);
        line = 0;
        reason = message;
    }

    UnusableOutputException(String file, int line, String reason) {
        super(file + ":" + line + ": " + reason);
        this.line = line;
        this.reason = reason;
    }

    /** Returns the line of the file, from 1; 0 without a line. */
    int line() {
        return line;
    }

    String reason() {
        return reason;
    }
}
