package org.reprobe.fabric.sim;

import java.util.Arrays;
import org.reprobe.fabric.Completions;

/**
 * The queue pairs of one program, numbered in the order in which it got them, and when the first completion of each is there, as far as is
 * known: so that who waits for any of many need not ask each of them.
 */
final class SimConnections {
    private SimQueuePair[] queuePairs = new SimQueuePair[4];
    private long[] readyPs = new long[4];
    private int count;
    /** Where taking begins: with another one each time, so that none starves. */
    private int next;

    /** Adds one; its number. */
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

    /** Its first completion is or will be there at {@code ps}; {@link Long#MAX_VALUE} for not known. */
    void ready(int number, long ps) {
        readyPs[number] = ps;
    }

    /** When the first completion of any is or will be there, as far as is known; {@link Long#MAX_VALUE} for not known. */
    long readyPs() {
        long first = Long.MAX_VALUE;
        for (int i = 0; i < count; i++) {
            first = Math.min(first, readyPs[i]);
        }
        return first;
    }

    /** Whether nothing is posted that could complete. */
    boolean areIdle() {
        for (int i = 0; i < count; i++) {
            if (!queuePairs[i].isIdle()) {
                return false;
            }
        }
        return true;
    }

    /** Appends the completions that are there now, and says of each whose it is; the number of all that is there then. */
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
