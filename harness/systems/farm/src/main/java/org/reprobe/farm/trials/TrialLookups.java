package org.reprobe.farm.trials;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.table.FarmTable;
import org.reprobe.farm.table.TableSearch;

/** Lookups by READs of another machine's only region, one at a time, in explored schedules. */
final class TrialLookups {
    private final Client client;
    private final RemoteRegion region;
    private final TableSearch search;
    private final TableSearch.Lookup lookup = new TableSearch.Lookup();
    private final MemorySegment local;
    private final QueuePair connection;
    private final Completions completions = new Completions(1);

    /** Connects to the machine with the table; {@code backOff} is null if values are the loaded ones. */
    TrialLookups(Client client, FarmTable table, int holder, RemoteRegion region, @Nullable BackOff backOff)
            throws FabricException {
        this.client = client;
        this.region = region;
        this.search = new TableSearch(table, client, backOff);
        this.local = client.allocate(TableSearch.bufferBytes(table.layout()));
        this.connection = client.connect(holder, local, ConnectionOptions.oneSided(1, 1));
    }

    /** Returns the completed lookup, which is valid until the next one. */
    TableSearch.Lookup lookUp(long key) throws FabricException {
        search.begin(lookup, key);
        boolean done = false;
        while (!done) {
            int retries = lookup.retries();
            connection.read(0, 0, region.address() + lookup.offset(), region.key(), lookup.bytes(), true);
            connection.doorbell();
            connection.await(completions);
            done = search.proceed(lookup, local, 0);
            if (lookup.retries() > retries) {
                client.pause(1);
            }
        }
        return lookup;
    }
}
