package org.reprobe.check;

/**
 * One operation of a history. Times may be nanoseconds or steps of a schedule: only their order counts. An operation is
 * before another one if it returned at an earlier time than the other was invoked at; with equal times they overlap.
 *
 * @param client who asked; from 0
 * @param operation what was asked
 * @param key of the table
 * @param argument what was given: see {@link Operation}
 * @param expected what a compare-and-swap expects; the number of the transaction that a read or write is part of; else 0
 * @param result what came back: see {@link Operation}; means nothing while pending
 * @param invoked when it was asked
 * @param returned when the answer came, or {@link #PENDING}: it may have taken effect at any time since, or never
 */
public record Event(
        int client,
        Operation operation,
        long key,
        long argument,
        long expected,
        long result,
        long invoked,
        long returned) {

    /** The time of an answer that never came. */
    public static final long PENDING = Long.MAX_VALUE;

    /** Result and value: the key is not there. No value that is written may be equal to it. */
    public static final long ABSENT = Long.MIN_VALUE;

    /** Result: the operation said that it did nothing. */
    public static final long REFUSED = Long.MIN_VALUE + 1;

    /** Result: the operation was done. */
    public static final long DONE = Long.MIN_VALUE + 2;

    /** Result of find-or-put: the key was there. */
    public static final long FOUND = Long.MIN_VALUE + 3;

    /** Result of find-or-put: the key was not there and is now. */
    public static final long INSERTED = Long.MIN_VALUE + 4;

    /** Result of find-or-put: the key was not there and found no place. */
    public static final long FULL = Long.MIN_VALUE + 5;

    public boolean pending() {
        return returned == PENDING;
    }

    /** Whether its result says that it left the table as it was. */
    boolean changesNothing() {
        return !pending()
                && (result == REFUSED
                        || switch (operation) {
                            case READ -> true;
                            case WRITE, TRANSACTION -> false;
                            case DELETE -> result == ABSENT;
                            case COMPARE_AND_SWAP -> result != expected;
                            case FIND_OR_PUT -> result != INSERTED;
                        });
    }

    /** Like {@code write(3, 7) -> done}. */
    public String words() {
        return asked() + " -> " + (pending() ? "?" : value(result));
    }

    /** Like {@code write(3, 7)}. */
    String asked() {
        String call = operation.words() + "(" + key;
        return switch (operation) {
            case READ, DELETE, FIND_OR_PUT, TRANSACTION -> call + ")";
            case WRITE -> call + ", " + value(argument) + ")";
            case COMPARE_AND_SWAP -> call + ", " + value(expected) + " to " + value(argument) + ")";
        };
    }

    /** A result or a value for people. */
    static String value(long value) {
        if (value == ABSENT) {
            return "absent";
        } else if (value == REFUSED) {
            return "refused";
        } else if (value == DONE) {
            return "done";
        } else if (value == FOUND) {
            return "found";
        } else if (value == INSERTED) {
            return "inserted";
        } else if (value == FULL) {
            return "full";
        }
        return String.valueOf(value);
    }
}
