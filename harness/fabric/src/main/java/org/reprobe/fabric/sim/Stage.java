package org.reprobe.fabric.sim;

import java.util.Arrays;

/**
 * A stage that does one thing at a time, first come, first served, and is asked in another order than things come: a card that is told now
 * what it sends now, what it will serve when that arrives and what answers it will take. It keeps the times at which it is busy and does each
 * thing in the first gaps from when it is there, in pieces where they are short, so that it never idles while there is work.
 * Asked in the order in which things come, it is the sum of their times, and idle times between.
 */
final class Stage {
    /** Busy from {@code from[i]} to {@code until[i]}, apart and in order; the first at {@link #first}. */
    private long[] from = new long[16];

    private long[] until = new long[16];
    private int first;
    private int end;

    /**
     * Does something that takes {@code ps}.
     *
     * @param nowPs nothing that it is asked for from now on comes earlier
     * @param readyPs when it comes
     * @return when it is done
     */
    long take(long nowPs, long readyPs, long ps) {
        while (first < end && until[first] <= nowPs) {
            first++;
        }
        int at = end;
        // What comes is late rather than early.
        while (at > first && until[at - 1] >= readyPs) {
            at--;
        }
        long begin = readyPs;
        long donePs = readyPs;
        long left = ps;
        int next = at;
        while (next < end && (donePs >= from[next] || left > from[next] - donePs)) {
            left -= Math.max(0, from[next] - donePs);
            begin = Math.min(begin, from[next]);
            donePs = Math.max(donePs, until[next]);
            next++;
        }
        donePs += left;
        if (next < end && donePs == from[next]) {
            replace(at, next + 1, begin, until[next]);
        } else {
            replace(at, next, begin, donePs);
        }
        return donePs;
    }

    /** Forgets all that it was asked for. */
    void reset() {
        first = 0;
        end = 0;
    }

    /** Puts one busy time in the place of some, none of them included. */
    private void replace(int at, int next, long begin, long donePs) {
        if (next == at) {
            insert(at, begin, donePs);
            return;
        }
        if (next > at + 1) {
            System.arraycopy(from, next, from, at + 1, end - next);
            System.arraycopy(until, next, until, at + 1, end - next);
            end -= next - at - 1;
        }
        from[at] = begin;
        until[at] = donePs;
    }

    private void insert(int at, long begin, long donePs) {
        int place = at;
        if (end == from.length) {
            int kept = end - first;
            int capacity = kept > from.length / 2 ? 2 * from.length : from.length;
            from = moved(from, capacity);
            until = moved(until, capacity);
            place -= first;
            first = 0;
            end = kept;
        }
        System.arraycopy(from, place, from, place + 1, end - place);
        System.arraycopy(until, place, until, place + 1, end - place);
        from[place] = begin;
        until[place] = donePs;
        end++;
    }

    private long[] moved(long[] times, int capacity) {
        return Arrays.copyOf(Arrays.copyOfRange(times, first, end), capacity);
    }
}
