package org.reprobe.command;

/** A run of programs has failed; the message says how, in the user's words. */
final class CommandFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    CommandFailedException(String message) {
        super(message);
    }
}
