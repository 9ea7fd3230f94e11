package org.reprobe.table;

/** Refusal to build a table. The message has the reason and a remedy, in the user's terms. */
public final class TableRefusedException extends Exception {
    private static final long serialVersionUID = 1;

    public TableRefusedException(String message) {
        super(message);
    }
}
