package org.reprobe.table;

/** Refusal to build a table. The message has the reason and a remedy, in the user's terms. */
public final class TableRefusedException extends Exception {
    public TableRefusedException(String message) {
        super(message);
    }
}
