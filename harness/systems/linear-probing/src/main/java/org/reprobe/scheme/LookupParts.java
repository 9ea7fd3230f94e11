package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.workload.Rng;

/** What a client's scheme works with. */
public record LookupParts(
        Client client,
        RemoteTable table,
        MemorySegment local,
        Lookups lookups,
        RequestQueue requests,
        LookupRecorder counters,
        Matches answers,
        Rng random) {
    private static final int MAX_CAPACITY = 1 << 16;

    /** A client's, with memory of its own. */
    static LookupParts of(Client client, LookupClient.Parameters plan) throws FabricException {
        return of(client, plan, lookups(plan), plan.listener(), new LookupRecorder());
    }

    /** The same with a listener and counters of one's own. */
    static LookupParts of(
            Client client,
            LookupClient.Parameters plan,
            Lookups lookups,
            @Nullable MatchListener listener,
            LookupRecorder counters)
            throws FabricException {
        return new LookupParts(
                client,
                plan.table(),
                client.allocate(plan.bufferBytes()),
                lookups,
                new RequestQueue(plan.usedSendQueue()),
                counters,
                new Matches(lookups, counters, client, listener),
                new Rng(plan.seed(), client.index()));
    }

    /** Lookups in progress, of which there may be as many as there are work requests, or more. */
    public static Lookups lookups(LookupClient.Parameters plan) {
        return new Lookups(Math.min(plan.usedSendQueue(), MAX_CAPACITY));
    }
}
