package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.reprobe.fabric.Client;
import org.reprobe.table.Storage;
import org.reprobe.table.TableGeometry;
import org.reprobe.workload.Hashing;
import org.reprobe.workload.Rng;

/**
 * Lookups in a k-way, m-associative cuckoo table (linear-probing paper, Algorithm 3). Parallel lookups request all k
 * candidate slots at once; sequential ones request them one by one in random order. Both read all k slots, because a
 * lookup returns every matching record.
 */
final class CuckooProbing implements LookupAlgorithm {
    /** Bits per candidate number in {@link #order}. */
    private static final int ORDER_BITS = 4;

    private final Lookups lookups;
    private final RequestQueue requests;
    private final Client client;
    private final long comparisonPs;
    private final Rng random;
    private final MemorySegment local;
    private final TableGeometry geometry;
    private final boolean inline;
    private final boolean parallel;
    private final int k;
    private final int m;
    private final int slotBytes;
    private final int recordBytes;
    private final long slots;

    /** Sequential probing, by lookup number: packed order of the candidates, and number of candidates requested. */
    private long[] order = {};

    private int[] requested = {};

    CuckooProbing(LookupResources client, TableGeometry geometry, boolean parallel) {
        this.lookups = client.lookups;
        this.requests = client.requests;
        this.client = client.client;
        this.comparisonPs = this.client.cpuCosts().comparisonPs();
        this.random = client.random;
        this.local = client.local;
        this.geometry = geometry;
        this.inline = geometry.storage() == Storage.INLINE;
        this.parallel = parallel;
        this.k = geometry.hashes();
        this.m = geometry.associativity();
        this.slotBytes = geometry.slotBytes();
        this.recordBytes = geometry.recordBytes();
        this.slots = geometry.slots();
    }

    @Override
    public int requestsToStart() {
        return parallel ? k : 1;
    }

    @Override
    public void begin(int lookup) {
        if (parallel) {
            for (int candidate = 0; candidate < k; candidate++) {
                readCandidate(lookup, candidate);
            }
            lookups.tableDone[lookup] = true;
        } else {
            if (lookup >= order.length) {
                order = Arrays.copyOf(order, lookups.capacity());
                requested = Arrays.copyOf(requested, lookups.capacity());
            }
            order[lookup] = randomOrder();
            requested[lookup] = 0;
            readNextCandidate(lookup);
        }
    }

    private void readNextCandidate(int lookup) {
        int before = requested[lookup]++;
        readCandidate(lookup, (int) (order[lookup] >>> (before * ORDER_BITS)) & ((1 << ORDER_BITS) - 1));
        lookups.tableDone[lookup] = before + 1 == k;
    }

    private void readCandidate(int lookup, int candidate) {
        long slot = Hashing.candidate(lookups.key[lookup], candidate, slots);
        requests.push(lookup, false, geometry.slotOffset(slot), slotBytes, candidate); // detail: candidate number
        lookups.pending[lookup]++;
        lookups.tableRequests[lookup]++;
    }

    private long randomOrder() {
        long order = 0;
        for (int i = 0; i < k; i++) {
            order |= (long) i << (i * ORDER_BITS);
        }
        for (int i = k - 1; i > 0; i--) {
            int j = (int) random.below(i + 1L);
            long difference = ((order >>> (i * ORDER_BITS)) ^ (order >>> (j * ORDER_BITS))) & ((1 << ORDER_BITS) - 1);
            order ^= (difference << (i * ORDER_BITS)) | (difference << (j * ORDER_BITS));
        }
        return order;
    }

    @Override
    public void completed(int request) {
        int lookup = requests.lookup[request];
        lookups.pending[lookup]--;
        if (requests.toHeap[request]) {
            lookups.fromHeap(lookup, local, requests.local[request]);
        } else {
            if (!repeats(lookups.key[lookup], (int) requests.detail[request])) {
                if (inline) {
                    completedInline(request, lookup);
                } else {
                    completedOutOfBand(request, lookup);
                }
            }
            client.spendCpu(m * comparisonPs);
            if (!lookups.tableDone[lookup]) {
                readNextCandidate(lookup);
            }
        }
        lookups.finishIfDone(lookup);
    }

    /** Returns true if an earlier hash function gives the same slot, whose records must not be reported twice. */
    private boolean repeats(int key, int candidate) {
        if (candidate == 0) {
            return false;
        }
        long slot = Hashing.candidate(key, candidate, slots);
        for (int earlier = 0; earlier < candidate; earlier++) {
            if (Hashing.candidate(key, earlier, slots) == slot) {
                return true;
            }
        }
        return false;
    }

    private void completedInline(int request, int lookup) {
        int key = lookups.key[lookup];
        long at = requests.local[request];
        for (int lane = 0; lane < m; lane++, at += recordBytes) {
            if (local.get(INT, at) == key) {
                lookups.found(lookup, local, at);
            }
        }
    }

    private void completedOutOfBand(int request, int lookup) {
        byte signature = Hashing.signature(lookups.key[lookup]);
        long at = requests.local[request];
        int offset = local.get(INT, at + m);
        for (int lane = 0; lane < m; lane++) {
            if (local.get(ValueLayout.JAVA_BYTE, at + lane) == signature) {
                requests.push(lookup, true, geometry.heapOffset(offset, lane), recordBytes, 0);
                lookups.pending[lookup]++;
                lookups.heapRequests[lookup]++;
            }
        }
    }
}
