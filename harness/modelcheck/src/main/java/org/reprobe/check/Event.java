package org.reprobe.check;

/**
 * Operation of a history. Clients are numbered from 0. {@link Operation} defines argument and result, which is
 * undefined while pending. Times may be nanoseconds or steps of a schedule, since only their order counts. An operation
 * precedes another one if it returned before the other was invoked; with equal times they overlap.
 *
 * @param expected for a compare-and-swap the expected value; for a read or write within a transaction the transaction's
 *     number; otherwise 0
 * @param returned time of the reply, or {@link #PENDING}: the operation may have taken effect at any time since its
 *     invocation, or never
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

    public static final long PENDING = Long.MAX_VALUE;

    /** Result or value of an absent key; must differ from every written value. */
    public static final long ABSENT = Long.MIN_VALUE;

    /** Result of an operation that reported no effect. */
    public static final long REFUSED = Long.MIN_VALUE + 1;

    public static final long DONE = Long.MIN_VALUE + 2;

    /** Result of find-or-put for a present key. */
    public static final long FOUND = Long.MIN_VALUE + 3;

    /** Result of find-or-put for an absent key that was inserted. */
    public static final long INSERTED = Long.MIN_VALUE + 4;

    /** Result of find-or-put for an absent key without a free slot. */
    public static final long FULL = Long.MIN_VALUE + 5;

    public Event by(int other) {
        return new Event(other, operation, key, argument, expected, result, invoked, returned);
    }

    public boolean pending() {
        return returned == PENDING;
    }

    /** Returns true if the result implies that the operation did not change the table. */
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

    public String text() {
        return call() + " -> " + (pending() ? "?" : value(result));
    }

    String call() {
        String call = operation.text() + "(" + key;
        return switch (operation) {
            case READ, DELETE, FIND_OR_PUT, TRANSACTION -> call + ")";
            case WRITE -> call + ", " + value(argument) + ")";
            case COMPARE_AND_SWAP -> call + ", " + value(expected) + " to " + value(argument) + ")";
        };
    }

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
