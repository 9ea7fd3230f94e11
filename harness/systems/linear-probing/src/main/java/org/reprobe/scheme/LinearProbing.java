package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.table.Storage;
import org.reprobe.table.TableGeometry;
import org.reprobe.workload.Hashing;

/**
 * Linear probing with READs of several slots (linear-probing paper, Algorithm 2) and cluster tracking (section 4.4).
 * Fixed and variable read sizes differ only in {@code readSlots}.
 */
final class LinearProbing implements LookupAlgorithm {
    private final Lookups lookups;
    private final RequestQueue requests;
    private final Client client;
    private final long comparisonPs;
    private final MemorySegment local;
    private final TableGeometry geometry;
    private final boolean inline;
    private final long slots;
    private final int slotBytes;
    private final int readSlots;
    private final int maxReadSlots;

    private final Probing.@Nullable HintedReadSize hinted;
    private final @Nullable ClusterSet clusters;

    /** Home slot, and number of consecutive filled slots read from there on, by lookup number. */
    private long[] home = {};

    private long[] filled = {};
    private long[] bufferedStart = new long[64];
    private long[] bufferedEnd = new long[64];
    private int buffered;

    /** @param hinted the model with cluster hints; null when clusters are not tracked */
    LinearProbing(
            LookupResources client,
            TableGeometry geometry,
            int readSlots,
            Probing.@Nullable HintedReadSize hinted,
            int trackedClusters) {
        this.lookups = client.lookups;
        this.requests = client.requests;
        this.client = client.client;
        this.comparisonPs = this.client.cpuCosts().comparisonPs();
        this.local = client.local;
        this.geometry = geometry;
        this.inline = geometry.storage() == Storage.INLINE;
        this.slots = geometry.slots();
        this.slotBytes = geometry.slotBytes();
        this.readSlots = (int) Math.min(readSlots, slots);
        this.maxReadSlots = (int) Math.min(slots, local.byteSize() / slotBytes);
        this.hinted = hinted;
        this.clusters = hinted == null ? null : new ClusterSet(trackedClusters);
    }

    @Override
    public void begin(int lookup) {
        if (lookup >= home.length) {
            home = Arrays.copyOf(home, lookups.capacity());
            filled = Arrays.copyOf(filled, lookups.capacity());
        }
        long slot = Hashing.home(lookups.key[lookup], slots);
        home[lookup] = slot;
        filled[lookup] = 0;
        readFrom(lookup, slot);
    }

    /** Requests the next R slots. A READ stops at the end of the table; the next one starts at slot 0. */
    private void readFrom(int lookup, long slot) {
        long count = readSlots;
        if (clusters != null) {
            count = adjusted(slot);
        }
        count = Math.min(count, Math.min(maxReadSlots, slots - slot));
        requests.push(
                lookup, false, geometry.slotOffset(slot), (int) count * slotBytes, slot); // detail: first slot read
        lookups.pending[lookup]++;
        lookups.tableRequests[lookup]++;
    }

    /** Returns the read size: inside a known cluster, up to its end; before one, the choice of the model. */
    @SuppressWarnings("NullAway") // called only when clusters are tracked
    private long adjusted(long slot) {
        int next = clusters.next(slot);
        if (next == clusters.size()) {
            return readSlots;
        }
        long start = clusters.start(next);
        long end = clusters.end(next);
        if (start <= slot) {
            return end - slot + 1;
        }
        return hinted.readSlots(start - slot, end - start);
    }

    @Override
    public void completed(int request) {
        int lookup = requests.lookup[request];
        lookups.pending[lookup]--;
        if (requests.toHeap[request]) {
            lookups.fromHeap(lookup, local, requests.local[request]);
        } else if (inline) {
            completedInline(request, lookup);
        } else {
            completedOutOfBand(request, lookup);
        }
        lookups.finishIfDone(lookup);
    }

    private void completedInline(int request, int lookup) {
        int key = lookups.key[lookup];
        long slot = requests.detail[request];
        long first = requests.local[request];
        long end = first + requests.bytes[request];
        long at = first;
        while (at < end) {
            int found = local.get(INT, at);
            if (found == key) {
                lookups.found(lookup, local, at);
            } else if (found == 0) {
                break;
            }
            at += slotBytes;
        }
        probed(lookup, slot, (at - first) / slotBytes, at < end);
    }

    /** Processes slots with a record's place in the heap or, after a signature of zero, a record (hybrid layout). */
    private void completedOutOfBand(int request, int lookup) {
        int key = lookups.key[lookup];
        byte signature = Hashing.signature(key);
        long slot = requests.detail[request];
        long first = requests.local[request];
        long end = first + requests.bytes[request];
        long at = first;
        while (at < end) {
            int offsetOrKey = local.get(INT, at + 1);
            if (offsetOrKey == 0) {
                break;
            }
            byte found = local.get(ValueLayout.JAVA_BYTE, at);
            if (found == signature) {
                readRecord(lookup, offsetOrKey);
            } else if (found == 0 && offsetOrKey == key) {
                lookups.found(lookup, local, at + 1);
            }
            at += slotBytes;
        }
        probed(lookup, slot, (at - first) / slotBytes, at < end);
    }

    private void readRecord(int lookup, int offset) {
        int bytes = geometry.recordBytes(Integer.toUnsignedLong(offset) - 1);
        requests.push(lookup, true, geometry.heapOffset(offset), bytes, 0);
        lookups.pending[lookup]++;
        lookups.heapRequests[lookup]++;
    }

    /** Continues a lookup whose READ has found {@code more} filled slots from {@code slot} on. */
    private void probed(int lookup, long slot, long more, boolean empty) {
        client.spendCpu((more + (empty ? 1 : 0)) * comparisonPs);
        filled[lookup] += more;
        if (empty) {
            lookups.tableDone[lookup] = true;
            if (clusters != null) {
                buffer(lookup);
            }
        } else if (filled[lookup] >= slots) {
            lookups.tableDone[lookup] = true;
        } else {
            long next = slot + more;
            readFrom(lookup, next == slots ? 0 : next);
        }
    }

    private void buffer(int lookup) {
        long start = home[lookup];
        long end = start + filled[lookup];
        if (start == end || end >= slots) {
            return;
        }
        if (buffered == bufferedStart.length) {
            bufferedStart = Arrays.copyOf(bufferedStart, 2 * buffered);
            bufferedEnd = Arrays.copyOf(bufferedEnd, 2 * buffered);
        }
        bufferedStart[buffered] = start;
        bufferedEnd[buffered++] = end;
    }

    @Override
    public void whileWaiting() {
        if (clusters != null) {
            for (int i = 0; i < buffered; i++) {
                clusters.add(bufferedStart[i], bufferedEnd[i]);
            }
            buffered = 0;
        }
    }
}
