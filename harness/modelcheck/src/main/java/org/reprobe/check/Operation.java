package org.reprobe.check;

public enum Operation {
    /** Result: the value, or {@link Event#ABSENT}. */
    READ("read"),
    /** Argument: the value. Result: {@link Event#DONE} or {@link Event#REFUSED}. */
    WRITE("write"),
    /** Result: {@link Event#DONE}, or {@link Event#ABSENT} if the key was reported absent. */
    DELETE("delete"),
    /** Argument: the new value; expected: the old one. Result: the previous value. */
    COMPARE_AND_SWAP("compare-and-swap"),
    /** Result: {@link Event#FOUND}, {@link Event#INSERTED} or {@link Event#FULL}. */
    FIND_OR_PUT("find-or-put"),
    /**
     * Several reads and writes, atomically ({@link TransactionRecorder}). Key: the transaction's number. Result:
     * {@link Event#DONE} or {@link Event#REFUSED}.
     */
    TRANSACTION("transaction");

    private final String words;

    Operation(String words) {
        this.words = words;
    }

    public String words() {
        return words;
    }
}
