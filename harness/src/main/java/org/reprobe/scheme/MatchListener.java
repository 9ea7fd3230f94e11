package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;

/** Sees every answer of a run, to check it. Called on the client's thread. */
public interface MatchListener {

    /** A record with the key that was looked up; its bytes start at {@code offset} of {@code local}. */
    void found(int client, int key, long ordinal, MemorySegment local, long offset);

    /** A lookup of {@code key} has finished; the matches since its client's last {@code finished} need not all be its. */
    void finished(int client, int key);
}
