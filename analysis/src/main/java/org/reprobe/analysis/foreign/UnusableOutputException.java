package org.reprobe.analysis.foreign;

/** What a program wrote can't be read; the message says where, what was expected and what stands there. */
public final class UnusableOutputException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int line;
    private final String reason;

    public UnusableOutputException(String message) {
        super(message);
        line = 0;
        reason = message;
    }

    /** @param line of the file, from 1 */
    UnusableOutputException(String file, int line, String reason) {
        super(file + ":" + line + ": " + reason);
        this.line = line;
        this.reason = reason;
    }

    /** The line of the file, from 1; 0 when it is about no line. */
    int line() {
        return line;
    }

    /** The message without the place. */
    String reason() {
        return reason;
    }
}
