package org.reprobe.remote;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.system.Counts;
import org.reprobe.system.WatchedLookups;
import org.reprobe.system.Workload;

/** Workload of clients that read each key of a table once, and as many absent keys. */
final class WatchedReads implements Workload {
    private static final long[] NOTHING = {};

    private final KeyValueWorkload.Parameters plan;
    private final int clients;
    private final WatchedLookups.Listener listener;

    WatchedReads(KeyValueWorkload.Parameters plan, int clients, WatchedLookups.Listener listener) {
        this.plan = plan;
        this.clients = clients;
        this.listener = listener;
    }

    @Override
    public Counts counts() {
        return OperationCounts.none();
    }

    @Override
    public void run(Client client) throws FabricException {
        KeyValueClient table = plan.connector().connect(client);
        for (int ordinal = client.index(); ordinal < plan.keys().length; ordinal += clients) {
            read(client, table, plan.keys()[ordinal]);
            read(client, table, plan.fresh().applyAsLong(ordinal));
        }
        table.close();
    }

    private void read(Client client, KeyValueClient table, long key) throws FabricException {
        switch (table.read(key)) {
            case DONE -> listener.resultFound(client.index(), key, new long[] {table.firstWord()});
            case ABSENT -> listener.resultFound(client.index(), key, NOTHING);
            case FULL, GAVE_UP -> throw new FabricException("a read of key " + key + " was given up");
        }
    }
}
