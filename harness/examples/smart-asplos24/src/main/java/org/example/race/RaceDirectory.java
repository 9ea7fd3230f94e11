package org.example.race;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.OneSidedLink;

/**
 * A client's copy of the directory. It may be old: whoever is led by it to a subtable must ask the buckets' headers whether the key belongs
 * there, and {@link #forget} it if not. An old entry leads to a subtable that the key once belonged in, never to one that is not made yet.
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

    /** @param localAt where the copy is in the connection's local memory: {@link RaceTable#directoryBytes} */
    RaceDirectory(OneSidedLink connection, RemoteRegion region, RaceTable table, long localAt) {
        this.connection = connection;
        this.region = region;
        this.table = table;
        this.local = connection.local();
        this.localAt = localAt;
    }

    /** Has it read again, as far as the next key needs it. */
    void forget() {
        known = false;
    }

    /** The entry that leads to a key's subtable. */
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

    /** The root and the key's entry; all of it when the global depth is another than it was. */
    private void read(long key) throws FabricException {
        int before = globalDepth();
        if (everKnown) {
            long entryAt = entryAt(key);
            connection.read(region, RaceTable.rootOffset(), localAt, Long.BYTES);
            connection.read(region, entryAt - localAt, entryAt, Long.BYTES);
            connection.roundTrip();
        }
        if (!everKnown || globalDepth() != before) {
            everKnown = false; // as long as it is half read
            connection.read(region, RaceTable.rootOffset(), localAt, table.directoryBytes());
            connection.roundTrip();
        }
        everKnown = true;
        known = true;
    }
}
