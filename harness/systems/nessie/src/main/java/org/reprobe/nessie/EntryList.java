package org.reprobe.nessie;

import java.util.Arrays;
import java.util.function.LongPredicate;

/** Growing stack of index entries, without boxing. */
public final class EntryList {
    private long[] entries = new long[8];
    private int count;

    boolean isEmpty() {
        return count == 0;
    }

    void clear() {
        count = 0;
    }

    void add(long entry) {
        if (count == entries.length) {
            entries = Arrays.copyOf(entries, 2 * count);
        }
        entries[count++] = entry;
    }

    void keep(LongPredicate kept) {
        int all = count;
        count = 0;
        for (int i = 0; i < all; i++) {
            if (kept.test(entries[i])) {
                entries[count++] = entries[i];
            }
        }
    }

    long last() {
        return entries[count - 1];
    }

    void removeLast() {
        count--;
    }
}
