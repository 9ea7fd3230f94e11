package org.reprobe.scheme;

import java.util.Arrays;

/**
 * Request queue of Algorithm 1 (linear-probing paper): a FIFO ring. Posted requests are at the front and are processed
 * in order after completion; processing may push further requests at the end.
 *
 * <p>A request is identified by its position in the ring, which is valid until the request is removed or the ring
 * grows.
 */
public final class RequestQueue {
    int[] lookup;
    /** Byte offset in the table or in the heap. */
    long[] offset;

    public int[] bytes;
    /** Value for the algorithm that pushed the request, used at its completion. */
    long[] detail;
    /** True for a request to the heap, false for one to the table. */
    boolean[] toHeap;
    /** Offset in local memory for the reply, set when the request is posted. */
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
        local = new int[ring];
    }

    public int size() {
        return size;
    }

    /** Returns the position of the {@code i}-th request from the front. */
    public int at(int i) {
        return (head + i) & (lookup.length - 1);
    }

    void push(int lookup, boolean toHeap, long offset, int bytes, long detail) {
        if (size == this.lookup.length) {
            grow();
        }
        int at = at(size++);
        this.lookup[at] = lookup;
        this.toHeap[at] = toHeap;
        this.offset[at] = offset;
        this.bytes[at] = bytes;
        this.detail[at] = detail;
    }

    public void remove(int n) {
        head = at(n);
        size -= n;
    }

    void clear() {
        remove(size);
    }

    /** Doubles the ring. Positions change: a caller must call {@link #at} again after {@link #push}. */
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
