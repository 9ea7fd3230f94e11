package org.reprobe.fabric;

/** Polled completions, in preallocated arrays: entries 0 to {@link #count()} - 1. */
public final class Completions {
    private final long[] ids;
    private final Status[] statuses;
    private int count;

    /** @param capacity the most that one poll takes */
    public Completions(int capacity) {
        this.ids = new long[capacity];
        this.statuses = new Status[capacity];
    }

    /** How an operation ended. */
    public enum Status {
        SUCCESS("success"),
        REMOTE_ACCESS_ERROR("remote access error: wrong key, out of bounds or not 8-byte aligned"),
        LOCAL_PROTECTION_ERROR("local protection error: outside the registered local memory"),
        FLUSHED("flushed after an earlier error on the queue pair");

        private final String words;

        Status(String words) {
            this.words = words;
        }

        /** For people. */
        public String words() {
            return words;
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

    /** For fabrics: forget all. */
    public void clear() {
        count = 0;
    }

    /** For fabrics: append one. */
    public void add(long id, Status status) {
        ids[count] = id;
        statuses[count++] = status;
    }
}
