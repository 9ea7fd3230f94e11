package org.reprobe.scheme;

import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;

/** What a client works with some of whose lookups go on to write: besides READs it posts what {@link LockedUpdates} push. */
public final class UpdateResources extends LookupResources {
    private final LockedUpdates updates;
    private final RequestQueue requests;
    private final RemoteTable table;
    private final RemoteRegion locks;

    private UpdateResources(LookupParts parts, LockedUpdates updates, LookupClient.Parameters plan, RemoteRegion locks)
            throws FabricException {
        // A record and its lock are written in one batch, however short others are.
        super(parts, updates, plan, Math.max(2, plan.usedSendQueue()));
        this.updates = updates;
        this.requests = parts.requests();
        this.table = plan.table();
        this.locks = locks;
    }

    /**
     * Makes what each client works with.
     *
     * @param share of lookups that write
     * @param locks of records: words of 8 bytes, all zero, whose number is a power of two
     * @param patienceNs as for {@link LockedUpdates}
     */
    static LookupClient.Connector writing(double share, RemoteRegion locks, long patienceNs) {
        return (client, plan) -> of(client, plan, share, locks, patienceNs);
    }

    private static UpdateResources of(
            Client client, LookupClient.Parameters plan, double share, RemoteRegion locks, long patienceNs)
            throws FabricException {
        Lookups lookups = LookupParts.lookups(plan);
        int recordBytes = plan.table().geometry().recordBytes();
        FoundRecords found = new FoundRecords(lookups, recordBytes, plan.listener());
        return of(client, plan, lookups, found, new LookupRecorder(), share, locks, patienceNs);
    }

    /** What one client works with, which writes what {@code found} gives it. */
    public static UpdateResources of(
            Client client,
            LookupClient.Parameters plan,
            Lookups lookups,
            FoundRecords found,
            LookupRecorder counters,
            double share,
            RemoteRegion locks,
            long patienceNs)
            throws FabricException {
        LookupParts parts = LookupParts.of(client, plan, lookups, found, counters);
        LookupAlgorithm lookup = LookupAlgorithm.of(plan.probing(), parts);
        LockedUpdates updates = new LockedUpdates(parts, lookup, found, share, locks, patienceNs);
        return new UpdateResources(parts, updates, plan, locks);
    }

    /** How often this client has found a lock taken. */
    public long lockRetries() {
        return updates.lockRetries();
    }

    @Override
    public void post(long id, int request, int at, boolean signaled) {
        if (updates.isRead(request)) {
            super.post(id, request, at, signaled);
            return;
        }
        QueuePair queuePair = queuePair();
        requests.local[request] = at;
        long offset = requests.offset[request];
        if (updates.isLock(request)) {
            queuePair.compareAndSwap(id, at, locks.address() + offset, locks.key(), 0, client().index() + 1L, signaled);
            return;
        }
        updates.fill(request, at);
        RemoteRegion heap = table.heap();
        RemoteRegion region =
                updates.isUnlock(request) ? locks : requests.toHeap[request] && heap != null ? heap : table.table();
        queuePair.write(id, at, region.address() + offset, region.key(), requests.bytes[request], signaled);
    }
}
