package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;

/**
 * Gives keys of a machine's own shard other values, by one of its threads (FaRM 2014, sections 3.4 and 3.5): the object that has the value,
 * a bucket, an overflow block or an object outside of the table, is locked by a COMPARE_AND_SWAP of the version that was read, changed and
 * unlocked. So threads exclude each other, and who READs it meanwhile sees that. Without replicas nobody else is asked.
 */
final class ValueUpdates {
    private final FarmTable table;
    private final Requester thread;
    private final List<MemorySegment> memories;
    private final BackOff backOff;
    private final TableSearch search;
    private final TableSearch.Lookup lookup = new TableSearch.Lookup();
    private final ObjectWriter buckets;
    private final ObjectWriter blocks;
    private final ObjectWriter values;
    private long retries;

    /**
     * A thread's.
     *
     * @param memories by region, those of its machine at least
     * @param updatePs CPU time for which an object is locked
     */
    ValueUpdates(FarmTable table, Requester thread, List<MemorySegment> memories, BackOff backOff, long updatePs) {
        BucketLayout layout = table.layout();
        this.table = table;
        this.thread = thread;
        this.memories = memories;
        this.backOff = backOff;
        this.search = new TableSearch(table, thread, true);
        this.buckets = new ObjectWriter(thread, layout.bucket(), updatePs);
        this.blocks = new ObjectWriter(thread, layout.block(), updatePs);
        this.values = new ObjectWriter(thread, layout.value(), updatePs);
    }

    /**
     * Gives a key another value.
     *
     * @return whether it was there
     */
    boolean update(long key, long stamp) throws FabricException {
        while (true) {
            search.begin(lookup, key);
            search.searchShared(lookup, memories, backOff);
            retries += lookup.retries();
            if (!lookup.found()) {
                return false;
            }
            ObjectWriter writer = writer();
            MemorySegment memory = memories.get(lookup.region());
            long version = lookup.version();
            if (writer.lock(memory, lookup.objectOffset(), version)) {
                MemorySegment payload = lookup.payload();
                table.putValue(payload, lookup.valueAt(), key, stamp);
                writer.update(memory, lookup.objectOffset(), version, payload);
                return true;
            }
            retries++;
            thread.pause(backOff.nextNs());
        }
    }

    private ObjectWriter writer() {
        return switch (lookup.step()) {
            case BUCKETS -> buckets;
            case BLOCK -> blocks;
            case VALUE -> values;
        };
    }

    /** How often an object was locked by others, or changed before it was locked. */
    long retries() {
        return retries;
    }
}
