package org.reprobe.explore;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Completions.Status;

/** Work request of a send queue, or a RECEIVE. */
final class Request {
    static final int READ = 0;
    static final int WRITE = 1;
    static final int COMPARE_AND_SWAP = 2;
    static final int FETCH_AND_ADD = 3;
    static final int SEND = 4;
    static final int RECEIVE = 5;
    static final int BEGIN = 6;
    static final int TRANSACTIONAL_READ = 7;
    static final int TRANSACTIONAL_WRITE = 8;
    static final int COMMIT = 9;

    final int operation;
    final long id;
    final long local;
    final long remote;
    final int key;
    final int bytes;
    final long first;
    final long second;
    final boolean signaled;
    /** Hash of the payload when the request was posted. */
    long payload;

    /** Copy of the payload, made when the connection breaks, since the client may overwrite the original. */
    @Nullable
    MemorySegment sent;

    Status status = Status.SUCCESS;
    int receivedBytes;

    /**
     * @param first expected value, addend or written value
     * @param second desired value of a COMPARE_AND_SWAP
     */
    Request(
            int operation,
            long id,
            long local,
            long remote,
            int key,
            int bytes,
            long first,
            long second,
            boolean signaled) {
        this.operation = operation;
        this.id = id;
        this.local = local;
        this.remote = remote;
        this.key = key;
        this.bytes = bytes;
        this.first = first;
        this.second = second;
        this.signaled = signaled;
    }

    /** Returns true if the request carries a payload to the other end. */
    boolean brings() {
        return operation == WRITE || operation == SEND || (operation == TRANSACTIONAL_WRITE && bytes > Long.BYTES);
    }

    /** Returns true if the request may change anything other than the client's memory. */
    boolean hasEffect() {
        return operation != READ && (operation != COMPARE_AND_SWAP || first != second);
    }

    String text(World world) {
        return switch (operation) {
            case READ -> "READ " + world.place(remote) + (bytes == 8 ? "" : " (" + bytes + " B)");
            case WRITE -> "WRITE " + world.place(remote) + (bytes == 8 ? "" : " (" + bytes + " B)");
            case COMPARE_AND_SWAP -> "CAS " + world.place(remote) + " " + text(first) + " to " + text(second);
            case FETCH_AND_ADD -> "FETCH_AND_ADD " + world.place(remote) + " " + text(first);
            case SEND -> "SEND of " + bytes + " B";
            case BEGIN -> "BEGIN";
            case TRANSACTIONAL_READ ->
                "in transaction: READ " + world.place(remote) + (bytes == 8 ? "" : " (" + bytes + " B)");
            case TRANSACTIONAL_WRITE ->
                "in transaction: WRITE " + world.place(remote)
                        + (bytes == 8 ? " := " + text(first) : " (" + bytes + " B)");
            case COMMIT -> "COMMIT";
            default -> "RECEIVE";
        };
    }

    static String text(long value) {
        return value > -1_000_000_000 && value < 1_000_000_000 ? String.valueOf(value) : "0x" + Long.toHexString(value);
    }
}
