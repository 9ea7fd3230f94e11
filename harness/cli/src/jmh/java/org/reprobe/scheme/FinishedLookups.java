package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;

/** Counter of every lookup of a run, including warm-up. */
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
