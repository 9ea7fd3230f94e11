package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.FabricException;
import org.reprobe.nessie.Operations.Attempt;
import org.reprobe.nessie.Operations.Found;
import org.reprobe.remote.KeyValueClient;
import org.reprobe.remote.OneSidedLink;
import org.reprobe.remote.OperationResult;

/**
 * Client of a Nessie table: repeats attempts at read (Nessie paper, section 3.1), delete (3.2) or write (3.3) until one
 * succeeds. The attempts are those of the {@link Operations} for the table's {@link Rules}. Between attempts the client
 * backs off, requests space from the server, or adopts the new layout after the server has revoked access. Not
 * thread-safe.
 */
public final class NessieClient implements KeyValueClient {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int MAX_BACK_OFF_DOUBLINGS = 10;

    /** Number of failed attempts after which another client is assumed to be dead or hung. */
    private static final int ATTEMPTS_BEFORE_SETTLING = 32;

    private final Client client;
    private final TableAccess table;
    private final Operations operations;
    private final ServerCalls server;
    private final SplittableRandom random;
    private final Steps steps = new Steps();
    private int attempt;

    /**
     * Connects as owner {@code owner} of items, from 0; {@code seed} is for back-off times.
     *
     * @param server connection to the server program; {@link ServerCalls#NONE} without one
     */
    public NessieClient(Client client, Nessie table, int owner, long seed, ServerCalls server) throws FabricException {
        this.client = client;
        TableLayout now = server.layout(); // also identifies this connection to the server
        this.table = new TableAccess(client, now == null ? table : table.laidOut(now), owner);
        this.operations = Operations.of(table.rules(), this.table, steps);
        this.random = new SplittableRandom(seed ^ (owner * 0x9E3779B97F4A7C15L));
        this.server = server;
        if (table.rules().byTransactions() && !connection().hasTransactions()) {
            throw new FabricException(
                    "rules " + table.rules().key() + " require a card with remote transactions, which this fabric does"
                            + " not provide; use fabric sim and a nic that has them, such as rhtm-40g");
        }
    }

    public static long localBytes(Geometry geometry) {
        return TableAccess.localBytes(geometry);
    }

    public FreeItems items() {
        return table.items;
    }

    public Steps steps() {
        return steps;
    }

    @Override
    public OneSidedLink connection() {
        return table.connection;
    }

    @Override
    public long retries() {
        return steps.retries();
    }

    @Override
    public long migrations() {
        return steps.migrations();
    }

    @Override
    public long serverCalls() {
        return steps.serverCalls();
    }

    @Override
    public long refusals() {
        return steps.refusals();
    }

    /** Returns the value found by the last {@link #read}; valid until the next operation. */
    public MemorySegment value() {
        return table.local.asSlice(
                table.foundAt + Geometry.HEADER_BYTES,
                Math.min(
                        Item.length(table.local, table.foundAt),
                        table.geometry().valueBytes()));
    }

    @Override
    public long firstWord() {
        return table.local.get(WORD, table.foundAt + Geometry.HEADER_BYTES);
    }

    /**
     * Looks up a key. After {@code DONE}, {@link #value} returns the value until the next operation. After too many
     * attempts the result is {@code GAVE_UP}.
     */
    @Override
    public OperationResult read(long k) throws FabricException {
        for (attempt = 0; attempt < table.table().attempts(); attempt++) {
            try {
                Found found = operations.read(k, primary(k), secondary(k));
                if (found != Found.UNSETTLED) {
                    return found == Found.KEY ? OperationResult.DONE : OperationResult.ABSENT;
                }
                backOff();
            } catch (FabricException e) {
                goOnAfter(e);
            }
        }
        return OperationResult.GAVE_UP;
    }

    @Override
    public OperationResult delete(long k) throws FabricException {
        operations.beginDelete();
        for (attempt = 0; attempt < table.table().attempts(); attempt++) {
            try {
                Attempt end = operations.tryDelete(k, primary(k), secondary(k));
                table.sendNotices();
                if (end == Attempt.DONE) {
                    return OperationResult.DONE;
                }
                backOff();
            } catch (FabricException e) {
                goOnAfter(e);
            }
        }
        return OperationResult.GAVE_UP;
    }

    /** Writes a key's value; throws {@link IllegalArgumentException} if it exceeds {@link Geometry#valueBytes}. */
    public OperationResult write(long k, MemorySegment v) throws FabricException {
        Geometry geometry = table.geometry();
        if (v.byteSize() > geometry.valueBytes()) {
            throw new IllegalArgumentException("a value of " + v.byteSize()
                    + " bytes does not fit: items of this table take " + geometry.valueBytes());
        }
        MemorySegment value = table.local.asSlice(
                table.newItem + Geometry.HEADER_BYTES, geometry.validOffset() - Geometry.HEADER_BYTES);
        value.fill((byte) 0);
        MemorySegment.copy(v, 0, value, 0, v.byteSize());
        return write(k, (int) v.byteSize());
    }

    @Override
    public OperationResult write(long k, long v) throws FabricException {
        table.local.set(WORD, table.newItem + Geometry.HEADER_BYTES, v);
        return write(k, Long.BYTES);
    }

    private OperationResult write(long k, int valueBytes) throws FabricException {
        table.underWay.clear();
        for (attempt = 0; attempt < table.table().attempts(); attempt++) {
            try {
                if (!table.haveFreeItem()) {
                    if (!collectItems()) {
                        return OperationResult.FULL;
                    }
                    continue;
                }
                Attempt end = operations.tryWrite(k, primary(k), secondary(k), valueBytes);
                table.sendNotices();
                switch (end) {
                    case DONE -> {
                        table.underWay.clear();
                        return OperationResult.DONE;
                    }
                    case RETRY -> backOff();
                    case AGAIN -> {}
                    case NO_PLACE -> {
                        steps.serverCalls++;
                        TableLayout room = server.makeRoom(k);
                        if (room == null) {
                            return OperationResult.FULL;
                        }
                        table.adopt(room);
                        if (hasTakenEffect(k)) {
                            return OperationResult.DONE;
                        }
                    }
                }
            } catch (FabricException e) {
                goOnAfter(e);
                if (hasTakenEffect(k)) {
                    return OperationResult.DONE;
                }
            }
        }
        return OperationResult.GAVE_UP;
    }

    private long primary(long k) {
        return table.geometry().primary(k);
    }

    private long secondary(long k) {
        return table.geometry().secondary(k);
    }

    /** Returns true if the interrupted write of {@code k} took effect; after a revocation its items are final. */
    private boolean hasTakenEffect(long k) throws FabricException {
        boolean taken = false;
        table.keepUnderWay();
        while (!table.underWay.isEmpty()) {
            long n = table.underWay.last();
            try {
                table.readItem(n, table.itemAtP);
            } catch (FabricException e) {
                goOnAfter(e);
                continue;
            }
            boolean valid = Item.entry(table.local, table.itemAtP) == n && table.valid(table.itemAtP);
            if (!valid) {
                table.items.giveBack(n);
            }
            taken |= valid && Item.key(table.local, table.itemAtP) == k;
            table.underWay.removeLast();
        }
        return taken;
    }

    /** Obtains free items when the client has none; returns false if all are in the table: a retry is useless. */
    private boolean collectItems() throws FabricException {
        table.keepUnderWay();
        if (!table.underWay.isEmpty()) {
            server.settle(); // an attempt of this write has left an item in the table, which now takes effect
        } else if (attempt >= ATTEMPTS_BEFORE_SETTLING - 1) {
            steps.serverCalls++;
            return server.collect(); // the server replaces notices that were lost
        }
        backOff(); // notices of other clients may be in flight
        return true;
    }

    /** Adopts the new layout after the server has revoked access; rethrows a failure with another cause. */
    private void goOnAfter(FabricException failure) throws FabricException {
        TableLayout now = connection().broken() == Status.REMOTE_ACCESS_ERROR ? server.layout() : null;
        if (now == null) {
            throw failure;
        }
        steps.refusals++;
        connection().reconnect();
        table.adopt(now);
    }

    /**
     * Reconnects. A server program first ends the operation in progress, so that none of its requests takes effect
     * later, and its items are either in the table or free. Without a server program its requests may still take effect
     * at any time, so its items are never used again.
     */
    @Override
    public void reconnect() throws FabricException {
        TableLayout now = server.reconnect();
        connection().reconnect();
        if (now == null) {
            table.abandonUnderWay();
        } else {
            table.adopt(now);
            hasTakenEffect(0);
        }
    }

    /** Waits a random time whose maximum doubles with each attempt. */
    private void backOff() throws FabricException {
        steps.retries++;
        if (attempt % ATTEMPTS_BEFORE_SETTLING == ATTEMPTS_BEFORE_SETTLING - 1 && server != ServerCalls.NONE) {
            steps.serverCalls++;
            server.settle();
        }
        long max = table.table().backOffNs() << Math.min(attempt, MAX_BACK_OFF_DOUBLINGS);
        client.pause(1 + random.nextLong(Math.max(1, max)));
    }

    @Override
    public void close() {
        connection().close();
    }
}
