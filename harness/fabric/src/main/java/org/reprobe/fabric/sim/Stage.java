package org.reprobe.fabric.sim;

import java.util.Arrays;

/**
 * FIFO resource that handles one item at a time. Calls may be out of order of arrival, since a card computes in advance
 * when it will send, serve and receive. The stage records its busy intervals and places each item into the earliest
 * gaps after its arrival. An item is split if a gap is too short, so the stage is never idle while there is work. For
 * calls in order of arrival, each item begins when it arrives or when the previous one ends, whichever is later.
 */
final class Stage {
    /** Busy intervals {@code from[i]} to {@code until[i]}, disjoint and ascending; the first at {@link #first}. */
    private long[] from = new long[16];

    private long[] until = new long[16];
    private int first;
    private int end;

    /** Time of the last item of several packets, and its time per packet. */
    private long longFromPs;

    private long longUntilPs;
    private long longPacketPs;

    /**
     * Handles an item of duration {@code ps}.
     *
     * @param nowPs lower limit of the arrivals of all later calls
     * @param readyPs arrival of the item
     * @return its end time
     */
    long take(long nowPs, long readyPs, long ps) {
        while (first < end && until[first] <= nowPs) {
            first++;
        }
        int at = end;
        // Late arrivals are the common case.
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

    /**
     * Handles an item with {@code packets} packets of payload. One with 0, which has no payload to send, waits for the
     * end of a packet if it arrives during the last item of several, not for the whole item; later items wait for both.
     */
    long take(long nowPs, long readyPs, long ps, long packets) {
        long donePs = take(nowPs, readyPs, ps);
        if (packets > 1) {
            longFromPs = donePs - ps;
            longUntilPs = donePs;
            longPacketPs = ps / packets;
        } else if (packets == 0 && longFromPs <= readyPs && readyPs < longUntilPs) {
            long packetEndsPs = readyPs + longPacketPs - (readyPs - longFromPs) % longPacketPs;
            return Math.min(donePs, packetEndsPs + ps);
        }
        return donePs;
    }

    void reset() {
        first = 0;
        end = 0;
        longFromPs = 0;
        longUntilPs = 0;
    }

    /** Replaces a range of busy intervals, possibly empty, by one. */
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
