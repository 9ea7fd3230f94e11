package org.reprobe.check;

/** What clients ask of a table. */
public enum Operation {
    /** Result: the value, or {@link Event#ABSENT}. */
    READ("read"),
    /** Argument: the value. Result: {@link Event#DONE} or {@link Event#REFUSED}. */
    WRITE("write"),
    /** Result: {@link Event#DONE}, or {@link Event#ABSENT} when the client was told that nothing was there. */
    DELETE("delete"),
    /** Argument: the new value; expected: the old one. Result: the value that was there before. */
    COMPARE_AND_SWAP("compare-and-swap"),
    /** Result: {@link Event#FOUND}, {@link Event#INSERTED} or {@link Event#FULL}. */
    FIND_OR_PUT("find-or-put"),
    /**
     * Several reads and writes at once: see {@link TransactionRecorder}. Key: its number. Result: {@link Event#DONE} or {@link
     * Event#REFUSED}.
     */
    TRANSACTION("transaction");

    private final String words;

    Operation(String words) {
        this.words = words;
    }

    /** For people. */
    public String words() {
        return words;
    }
}
