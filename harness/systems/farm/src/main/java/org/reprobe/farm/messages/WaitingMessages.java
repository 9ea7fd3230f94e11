package org.reprobe.farm.messages;

import java.util.Arrays;

/** Messages that wait for room, first in first out: of each its first word, and the words of the question that it asks or answers. */
public final class WaitingMessages {
    private static final int FIRST_ROOM = 4;

    private final int stride;
    private final int capacity;
    /** Places of {@link #stride} words each: the message's first word, how many words its question has, and these. */
    private long[] places = {};

    private int from;
    private int count;

    /**
     * None.
     *
     * @param capacity how many may wait at once; room for them is made when it is needed
     * @param words of a question, at most
     */
    public WaitingMessages(int capacity, int words) {
        this.stride = 2 + words;
        this.capacity = capacity;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    public void add(long first, long[] words, int wordCount) {
        if (count == capacity) {
            throw new IllegalStateException("more messages wait than anybody may have under way");
        }
        if (count * stride == places.length) {
            grow();
        }
        int at = (from + count++ * stride) % places.length;
        places[at] = first;
        places[at + 1] = wordCount;
        System.arraycopy(words, 0, places, at + 2, wordCount);
    }

    private void grow() {
        if (places.length == 0) {
            places = new long[Math.min(FIRST_ROOM, capacity) * stride];
            return;
        }
        long[] more = Arrays.copyOfRange(places, from, from + places.length * 2);
        System.arraycopy(places, 0, more, places.length - from, from);
        Arrays.fill(more, places.length, more.length, 0);
        places = more;
        from = 0;
    }

    public long first() {
        return places[from];
    }

    /** Words of the first message's question, put into {@code into}; their number. */
    public int words(long[] into) {
        int wordCount = (int) places[from + 1];
        System.arraycopy(places, from + 2, into, 0, wordCount);
        return wordCount;
    }

    public void remove() {
        from = (from + stride) % places.length;
        count--;
    }
}
