package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.reprobe.fabric.Client;
import org.reprobe.table.Storage;
import org.reprobe.table.TableGeometry;
import org.reprobe.table.TableKind;
import org.reprobe.workload.Hashing;

/**
 * Hopscotch lookups. Plain: one READ of the neighbourhood of H slots. Chained associative (FaRM 2014, section 3.6): one
 * READ of the home bucket and the next one, H slots in total. If the key is not in these, the home bucket's overflow
 * blocks follow, one READ each. If keys are not distinct, the whole chain is read, because a lookup returns all records
 * with its key.
 *
 * <p>A neighbourhood that wraps around at the end of the table takes two READs.
 */
final class HopscotchProbing implements LookupAlgorithm {
    /** Values of a request's {@code detail}: the part of the table that it reads. */
    private static final long NEIGHBOURHOOD = 0;

    private static final long REST_OF_NEIGHBOURHOOD = 1;
    private static final long OVERFLOW_BLOCK = 2;

    private final Lookups lookups;
    private final RequestQueue requests;
    private final Client client;
    private final long comparisonPs;
    private final MemorySegment local;
    private final TableGeometry geometry;
    private final boolean inline;
    private final boolean chained;
    private final boolean distinctKeys;
    private final int slotBytes;

    /** Overflow block to read next (0 for none), and number of requests not yet processed, by lookup number. */
    private long[] block = {};

    private int[] open = {};

    HopscotchProbing(LookupResources client, TableGeometry geometry, boolean distinctKeys) {
        this.lookups = client.lookups;
        this.requests = client.requests;
        this.client = client.client;
        this.comparisonPs = this.client.cpuCosts().comparisonPs();
        this.local = client.local;
        this.geometry = geometry;
        this.inline = geometry.storage() == Storage.INLINE;
        this.chained = geometry.kind() == TableKind.HOPSCOTCH_CHAINED;
        this.distinctKeys = distinctKeys;
        this.slotBytes = geometry.slotBytes();
    }

    static int readBytes(TableGeometry geometry) {
        return geometry.kind() == TableKind.HOPSCOTCH_CHAINED
                ? 2 * geometry.bucketBytes()
                : geometry.neighbourhood() * geometry.slotBytes();
    }

    @Override
    public void begin(int lookup) {
        if (lookup >= block.length) {
            block = Arrays.copyOf(block, lookups.capacity());
            open = Arrays.copyOf(open, lookups.capacity());
        }
        block[lookup] = 0;
        open[lookup] = 0;
        int unitBytes = chained ? geometry.bucketBytes() : slotBytes;
        long units = chained ? geometry.buckets() : geometry.slots();
        long span = Math.min(units, chained ? 2 : geometry.neighbourhood());
        long home = Hashing.home(lookups.key[lookup], units);
        long upToEnd = Math.min(span, units - home);
        read(lookup, home * unitBytes, (int) upToEnd * unitBytes, NEIGHBOURHOOD);
        if (upToEnd < span) {
            read(lookup, 0, (int) (span - upToEnd) * unitBytes, REST_OF_NEIGHBOURHOOD);
        }
    }

    private void read(int lookup, long offset, int bytes, long what) {
        requests.push(lookup, false, offset, bytes, what);
        lookups.pending[lookup]++;
        open[lookup]++;
        lookups.tableRequests[lookup]++;
    }

    @Override
    public void completed(int request) {
        int lookup = requests.lookup[request];
        lookups.pending[lookup]--;
        open[lookup]--;
        long at = requests.local[request];
        if (requests.toHeap[request]) {
            lookups.fromHeap(lookup, local, at);
        } else if (!chained) {
            scan(lookup, at, requests.bytes[request] / slotBytes);
        } else if (requests.detail[request] == OVERFLOW_BLOCK) {
            scan(lookup, at, TableGeometry.OVERFLOW_SLOTS);
            block[lookup] = Integer.toUnsignedLong(local.get(INT, at + geometry.overflowChainOffset()));
        } else {
            completedBuckets(request, lookup, at);
        }
        if (open[lookup] == 0) {
            long next = block[lookup];
            if (next == 0 || (distinctKeys && lookups.answered[lookup])) {
                lookups.tableDone[lookup] = true;
            } else {
                block[lookup] = 0;
                read(lookup, geometry.overflowOffset((int) next), geometry.overflowBlockBytes(), OVERFLOW_BLOCK);
            }
        }
        lookups.finishIfDone(lookup);
    }

    private void completedBuckets(int request, int lookup, long at) {
        int buckets = requests.bytes[request] / geometry.bucketBytes();
        boolean home = requests.detail[request] == NEIGHBOURHOOD;
        for (int bucket = 0; bucket < buckets; bucket++, at += geometry.bucketBytes()) {
            scan(lookup, at, geometry.bucketSlots());
            if (home && bucket == 0) {
                block[lookup] = Integer.toUnsignedLong(local.get(INT, at + geometry.bucketChainOffset()));
            }
        }
    }

    private void scan(int lookup, long at, int slots) {
        int key = lookups.key[lookup];
        if (inline) {
            for (int i = 0; i < slots; i++, at += slotBytes) {
                if (local.get(INT, at) == key) {
                    lookups.found(lookup, local, at);
                }
            }
        } else {
            byte signature = Hashing.signature(key);
            for (int i = 0; i < slots; i++, at += slotBytes) {
                if (local.get(ValueLayout.JAVA_BYTE, at) == signature) {
                    int offset = local.get(INT, at + geometry.slotHeapOffset());
                    requests.push(lookup, true, geometry.heapOffset(offset, 0), geometry.recordBytes(), 0);
                    lookups.pending[lookup]++;
                    open[lookup]++;
                    lookups.heapRequests[lookup]++;
                }
            }
        }
        client.spendCpu(slots * comparisonPs);
    }
}
