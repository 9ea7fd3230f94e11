package org.reprobe.farm.messages;

import java.util.Arrays;

/**
 * FIFO queue of messages that wait for space. An entry holds the first word of the message and the words of its request
 * or, for a reply, of the request that it replies to.
 */
public final class WaitingMessages {
    private static final int FIRST_ROOM = 4;

    private final int stride;
    private final int capacity;
    /** Entries of {@link #stride} words each: first word, number of further words, and these. */
    private long[] places = {};

    private int from;
    private int count;

    /** Creates an empty queue of at most this many messages of this many words; memory grows as needed. */
    public WaitingMessages(int capacity, int words) {
        this.stride = 2 + words;
        this.capacity = capacity;
    }

    public boolean isEmpty() {
        return count == 0;
    }

    public void add(long first, long[] words, int wordCount) {
        if (count == capacity) {
            throw new IllegalStateException("the queue of waiting messages is full");
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

    /** Copies the request words of the first message to {@code into} and returns their number. */
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
