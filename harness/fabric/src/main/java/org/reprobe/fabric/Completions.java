package org.reprobe.fabric;

/** Polled completions, in preallocated arrays: entries 0 to {@link #count()} - 1. */
public final class Completions {
    private static final int NO_RECEIVE = -1;

    private final long[] ids;
    private final Status[] statuses;
    private final int[] receivedBytes;
    private final int[] connections;
    private int count;

    /** @param capacity the most that one poll takes */
    public Completions(int capacity) {
        this.ids = new long[capacity];
        this.statuses = new Status[capacity];
        this.receivedBytes = new int[capacity];
        this.connections = new int[capacity];
    }

    /** How an operation ended, as verbs call it. */
    public enum Status {
        SUCCESS("success"),
        REMOTE_ACCESS_ERROR(
                "remote access error (IBV_WC_REM_ACCESS_ERR): wrong key, out of bounds or not 8-byte aligned"),
        LOCAL_PROTECTION_ERROR("local protection error (IBV_WC_LOC_PROT_ERR): outside the registered local memory"),
        LOCAL_LENGTH_ERROR("local length error (IBV_WC_LOC_LEN_ERR): a message longer than the RECEIVE that it met"),
        REMOTE_INVALID_REQUEST(
                "remote invalid request (IBV_WC_REM_INV_REQ_ERR): a message longer than the RECEIVE that it met"),
        RETRY_EXCEEDED(
                "transport retry counter exceeded (IBV_WC_RETRY_EXC_ERR): the other machine has failed or can't be reached"),
        FLUSHED("flushed (IBV_WC_WR_FLUSH_ERR) after an earlier error on the queue pair");

        private final String words;

        Status(String words) {
            this.words = words;
        }

        /** For people. */
        public String words() {
            return words;
        }

        /**
         * What a client throws that had it.
         *
         * @param what has ended so, in the user's words
         */
        public FabricException exception(String what) {
            String message = what + " ended with " + words;
            return this == RETRY_EXCEEDED ? new UnreachableException(message) : new FabricException(message);
        }
    }

    public int count() {
        return count;
    }

    public int capacity() {
        return ids.length;
    }

    /** The id that the operation was posted with. */
    public long id(int i) {
        return ids[i];
    }

    public Status status(int i) {
        return statuses[i];
    }

    /** True for a RECEIVE, false for what was posted to the send queue. */
    public boolean received(int i) {
        return receivedBytes[i] != NO_RECEIVE;
    }

    /** Length of the message that a RECEIVE took, in bytes. */
    public int receivedBytes(int i) {
        return receivedBytes[i];
    }

    /** After {@link Requester#await}: the number of the connection that it is of. */
    public int connection(int i) {
        return connections[i];
    }

    /** For fabrics: forget all. */
    public void clear() {
        count = 0;
    }

    /** For fabrics: append one of the send queue. */
    public void add(long id, Status status) {
        addReceived(id, status, NO_RECEIVE);
    }

    /** For fabrics: append a RECEIVE's. */
    public void addReceived(long id, Status status, int bytes) {
        ids[count] = id;
        statuses[count] = status;
        connections[count] = 0;
        receivedBytes[count++] = bytes;
    }

    /** For fabrics: append what another has, for which there must be room. */
    public void addAll(Completions other) {
        for (int i = 0; i < other.count; i++) {
            addReceived(other.ids[i], other.statuses[i], other.receivedBytes[i]);
        }
    }

    /** For fabrics: say of which connection entries {@code from} and later are. */
    public void ofConnection(int from, int connection) {
        java.util.Arrays.fill(connections, from, count, connection);
    }
}
