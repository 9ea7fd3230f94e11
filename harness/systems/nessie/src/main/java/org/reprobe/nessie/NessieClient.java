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
 * Client of a Nessie table: attempts at read (section 3.1), delete (3.2) and write (3.3), made by the {@link
 * Operations} of the table's {@link Rules}, until one succeeds. In between it waits, requests space from the server,
 * and continues with the table's new layout after the server has revoked access. Not thread-safe.
 */
public final class NessieClient implements KeyValueClient {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int MAX_BACK_OFF_DOUBLINGS = 10;

    /** Failed attempts after which another client counts as dead or hanging. */
    private static final int PATIENCE = 32;

    private final Client client;
    private final TableAccess table;
    private final Operations operations;
    private final ServerCalls server;
    private final SplittableRandom random;
    private final Steps steps = new Steps();
    private int attempt;

    /**
     * Connects as owner {@code owner} of items, 0 to {@link Geometry#server} - 1. The seed determines the waits; {@code
     * server} receives requests for space.
     */
    public NessieClient(Client client, Nessie table, int owner, long seed, ServerCalls server) throws FabricException {
        this.client = client;
        TableLayout now = server.layout(); // also identifies this connection to the server
        this.table = new TableAccess(client, now == null ? table : table.laidOut(now), owner);
        this.operations = Operations.of(table.rules(), this.table, steps);
        this.random = new SplittableRandom(seed ^ (owner * 0x9E3779B97F4A7C15L));
        this.server = server;
        if (table.rules() == Rules.RHTM && !connection().hasTransactions()) {
            throw new FabricException("rules rhtm need a card with remote transactions, which this fabric has not; use"
                    + " fabric sim and a nic that has them, such as rhtm-40g");
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

    /** Returns the value found by {@link #read}, at 0 to its length. */
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

    /** Looks a key up: {@code DONE} with {@link #value} until the next operation, or {@code ABSENT}. */
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

    /**
     * Writes a key's value.
     *
     * @throws IllegalArgumentException for a value longer than {@link Geometry#valueBytes}
     */
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

    /** Determines after a revocation whether a write of k took effect, from its items, which all have a final state. */
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

    /** Collects free items if all seem to be in the table; returns true if the client may retry. */
    private boolean collectItems() throws FabricException {
        table.keepUnderWay();
        if (!table.underWay.isEmpty()) {
            server.settle(); // this write itself has left one in the table: it takes effect
        } else if (attempt >= PATIENCE - 1) {
            steps.serverCalls++;
            return server.collect(); // the server has recorded notices that were lost
        }
        backOff(); // others may be about to give notice
        return true;
    }

    /** Continues with the table's new layout after a rejection by the server; rethrows any other failure. */
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
     * Reconnects. The server's program, if there is one, first ends the operation in progress, so that no request of it
     * arrives late and its items are either in the table or free. Without a program both may still change at any time;
     * then none of these items is ever used again.
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

    /** Waits exponentially: at most twice as long as before. */
    private void backOff() throws FabricException {
        steps.retries++;
        if (attempt % PATIENCE == PATIENCE - 1 && server != ServerCalls.NONE) {
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
