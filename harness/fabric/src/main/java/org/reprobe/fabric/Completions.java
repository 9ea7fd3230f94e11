package org.reprobe.fabric;

/** Polled completions in preallocated arrays: entries 0 to {@link #count()} - 1. */
public final class Completions {
    private static final int NO_RECEIVE = -1;

    private final long[] ids;
    private final Status[] statuses;
    private final int[] receivedBytes;
    private final int[] connections;
    private int count;

    /** @param capacity maximum number of completions per poll */
    public Completions(int capacity) {
        this.ids = new long[capacity];
        this.statuses = new Status[capacity];
        this.receivedBytes = new int[capacity];
        this.connections = new int[capacity];
    }

    /** Completion status, named as in verbs. */
    public enum Status {
        SUCCESS("success"),
        REMOTE_ACCESS_ERROR(
                "remote access error (IBV_WC_REM_ACCESS_ERR): wrong key, out of bounds or not 8-byte aligned"),
        LOCAL_PROTECTION_ERROR("local protection error (IBV_WC_LOC_PROT_ERR): outside the registered local memory"),
        LOCAL_LENGTH_ERROR("local length error (IBV_WC_LOC_LEN_ERR): a message longer than its RECEIVE"),
        REMOTE_INVALID_REQUEST("remote invalid request (IBV_WC_REM_INV_REQ_ERR): a message longer than its RECEIVE"),
        RETRY_EXCEEDED(
                "transport retry counter exceeded (IBV_WC_RETRY_EXC_ERR): the other machine has failed or can't be reached"),
        FLUSHED("flushed (IBV_WC_WR_FLUSH_ERR) after an earlier error on the queue pair");

        private final String text;

        Status(String words) {
            this.text = words;
        }

        public String text() {
            return text;
        }

        /** Returns the exception for {@code what}, an operation in the user's terms that ended with this status. */
        public FabricException exception(String what) {
            String message = what + " ended with " + text;
            return this == RETRY_EXCEEDED ? new UnreachableException(message) : new FabricException(message);
        }
    }

    /** Returns the number of completions of the last poll. */
    public int count() {
        return count;
    }

    public int capacity() {
        return ids.length;
    }

    /** Returns the id with which the request was posted. */
    public long id(int i) {
        return ids[i];
    }

    public Status status(int i) {
        return statuses[i];
    }

    /** Returns true for a RECEIVE, false for a request of the send queue. */
    public boolean received(int i) {
        return receivedBytes[i] != NO_RECEIVE;
    }

    /** Returns the length of the received message in bytes. */
    public int receivedBytes(int i) {
        return receivedBytes[i];
    }

    /** Returns the number of the completion's connection; valid after {@link Requester#await}. */
    public int connection(int i) {
        return connections[i];
    }

    public void clear() {
        count = 0;
    }

    /** Appends a send-queue completion; for fabrics. */
    public void add(long id, Status status) {
        addReceived(id, status, NO_RECEIVE);
    }

    /** Appends a RECEIVE completion; for fabrics. */
    public void addReceived(long id, Status status, int bytes) {
        ids[count] = id;
        statuses[count] = status;
        connections[count] = 0;
        receivedBytes[count++] = bytes;
    }

    /** Appends all completions of {@code other}, which must fit; for fabrics. */
    public void addAll(Completions other) {
        for (int i = 0; i < other.count; i++) {
            addReceived(other.ids[i], other.statuses[i], other.receivedBytes[i]);
        }
    }

    /** Sets the connection number of entries {@code from} and later; for fabrics. */
    public void ofConnection(int from, int connection) {
        java.util.Arrays.fill(connections, from, count, connection);
    }
}
