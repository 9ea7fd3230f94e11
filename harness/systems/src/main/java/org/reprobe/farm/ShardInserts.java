package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;

/**
 * Inserts keys into a machine's own shards, by one of its threads, while others look keys up: by {@link TableWriter}, whose transactions displace pairs
 * and add overflow blocks, which the thread allocates for itself.
 */
final class ShardInserts {
    private final FarmTable table;
    private final int firstShard;
    private final TableWriter[] writers;
    private final MemorySegment value;

    /**
     * A thread's.
     *
     * @param machine that it is on
     * @param memories by region, those of that machine at least
     * @param places by the machine's shards: what allocates objects there for this thread
     * @param updatePs CPU time that it takes to write an object that is locked
     */
    ShardInserts(
            FarmTable table,
            Client client,
            int machine,
            List<MemorySegment> memories,
            List<? extends ObjectPlaces> places,
            long updatePs) {
        this.table = table;
        this.firstShard = machine * table.shards();
        this.writers = new TableWriter[table.shards()];
        for (int i = 0; i < writers.length; i++) {
            int region = firstShard + i;
            writers[i] = new TableWriter(
                    table,
                    region,
                    memories.get(region),
                    places.get(i),
                    client,
                    client.index(),
                    TableWriter.Rules.RIGHT,
                    updatePs);
        }
        this.value = MemorySegment.ofArray(new byte[table.layout().valueBytes()]);
    }

    /** Gives a key of the machine's a value, whether it is there or not. */
    TableWriter.Answer insert(long key, long stamp) throws FabricException {
        table.putValue(value, 0, key, stamp);
        return writers[table.shard(key) - firstShard].insert(key, value);
    }
}
