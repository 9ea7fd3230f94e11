package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;

/** Sees every answer of a run, to check it. Called on the client's thread. */
public interface MatchListener {

    /**
     * A match of a lookup: a record with its key, whose bytes start at {@code offset} of {@code local}.
     *
     * @param lookup the lookup's number among its client's; reused after {@link #finished}
     */
    void found(int client, int lookup, int key, long ordinal, MemorySegment local, long offset);

    /** A lookup has returned all its matches. */
    void finished(int client, int lookup, int key);
}
