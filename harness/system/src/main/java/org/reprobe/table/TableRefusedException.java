package org.reprobe.table;

/** A table that can't exist: the message says why, and what would do, in the user's words. */
public final class TableRefusedException extends Exception {
    private static final long serialVersionUID = 1;

    public TableRefusedException(String message) {
        super(message);
    }
}
