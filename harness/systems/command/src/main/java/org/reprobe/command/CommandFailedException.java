package org.reprobe.command;

/** Failure of a run of external programs; its message is shown to the user. */
final class CommandFailedException extends Exception {
    CommandFailedException(String message) {
        super(message);
    }
}
