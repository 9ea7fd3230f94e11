package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;

/** Receives every match of a run, to check it. Called on the thread of the client. */
public interface MatchListener {

    /**
     * Called for each match, at {@code offset} of {@code local}. A lookup's number is reused after {@link #finished}.
     */
    void found(int client, int lookup, int key, long ordinal, MemorySegment local, long offset);

    /** Called when a lookup has returned all its matches. */
    void finished(int client, int lookup, int key);
}
