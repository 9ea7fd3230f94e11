package org.reprobe.verb;

/**
 * Values of words that a client last read. Up to {@value #CAPACITY} words are remembered; more words displace each
 * other, and a displaced one counts as 0 again.
 */
final class LastValues {
    private static final int CAPACITY = 1 << 20;

    private final long[] values;
    /** Words that the values belong to; empty if all words are remembered. */
    private final long[] words;

    LastValues(long count) {
        this.values = new long[(int) Math.min(count, CAPACITY)];
        this.words = new long[count > CAPACITY ? CAPACITY : 0];
    }

    static long heapBytes(long count) {
        return count > CAPACITY ? 2L * CAPACITY * Long.BYTES : count * Long.BYTES;
    }

    long get(long word) {
        if (words.length == 0) {
            return values[(int) word];
        }
        int at = (int) word & CAPACITY - 1;
        return words[at] == word ? values[at] : 0;
    }

    void set(long word, long value) {
        if (words.length == 0) {
            values[(int) word] = value;
        } else {
            int at = (int) word & CAPACITY - 1;
            words[at] = word;
            values[at] = value;
        }
    }
}
