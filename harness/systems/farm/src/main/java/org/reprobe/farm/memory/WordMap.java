package org.reprobe.farm.memory;

import java.util.Arrays;
import org.reprobe.workload.Rng;

/** Map from words to words with linear probing and no boxing. Confined to one thread. */
public final class WordMap {
    public static final long NONE = -1;

    private static final long SEED = 0xFA4;
    private static final int FIRST_PLACES = 64;

    private long[] keys = new long[FIRST_PLACES];
    private long[] values = filled(FIRST_PLACES);
    private int size;

    private static long[] filled(int places) {
        long[] all = new long[places];
        Arrays.fill(all, NONE);
        return all;
    }

    public int size() {
        return size;
    }

    private int place(long key) {
        int place = (int) Rng.at(SEED, key) & keys.length - 1;
        while (values[place] != NONE && keys[place] != key) {
            place = place + 1 & keys.length - 1;
        }
        return place;
    }

    /** Returns the value of a key, or {@link #NONE}. */
    public long get(long key) {
        return values[place(key)];
    }

    /** Sets the value of a key; values are not negative. */
    public void put(long key, long value) {
        int place = place(key);
        if (values[place] == NONE) {
            size++;
            keys[place] = key;
        }
        values[place] = value;
        if (size > keys.length / 2) {
            grow();
        }
    }

    private void grow() {
        long[] oldKeys = keys;
        long[] oldValues = values;
        keys = new long[2 * oldKeys.length];
        values = filled(keys.length);
        size = 0;
        for (int i = 0; i < oldKeys.length; i++) {
            if (oldValues[i] != NONE) {
                put(oldKeys[i], oldValues[i]);
            }
        }
    }

    @FunctionalInterface
    public interface Entry {
        void is(long key, long value);
    }

    /** Visits all entries, in an order determined by the history of insertions and removals. */
    public void forEach(Entry entry) {
        for (int i = 0; i < keys.length; i++) {
            if (values[i] != NONE) {
                entry.is(keys[i], values[i]);
            }
        }
    }

    /** Removes a key and returns its value, or {@link #NONE}. */
    public long remove(long key) {
        int hole = place(key);
        long value = values[hole];
        if (value == NONE) {
            return NONE;
        }
        size--;
        values[hole] = NONE;
        // Entries behind the hole, up to the next gap, may have to move forward.
        for (int at = hole + 1 & keys.length - 1; values[at] != NONE; at = at + 1 & keys.length - 1) {
            long moved = values[at];
            values[at] = NONE;
            int place = place(keys[at]);
            keys[place] = keys[at];
            values[place] = moved;
        }
        return value;
    }
}
