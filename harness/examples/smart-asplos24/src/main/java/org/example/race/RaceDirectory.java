package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.OneSidedLink;

/**
 * Client's copy of the directory, which may be stale. Bucket headers show whether a key belongs to the subtable found;
 * if not, the client must {@link #forget} the copy. A stale entry refers to a former subtable of the key, never to one
 * that does not exist yet.
 */
final class RaceDirectory {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final OneSidedLink connection;
    private final RemoteRegion region;
    private final RaceTable table;
    private final MemorySegment local;
    private final long localAt;

    private boolean known;
    private boolean everKnown;

    /** @param localAt offset of the copy in the connection's local memory, of {@link RaceTable#directoryBytes} */
    RaceDirectory(OneSidedLink connection, RemoteRegion region, RaceTable table, long localAt) {
        this.connection = connection;
        this.region = region;
        this.table = table;
        this.local = connection.local();
        this.localAt = localAt;
    }

    /** Invalidates the copy, to be read again on demand. */
    void forget() {
        known = false;
    }

    long entry(long key) throws FabricException {
        if (!known) {
            read(key);
        }
        return local.get(WORD, entryAt(key));
    }

    private int globalDepth() {
        return RaceTable.depth(local.get(WORD, localAt));
    }

    private long entryAt(long key) {
        return localAt + RaceTable.directoryOffset(RaceTable.suffix(key, globalDepth()));
    }

    /** Reads the root and the entry of the key, or all entries if the global depth has changed. */
    private void read(long key) throws FabricException {
        int before = globalDepth();
        if (everKnown) {
            long entryAt = entryAt(key);
            connection.read(region, RaceTable.rootOffset(), localAt, Long.BYTES);
            connection.read(region, entryAt - localAt, entryAt, Long.BYTES);
            connection.roundTrip();
        }
        if (!everKnown || globalDepth() != before) {
            everKnown = false; // until the copy is complete
            connection.read(region, RaceTable.rootOffset(), localAt, table.directoryBytes());
            connection.roundTrip();
        }
        everKnown = true;
        known = true;
    }
}
