package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.Rng;

/** What one client looks keys up with, whatever the order in which it does so. */
final class Station {
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
    private final Answers answers;
    private final MemorySegment local;
    private final LookupAlgorithm scheme;
    private final QueuePair queuePair;
    private final long tableAddress;
    private final int tableKey;
    private final long heapAddress;
    private final int heapKey;
    private final @Nullable LockedUpdates writing;
    private final long locksAddress;
    private final int locksKey;

    private Station(Client client, LookupClient.Plan plan) throws FabricException {
        this.client = client;
        this.operationPs = client.cpuCosts().operationPs();
        this.keys = plan.keys();
        this.choice = keys.choice();
        this.sendQueue = plan.usedSendQueue();
        this.random = new Rng(plan.seed(), client.index());
        this.lookups = new Lookups(Math.min(sendQueue, 1 << 16));
        this.requests = new RequestQueue(sendQueue);
        this.counters = new LookupRecorder();
        this.answers = new Answers(lookups, counters, client, plan.listener());
        RemoteTable table = plan.table();
        this.local = client.allocate(bufferBytes(plan));
        LookupParts parts = new LookupParts(client, table, local, lookups, requests, answers, random);
        LookupAlgorithm looking = LookupAlgorithm.of(plan.probing(), parts);
        Updates updates = plan.updates();
        this.writing = updates == null ? null : new LockedUpdates(parts, looking, updates);
        this.scheme = writing == null ? looking : writing;
        this.locksAddress = updates == null ? 0 : updates.locks().address();
        this.locksKey = updates == null ? 0 : updates.locks().key();
        // A record and its lock are written in one list, however short others are.
        int places = updates == null ? sendQueue : Math.max(2, sendQueue);
        this.queuePair = client.connect(local, new ConnectionOptions(places, plan.outstandingReads()));
        RemoteRegion heap = table.heap();
        this.tableAddress = table.table().address();
        this.tableKey = table.table().key();
        this.heapAddress = heap == null ? 0 : heap.address();
        this.heapKey = heap == null ? 0 : heap.key();
    }

    /** Local memory of a client. */
    static long bufferBytes(LookupClient.Plan plan) {
        long all = (long) plan.usedSendQueue() * align(plan.probing().usualReadBytes(plan.table()));
        return Math.max(SMALLEST_BUFFER_BYTES, Math.min(LARGEST_BUFFER_BYTES, all));
    }

    /** Allocates and connects. */
    static Station of(Client client, LookupClient.Plan plan) throws FabricException {
        return new Station(client, plan);
    }

    /** Requests stand in local memory at multiples of 8 bytes. */
    static int align(int bytes) {
        return (bytes + 7) & ~7;
    }

    Client client() {
        return client;
    }

    int sendQueue() {
        return sendQueue;
    }

    Rng random() {
        return random;
    }

    RequestQueue requests() {
        return requests;
    }

    LookupRecorder counters() {
        return counters;
    }

    Answers answers() {
        return answers;
    }

    MemorySegment local() {
        return local;
    }

    LookupAlgorithm scheme() {
        return scheme;
    }

    QueuePair queuePair() {
        return queuePair;
    }

    /** FETCH NEW LOOKUP: of a key chosen at random. Its latency counts from {@code startNs}. */
    void begin(long startNs) {
        long ordinal = choice.next(random);
        int lookup = lookups.begin(keys.key(ordinal), ordinal, startNs);
        answers.began(startNs);
        client.spendCpu(operationPs);
        scheme.begin(lookup);
    }

    /** Appends the request at place {@code request} of the queue to the queue pair's list. */
    void post(long id, int request, int at, boolean signaled) {
        requests.local[request] = at;
        int bytes = requests.bytes[request];
        if (requests.verb[request] != RequestQueue.READ) {
            postUpdate(id, request, at, signaled);
        } else if (requests.toHeap[request]) {
            queuePair.read(id, at, heapAddress + requests.offset[request], heapKey, bytes, signaled);
        } else {
            queuePair.read(id, at, tableAddress + requests.offset[request], tableKey, bytes, signaled);
        }
    }

    private void postUpdate(long id, int request, int at, boolean signaled) {
        int bytes = requests.bytes[request];
        long lock = locksAddress + requests.offset[request];
        if (requests.verb[request] == RequestQueue.LOCK) {
            queuePair.compareAndSwap(id, at, lock, locksKey, 0, client.index() + 1L, signaled);
            return;
        }
        Objects.requireNonNull(writing).fill(request, at);
        if (requests.verb[request] == RequestQueue.UNLOCK) {
            queuePair.write(id, at, lock, locksKey, bytes, signaled);
        } else if (requests.toHeap[request]) {
            queuePair.write(id, at, heapAddress + requests.offset[request], heapKey, bytes, signaled);
        } else {
            queuePair.write(id, at, tableAddress + requests.offset[request], tableKey, bytes, signaled);
        }
    }

    /** Refuses a completion that is none of success. */
    void check(Completions completions, int i) throws FabricException {
        if (completions.status(i) != Status.SUCCESS) {
            throw new FabricException("client " + client.index() + ": a request ended with "
                    + completions.status(i).words());
        }
    }
}
