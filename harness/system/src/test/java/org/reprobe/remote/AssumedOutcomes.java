package org.reprobe.remote;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Reconnection;
import org.reprobe.fabric.UnreachableException;

/** Incorrect client that assumes an outcome for operations without a reply, which explorations must detect. */
public class AssumedOutcomes implements KeyValueClient {
    private final KeyValueClient table;
    private final Client client;
    private final Takes takes;

    /** Assumed outcome. */
    public enum Takes {
        FOR_DONE,
        /** Repeats the operation on another connection. */
        FOR_NOT_DONE
    }

    public AssumedOutcomes(KeyValueClient table, Client client, Takes takes) {
        this.table = table;
        this.client = client;
        this.takes = takes;
    }

    private interface Operation {
        OperationResult ask() throws FabricException;
    }

    private OperationResult ask(Operation operation) throws FabricException {
        while (true) {
            try {
                return operation.ask();
            } catch (UnreachableException e) {
                reconnect();
                if (takes == Takes.FOR_DONE) {
                    return OperationResult.DONE;
                }
            }
        }
    }

    @Override
    public void reconnect() throws FabricException {
        Reconnection.untilDone(client, table::reconnect);
    }

    @Override
    public OperationResult read(long key) throws FabricException {
        return table.read(key);
    }

    @Override
    public long firstWord() {
        return table.firstWord();
    }

    @Override
    public OperationResult write(long key, long value) throws FabricException {
        return ask(() -> table.write(key, value));
    }

    @Override
    public OperationResult delete(long key) throws FabricException {
        return ask(() -> table.delete(key));
    }

    @Override
    public OneSidedLink connection() {
        return table.connection();
    }

    @Override
    public long retries() {
        return table.retries();
    }

    @Override
    public long serverCalls() {
        return table.serverCalls();
    }

    @Override
    public void close() {
        table.close();
    }
}
