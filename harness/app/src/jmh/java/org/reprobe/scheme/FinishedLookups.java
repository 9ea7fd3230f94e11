package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;

/** Counts every lookup of a run, warm-up included. */
final class FinishedLookups implements MatchListener {
    private long count;

    long count() {
        return count;
    }

    @Override
    public void found(int client, int lookup, int key, long ordinal, MemorySegment local, long offset) {
        // Only finished lookups count.
    }

    @Override
    public void finished(int client, int lookup, int key) {
        count++;
    }
}
