package org.reprobe.farm;

/** Messages that wait for room, first in first out: of each its first word and the block that it is about. */
final class WaitingMessages {
    private final long[] words;
    private int from;
    private int count;

    /** @param capacity how many may wait at once */
    WaitingMessages(int capacity) {
        this.words = new long[2 * capacity];
    }

    boolean isEmpty() {
        return count == 0;
    }

    void add(long first, long offset) {
        if (2 * count == words.length) {
            throw new IllegalStateException("more messages wait than anybody may have under way");
        }
        int at = (from + 2 * count++) % words.length;
        words[at] = first;
        words[at + 1] = offset;
    }

    long first() {
        return words[from];
    }

    long offset() {
        return words[from + 1];
    }

    void remove() {
        from = (from + 2) % words.length;
        count--;
    }
}
