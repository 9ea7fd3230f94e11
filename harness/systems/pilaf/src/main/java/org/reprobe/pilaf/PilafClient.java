package org.reprobe.pilaf;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.OneSidedLink;
import org.reprobe.remote.OperationResult;
import org.reprobe.remote.RequestLink;
import org.reprobe.remote.RequestLoop;

/**
 * Client of Pilaf: reads entries and items by one-sided READs, detects concurrent writes by their checksums, and sends
 * writes to the server as messages. Not thread-safe.
 */
public final class PilafClient implements KeyValueClient {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final ValueLayout.OfLong UNALIGNED = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ConnectionOptions OPTIONS = ConnectionOptions.oneSided(8, 4);
    private static final int MAX_BACK_OFF_DOUBLINGS = 10;
    private static final int ATTEMPTS = 100_000;

    // Local memory: the three entries as first read, then as read again, then an item.
    private static final long SEEN = 0;
    private static final long AGAIN = (long) PilafTable.PLACES * PilafTable.ENTRY_BYTES;
    private static final long ITEM = (2 * AGAIN + 63) & ~63;

    private final Client client;
    private final PilafTable table;
    private final RemoteRegion region;
    private final long backOffNs;
    private final MemorySegment local;
    private final OneSidedLink connection;
    private final RequestLink server;
    private long retries;
    private long serverCalls;
    private long probes;

    private static long localBytes(PilafTable table) {
        return ITEM + table.itemBytes();
    }

    public static long bytesOf(PilafTable table) {
        return localBytes(table)
                + 2 * RequestLoop.localBytes(PilafServer.REQUEST_VALUE + table.valueBytes(), PilafServer.REPLY_BYTES);
    }

    /** Connects; the wait before the first repetition of a read, {@code backOffNs}, doubles with each repetition. */
    public PilafClient(Client client, PilafTable table, RemoteRegion region, long backOffNs) throws FabricException {
        this.client = client;
        this.table = table;
        this.region = region;
        this.backOffNs = backOffNs;
        this.local = client.allocate(localBytes(table));
        this.connection = new OneSidedLink(client, 0, local, OPTIONS);
        this.server = new RequestLink(client, PilafServer.REQUEST_VALUE + table.valueBytes(), PilafServer.REPLY_BYTES);
    }

    @Override
    public void reconnect() throws FabricException {
        connection.reconnect();
        server.reconnect();
    }

    private enum Found {
        KEY,
        ABSENT,
        UNSETTLED
    }

    @Override
    public OperationResult read(long key) throws FabricException {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            Found found = tryRead(key);
            if (found != Found.UNSETTLED) {
                return found == Found.KEY ? OperationResult.DONE : OperationResult.ABSENT;
            }
            retries++;
            client.pause(Math.max(1, backOffNs << Math.min(attempt, MAX_BACK_OFF_DOUBLINGS)));
        }
        return OperationResult.GAVE_UP;
    }

    /** Reads the places of the key in order, each entry and then its item. */
    private Found tryRead(long key) throws FabricException {
        for (int n = 0; n < PilafTable.PLACES; n++) {
            long seen = SEEN + (long) n * PilafTable.ENTRY_BYTES;
            connection.read(region, table.slotOffset(table.place(key, n)), seen, PilafTable.ENTRY_BYTES);
            connection.roundTrip();
            probes++;
            if (!PilafTable.isWhole(local, seen)) {
                return Found.UNSETTLED;
            }
            long entry = local.get(WORD, seen);
            if (entry == 0) {
                continue;
            }
            connection.read(region, table.itemOffset(PilafTable.index(entry)), ITEM, table.itemBytes());
            connection.roundTrip();
            if (table.itemSum(local, ITEM, entry) != local.get(WORD, seen + PilafTable.ITEM_SUM)) {
                return Found.UNSETTLED;
            }
            if (local.get(WORD, ITEM) == key) {
                return Found.KEY;
            }
        }
        return nothingHasMoved(key) ? Found.ABSENT : Found.UNSETTLED;
    }

    /** Returns true if no entry has changed since it was read; otherwise the key may be at a place examined before. */
    private boolean nothingHasMoved(long key) throws FabricException {
        for (int n = 0; n < PilafTable.PLACES; n++) {
            long again = AGAIN + (long) n * PilafTable.ENTRY_BYTES;
            connection.read(region, table.slotOffset(table.place(key, n)), again, PilafTable.ENTRY_BYTES);
        }
        connection.roundTrip();
        return local.asSlice(SEEN, AGAIN).mismatch(local.asSlice(AGAIN, AGAIN)) < 0;
    }

    @Override
    public long firstWord() {
        return local.get(WORD, ITEM + PilafTable.VALUE);
    }

    @Override
    public OperationResult write(long key, long value) throws FabricException {
        server.request().set(UNALIGNED, PilafServer.REQUEST_VALUE, value);
        return call(PilafServer.WRITE, key, PilafServer.REQUEST_VALUE + table.valueBytes());
    }

    @Override
    public OperationResult delete(long key) throws FabricException {
        return call(PilafServer.DELETE, key, PilafServer.REQUEST_VALUE);
    }

    private OperationResult call(int what, long key, int bytes) throws FabricException {
        serverCalls++;
        server.request().set(UNALIGNED, 0, what);
        server.request().set(UNALIGNED, PilafServer.KEY, key);
        return server.call(bytes).get(UNALIGNED, 0) == PilafServer.DONE ? OperationResult.DONE : OperationResult.FULL;
    }

    @Override
    public OneSidedLink connection() {
        return connection;
    }

    @Override
    public long retries() {
        return retries;
    }

    @Override
    public long serverCalls() {
        return serverCalls;
    }

    @Override
    public long probes() {
        return probes;
    }

    @Override
    public void close() {
        server.close();
        connection.close();
    }
}
