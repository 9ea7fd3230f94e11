package org.reprobe.fabric.sim;

import java.util.Arrays;
import org.reprobe.fabric.Completions;

/**
 * Queue pairs of one program, numbered in order of creation, with the known time of each one's first completion. A wait
 * for any completion therefore need not check all queue pairs.
 */
final class SimConnections {
    private SimQueuePair[] queuePairs = new SimQueuePair[4];
    private long[] readyPs = new long[4];
    private int count;
    private int next;

    int add(SimQueuePair queuePair) {
        if (count == queuePairs.length) {
            queuePairs = Arrays.copyOf(queuePairs, 2 * count);
            readyPs = Arrays.copyOf(readyPs, 2 * count);
        }
        queuePairs[count] = queuePair;
        readyPs[count] = Long.MAX_VALUE;
        return count++;
    }

    int count() {
        return count;
    }

    SimQueuePair get(int number) {
        return queuePairs[number];
    }

    /** Sets the time of a queue pair's first completion; {@link Long#MAX_VALUE} for unknown. */
    void ready(int number, long ps) {
        readyPs[number] = ps;
    }

    /** Returns the time of the first completion of any queue pair; {@link Long#MAX_VALUE} for unknown. */
    long readyPs() {
        long first = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            first = Math.min(first, readyPs[i]);
        }
        return first;
    }

    boolean areIdle() {
        for (int i = 0; i < count; i++) {
            if (!queuePairs[i].isIdle()) {
                return false;
            }
        }
        return true;
    }

    /** Appends available completions with their connection numbers; returns the number of entries in {@code into}. */
    int takeAll(SimClient program, Completions into) {
        for (int i = 0; i < count && into.count() < into.capacity(); i++) {
            int number = next + i < count ? next + i : next + i - count;
            if (readyPs[number] <= program.nowPs()) {
                int from = into.count();
                queuePairs[number].takeMore(into);
                into.ofConnection(from, number);
            }
        }
        if (count > 0) {
            next = next + 1 < count ? next + 1 : 0;
        }
        return into.count();
    }
}
