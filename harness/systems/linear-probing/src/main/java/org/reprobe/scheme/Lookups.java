package org.reprobe.scheme;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * The lookups in progress of one client: plain arrays, indexed by a lookup's number, which is used again once the lookup
 * has finished.
 */
public final class Lookups {
    int[] key;
    /** The record whose key is looked up; the answer must hold it. */
    long[] ordinal;

    long[] startNs;
    /** Requests not yet processed, and one for what else keeps a lookup from finishing. */
    int[] pending;

    int[] tableRequests;
    int[] heapRequests;
    /** No further request to the table will be made. */
    boolean[] tableDone;
    /** The record of {@link #ordinal} was among the matches. */
    boolean[] answered;

    private int[] free;
    private int freeCount;

    Lookups(int capacity) {
        key = new int[capacity];
        ordinal = new long[capacity];
        startNs = new long[capacity];
        pending = new int[capacity];
        tableRequests = new int[capacity];
        heapRequests = new int[capacity];
        tableDone = new boolean[capacity];
        answered = new boolean[capacity];
        free = new int[capacity];
        release(0, capacity);
    }

    /** Numbers of lookups are below it. It grows with the lookups in progress: what an algorithm keeps of each grows with it. */
    int capacity() {
        return key.length;
    }

    /** Begins a lookup; its number. */
    int begin(int key, long ordinal, long startNs) {
        if (freeCount == 0) {
            grow();
        }
        int lookup = free[--freeCount];
        this.key[lookup] = key;
        this.ordinal[lookup] = ordinal;
        this.startNs[lookup] = startNs;
        pending[lookup] = 0;
        tableRequests[lookup] = 0;
        heapRequests[lookup] = 0;
        tableDone[lookup] = false;
        answered[lookup] = false;
        return lookup;
    }

    /** Those in progress. */
    int[] inProgress() {
        boolean[] ended = new boolean[capacity()];
        for (int i = 0; i < freeCount; i++) {
            ended[free[i]] = true;
        }
        return IntStream.range(0, capacity()).filter(lookup -> !ended[lookup]).toArray();
    }

    void end(int lookup) {
        free[freeCount++] = lookup;
    }

    private void release(int from, int to) {
        for (int lookup = to - 1; lookup >= from; lookup--) {
            free[freeCount++] = lookup;
        }
    }

    private void grow() {
        int old = key.length;
        int now = 2 * old;
        key = Arrays.copyOf(key, now);
        ordinal = Arrays.copyOf(ordinal, now);
        startNs = Arrays.copyOf(startNs, now);
        pending = Arrays.copyOf(pending, now);
        tableRequests = Arrays.copyOf(tableRequests, now);
        heapRequests = Arrays.copyOf(heapRequests, now);
        tableDone = Arrays.copyOf(tableDone, now);
        answered = Arrays.copyOf(answered, now);
        free = Arrays.copyOf(free, now);
        release(old, now);
    }
}
