package org.reprobe.fabric.sim;

/**
 * Event queue: a 4-ary heap of (time, actor), earliest first. Ties are broken by the actor's number for determinism. A
 * queue pair has at most one entry; a client may have stale alarms as well. Times are virtual picoseconds.
 */
final class EventQueue {
    private long[] timesPs;
    private int[] actors;
    private int size;

    EventQueue(int capacity) {
        timesPs = new long[Math.max(4, capacity)];
        actors = new int[timesPs.length];
    }

    boolean isEmpty() {
        return size == 0;
    }

    int size() {
        return size;
    }

    /** Returns the time of the earliest event; {@link Long#MAX_VALUE} if there is none. */
    long earliestPs() {
        return size == 0 ? Long.MAX_VALUE : timesPs[0];
    }

    int earliestActor() {
        return actors[0];
    }

    void add(long timePs, int actor) {
        if (size == actors.length) {
            timesPs = java.util.Arrays.copyOf(timesPs, 2 * size);
            actors = java.util.Arrays.copyOf(actors, 2 * size);
        }
        int at = size++;
        while (at > 0) {
            int parent = (at - 1) >> 2;
            if (!before(timePs, actor, timesPs[parent], actors[parent])) {
                break;
            }
            timesPs[at] = timesPs[parent];
            actors[at] = actors[parent];
            at = parent;
        }
        timesPs[at] = timePs;
        actors[at] = actor;
    }

    void removeEarliest() {
        size--;
        if (size > 0) {
            sink(timesPs[size], actors[size]);
        }
    }

    /** Moves the earliest event to a later time. */
    void postponeEarliest(long timePs) {
        sink(timePs, actors[0]);
    }

    /** Replaces the earliest event by one that is not earlier. */
    void replaceEarliest(long timePs, int actor) {
        sink(timePs, actor);
    }

    private void sink(long timePs, int actor) {
        long[] times = timesPs;
        int[] heap = actors;
        int n = size;
        int at = 0;
        while (true) {
            int child = (at << 2) + 1;
            if (child >= n) {
                break;
            }
            int best = child;
            long bestPs = times[child];
            int end = Math.min(child + 4, n);
            for (int other = child + 1; other < end; other++) {
                long otherPs = times[other];
                // Without a branch: which child is earliest can't be predicted. Equal times are rare.
                long earlier = otherPs == bestPs ? heap[other] - heap[best] : otherPs - bestPs;
                best = earlier < 0 ? other : best;
                bestPs = Math.min(bestPs, otherPs);
            }
            if (before(timePs, actor, bestPs, heap[best])) {
                break;
            }
            times[at] = bestPs;
            heap[at] = heap[best];
            at = best;
        }
        times[at] = timePs;
        heap[at] = actor;
    }

    private static boolean before(long aPs, int a, long bPs, int b) {
        return aPs < bPs || (aPs == bPs && a < b);
    }
}
