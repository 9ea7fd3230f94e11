package org.reprobe.scheme;

import java.util.Arrays;

/**
 * Algorithm 1's request queue: a ring of requests, first in, first out; all are READs where nothing is written. The requests at
 * its front that have been
 * posted are processed, in order, when all of them have completed; processing may push further ones at its end.
 *
 * <p>A request is named by its place in the ring, which stays valid until it is removed.
 */
final class RequestQueue {
    static final byte READ = 0;
    /** A COMPARE_AND_SWAP of the lock at {@link #offset}. */
    static final byte LOCK = 1;
    /** A WRITE of a record. */
    static final byte WRITE = 2;
    /** A WRITE that frees the lock at {@link #offset}. */
    static final byte UNLOCK = 3;

    int[] lookup;
    /** Byte offset in the table or in the heap. */
    long[] offset;

    int[] bytes;
    /** Linear probing and hopscotch: the first slot that is read. Cuckoo: which candidate. */
    long[] detail;
    /** To the heap rather than to the table. */
    boolean[] toHeap;
    /** What it does: {@link #READ}, or what {@link LockedUpdates} add. */
    byte[] verb;
    /** Where in local memory the answer lands; set when posted. */
    int[] local;

    private int head;
    private int size;

    RequestQueue(int capacity) {
        int ring = Integer.highestOneBit(Math.max(1, 2 * capacity - 1));
        lookup = new int[ring];
        offset = new long[ring];
        bytes = new int[ring];
        detail = new long[ring];
        toHeap = new boolean[ring];
        verb = new byte[ring];
        local = new int[ring];
    }

    int size() {
        return size;
    }

    /** The place of the {@code i}-th request from the front. */
    int at(int i) {
        return (head + i) & (lookup.length - 1);
    }

    /** Appends a READ. */
    void push(int lookup, boolean toHeap, long offset, int bytes, long detail) {
        push(READ, lookup, toHeap, offset, bytes, detail);
    }

    void push(byte verb, int lookup, boolean toHeap, long offset, int bytes, long detail) {
        if (size == this.lookup.length) {
            grow();
        }
        int at = at(size++);
        this.lookup[at] = lookup;
        this.toHeap[at] = toHeap;
        this.verb[at] = verb;
        this.offset[at] = offset;
        this.bytes[at] = bytes;
        this.detail[at] = detail;
    }

    /** Drops the first {@code n} requests. */
    void remove(int n) {
        head = at(n);
        size -= n;
    }

    /** Doubles the ring. Places change, so a caller that holds one across {@link #push} must ask {@link #at} again. */
    private void grow() {
        int old = lookup.length;
        lookup = straighten(lookup, old);
        bytes = straighten(bytes, old);
        local = straighten(local, old);
        offset = straighten(offset, old);
        detail = straighten(detail, old);
        boolean[] flags = new boolean[2 * old];
        System.arraycopy(toHeap, head, flags, 0, old - head);
        System.arraycopy(toHeap, 0, flags, old - head, head);
        toHeap = flags;
        byte[] verbs = new byte[2 * old];
        System.arraycopy(verb, head, verbs, 0, old - head);
        System.arraycopy(verb, 0, verbs, old - head, head);
        verb = verbs;
        head = 0;
    }

    private int[] straighten(int[] ring, int old) {
        int[] straight = Arrays.copyOfRange(ring, head, head + 2 * old);
        System.arraycopy(ring, 0, straight, old - head, head);
        return straight;
    }

    private long[] straighten(long[] ring, int old) {
        long[] straight = Arrays.copyOfRange(ring, head, head + 2 * old);
        System.arraycopy(ring, 0, straight, old - head, head);
        return straight;
    }
}
