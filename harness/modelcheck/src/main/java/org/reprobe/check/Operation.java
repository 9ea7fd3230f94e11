package org.reprobe.check;

import org.reprobe.analysis.document.EnumWord;

public enum Operation {
    /** Result: the value, or {@link Event#ABSENT}. */
    READ,
    /** Argument: the value. Result: {@link Event#DONE} or {@link Event#REFUSED}. */
    WRITE,
    /** Result: {@link Event#DONE}, or {@link Event#ABSENT} if the key was reported absent. */
    DELETE,
    /** Argument: the new value; expected: the old one. Result: the previous value. */
    COMPARE_AND_SWAP,
    /** Result: {@link Event#FOUND}, {@link Event#INSERTED} or {@link Event#FULL}. */
    FIND_OR_PUT,
    /**
     * Several reads and writes, atomically ({@link TransactionRecorder}). Key: the transaction's number. Result:
     * {@link Event#DONE} or {@link Event#REFUSED}.
     */
    TRANSACTION;

    public String text() {
        return EnumWord.of(this);
    }
}
