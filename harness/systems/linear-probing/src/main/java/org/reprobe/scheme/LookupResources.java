package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.system.Counts;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.Rng;

/**
 * Memory, connection, lookups in progress and request queue of one client, shared by rounds (Algorithm 1) and paced
 * lookups. Used by the thread of the client only.
 */
public final class LookupResources {
    private static final long SMALLEST_BUFFER_BYTES = 64 * 1024;
    private static final long LARGEST_BUFFER_BYTES = 16L * 1024 * 1024;

    final Client client;
    final MemorySegment local;
    final Rng random;
    final Lookups lookups;
    final RequestQueue requests;
    final LookupAlgorithm scheme;

    private final LookupClient.Parameters plan;
    private final KeySet.Choice choice;
    private final long operationPs;
    private final @Nullable LockedUpdates updates;
    private final ConnectionOptions options;
    private QueuePair queuePair;
    private Status broken = Status.SUCCESS;
    private final long tableAddress;
    private final int tableKey;
    private final long heapAddress;
    private final int heapKey;

    LookupResources(Client client, LookupClient.Parameters plan, @Nullable MatchListener listener)
            throws FabricException {
        this(
                client,
                plan,
                LookupCounters.none(),
                plan.writes() == null
                        ? null
                        : new FoundRecords(plan.table().geometry().recordBytes()),
                listener);
    }

    /** Allocates local memory and connects; without {@code found} the client does not write. */
    public LookupResources(
            Client client,
            LookupClient.Parameters plan,
            Counts counts,
            @Nullable FoundRecords found,
            @Nullable MatchListener listener)
            throws FabricException {
        this.client = client;
        this.plan = plan;
        this.operationPs = client.cpuCosts().operationPs();
        this.choice = plan.keys().choice();
        this.local = client.allocate(plan.bufferBytes());
        this.random = new Rng(plan.seed(), client.index());
        this.requests = new RequestQueue(plan.usedSendQueue());
        this.lookups = new Lookups(client, plan.usedSendQueue(), counts, found, listener);
        LookupAlgorithm lookup = LookupAlgorithm.of(plan.probing(), plan.table().geometry(), this);
        this.updates = plan.writes() == null || found == null
                ? null
                : new LockedUpdates(this, lookup, found, plan.table(), plan.writes());
        this.scheme = updates == null ? lookup : updates;
        // The WRITEs of a record and its lock are in one batch, so the send queue needs two entries.
        this.options =
                new ConnectionOptions(Math.max(updates == null ? 1 : 2, plan.usedSendQueue()), plan.outstandingReads());
        this.queuePair = client.connect(local, options);
        RemoteRegion table = plan.table().table();
        RemoteRegion heap = plan.table().heap();
        this.tableAddress = table.address();
        this.tableKey = table.key();
        this.heapAddress = heap == null ? 0 : heap.address();
        this.heapKey = heap == null ? 0 : heap.key();
    }

    /** Returns the size of the local memory of a client. */
    static long bufferBytes(LookupClient.Parameters plan) {
        long all = (long) plan.usedSendQueue() * align(plan.probing().usualReadBytes(plan.table()));
        return Math.max(SMALLEST_BUFFER_BYTES, Math.min(LARGEST_BUFFER_BYTES, all));
    }

    /** Rounds up to a multiple of 8 bytes, the alignment of requests in local memory. */
    public static int align(int bytes) {
        return (bytes + 7) & ~7;
    }

    public RequestQueue requests() {
        return requests;
    }

    /** Returns the connection, which {@link #reconnect} replaces. */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** Returns the number of times that this client has found a lock taken. */
    public long lockRetries() {
        return updates == null ? 0 : updates.lockRetries();
    }

    /** Starts a lookup of a random key (FETCH NEW LOOKUP of Algorithm 1) whose latency counts from {@code startNs}. */
    public void begin(long startNs) {
        long ordinal = choice.next(random);
        int lookup = lookups.begin(plan.keys().key(ordinal), ordinal, startNs);
        client.spendCpu(operationPs);
        scheme.begin(lookup);
    }

    /**
     * Adds the queue's request at {@code request} to the work requests: a READ, unless {@link LockedUpdates} pushed it.
     */
    public void post(long id, int request, int at, boolean signaled) {
        requests.local[request] = at;
        if (updates != null && !updates.isRead(request)) {
            updates.post(queuePair, id, request, at, signaled);
            return;
        }
        int bytes = requests.bytes[request];
        if (requests.toHeap[request]) {
            queuePair.read(id, at, heapAddress + requests.offset[request], heapKey, bytes, signaled);
        } else {
            queuePair.read(id, at, tableAddress + requests.offset[request], tableKey, bytes, signaled);
        }
    }

    /** Adds the queue's request at {@code request} as a further range of the last READ. */
    void gather(int request, int at, boolean signaled) {
        requests.local[request] = at;
        boolean heap = requests.toHeap[request];
        long remote = (heap ? heapAddress : tableAddress) + requests.offset[request];
        queuePair.gather(request, at, remote, heap ? heapKey : tableKey, requests.bytes[request], signaled);
    }

    /** Checks the status of a completion. */
    public void check(Completions completions, int i) throws FabricException {
        if (completions.status(i) != Status.SUCCESS) {
            broken = completions.status(i);
            throw broken.exception("client " + client.index() + ": a request");
        }
    }

    /** Processes the completed request at position {@code request} of the queue. */
    public void completed(int request) {
        scheme.completed(request);
    }

    /** Gives up all lookups in progress after an injected fault, and returns their number; rethrows other failures. */
    int giveUpAfter(FabricException failure) throws FabricException {
        plan.conditions().check(failure, broken);
        return giveUpAll();
    }

    /** Gives up all lookups in progress and returns their number. Requests that were posted may still take effect. */
    public int giveUpAll() {
        int count = lookups.dropAll();
        requests.clear();
        scheme.lostAll();
        return count;
    }

    public void reconnect() throws FabricException {
        queuePair.close();
        queuePair = client.connect(local, options);
    }
}
