package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Sampling;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.Rng;

/** What one client looks keys up with, whatever the order in which it does so. */
public class LookupResources {
    private static final long SMALLEST_BUFFER_BYTES = 64 * 1024;
    private static final long LARGEST_BUFFER_BYTES = 16L * 1024 * 1024;

    private final Client client;
    private final long operationPs;
    private final KeySet keys;
    private final KeySet.Choice choice;
    private final int sendQueue;
    private final Rng random;
    private final Lookups lookups;
    private final RequestQueue requests;
    private final LookupRecorder counters;
    private final Matches answers;
    private final MemorySegment local;
    private final LookupAlgorithm scheme;
    private final ConnectionOptions options;
    private final Sampling.Conditions conditions;
    private QueuePair queuePair;
    private Status broken = Status.SUCCESS;
    private final long tableAddress;
    private final int tableKey;
    private final long heapAddress;
    private final int heapKey;

    /**
     * Connects.
     *
     * @param places work requests of the queue pair
     */
    LookupResources(LookupParts parts, LookupAlgorithm scheme, LookupClient.Parameters plan, int places)
            throws FabricException {
        this.client = parts.client();
        this.operationPs = client.cpuCosts().operationPs();
        this.keys = plan.keys();
        this.choice = keys.choice();
        this.sendQueue = plan.usedSendQueue();
        this.random = parts.random();
        this.lookups = parts.lookups();
        this.requests = parts.requests();
        this.counters = parts.counters();
        this.answers = parts.answers();
        this.local = parts.local();
        this.scheme = scheme;
        this.options = new ConnectionOptions(places, plan.outstandingReads());
        this.conditions = plan.conditions();
        this.queuePair = client.connect(local, options);
        RemoteRegion table = plan.table().table();
        RemoteRegion heap = plan.table().heap();
        this.tableAddress = table.address();
        this.tableKey = table.key();
        this.heapAddress = heap == null ? 0 : heap.address();
        this.heapKey = heap == null ? 0 : heap.key();
    }

    /** Local memory of a client. */
    static long bufferBytes(LookupClient.Parameters plan) {
        long all = (long) plan.usedSendQueue() * align(plan.probing().usualReadBytes(plan.table()));
        return Math.max(SMALLEST_BUFFER_BYTES, Math.min(LARGEST_BUFFER_BYTES, all));
    }

    /** Allocates and connects. */
    static LookupResources of(Client client, LookupClient.Parameters plan) throws FabricException {
        LookupParts parts = LookupParts.of(client, plan);
        return new LookupResources(parts, LookupAlgorithm.of(plan.probing(), parts), plan, plan.usedSendQueue());
    }

    /** Requests stand in local memory at multiples of 8 bytes. */
    public static int align(int bytes) {
        return (bytes + 7) & ~7;
    }

    final Client client() {
        return client;
    }

    final int sendQueue() {
        return sendQueue;
    }

    final Rng random() {
        return random;
    }

    public final RequestQueue requests() {
        return requests;
    }

    final LookupRecorder counters() {
        return counters;
    }

    final Matches answers() {
        return answers;
    }

    final MemorySegment local() {
        return local;
    }

    public final LookupAlgorithm scheme() {
        return scheme;
    }

    /** The connection: another one after each {@link #reconnect}. */
    public final QueuePair queuePair() {
        return queuePair;
    }

    /** FETCH NEW LOOKUP: of a key chosen at random. Its latency counts from {@code startNs}. */
    public final void begin(long startNs) {
        long ordinal = choice.next(random);
        int lookup = lookups.begin(keys.key(ordinal), ordinal, startNs);
        answers.began(startNs);
        client.spendCpu(operationPs);
        scheme.begin(lookup);
    }

    /** Appends the request at place {@code request} of the queue, a READ, to the queue pair's list. */
    void post(long id, int request, int at, boolean signaled) {
        requests.local[request] = at;
        int bytes = requests.bytes[request];
        if (requests.toHeap[request]) {
            queuePair.read(id, at, heapAddress + requests.offset[request], heapKey, bytes, signaled);
        } else {
            queuePair.read(id, at, tableAddress + requests.offset[request], tableKey, bytes, signaled);
        }
    }

    /** Refuses a completion that is none of success. */
    public final void check(Completions completions, int i) throws FabricException {
        if (completions.status(i) != Status.SUCCESS) {
            broken = completions.status(i);
            throw broken.exception("client " + client.index() + ": a request");
        }
    }

    /**
     * Gives up what is under way when the connection has been lost on purpose.
     *
     * @return how many lookups that were
     * @throws FabricException the failure itself where it is another
     */
    final int giveUpAfter(FabricException failure) throws FabricException {
        if (!conditions.explain(failure, broken)) {
            throw failure;
        }
        return giveUpAll();
    }

    /** Gives up all lookups in progress; how many that were. What they had posted may still take effect. */
    public final int giveUpAll() {
        int[] inProgress = lookups.inProgress();
        for (int lookup : inProgress) {
            answers.drop(lookup);
        }
        requests.clear();
        scheme.lostAll();
        return inProgress.length;
    }

    /** Connects again after the connection was lost. */
    public final void reconnect() throws FabricException {
        queuePair.close();
        queuePair = client.connect(local, options);
    }
}
