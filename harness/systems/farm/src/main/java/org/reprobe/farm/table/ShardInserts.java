package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.ObjectAllocator;

/** Inserts of a thread into its machine's shards by {@link TableWriter}s, with concurrent lookups. */
final class ShardInserts {
    /** Maximum displacement in buckets with replicas, which get all writes of a transaction in one message. */
    static final int MAX_REPLICATED_PROBE = 8;

    private final FarmTable table;
    private final Client client;
    private final int firstShard;
    private final List<MemorySegment> memories;
    private final List<? extends ObjectAllocator> places;
    private final long updatePs;
    private final int maxProbe;
    private final List<ArrayDeque<TableWriter>> writers = new ArrayList<>();

    private final MemorySegment value;

    /**
     * @param memories by region; only the machine's own are required
     * @param places this thread's allocators, by shard of the machine
     * @param maxProbe maximum displacement in buckets
     */
    ShardInserts(
            FarmTable table,
            Client client,
            int machine,
            List<MemorySegment> memories,
            List<? extends ObjectAllocator> places,
            long updatePs,
            int maxProbe) {
        this.table = table;
        this.client = client;
        this.memories = memories;
        this.places = places;
        this.updatePs = updatePs;
        this.firstShard = machine * table.shards();
        this.maxProbe = maxProbe;
        for (int i = 0; i < table.shards(); i++) {
            writers.add(new ArrayDeque<>());
        }
        this.value = MemorySegment.ofArray(new byte[table.layout().valueBytes()]);
    }

    TableWriter.Result insert(long key, long stamp) throws FabricException {
        TableWriter writer = take(key);
        table.putValue(value, 0, key, stamp);
        TableWriter.Result answer = writer.insert(key, value);
        giveBack(writer);
        return answer;
    }

    TableWriter take(long key) {
        int shard = table.shard(key) - firstShard;
        TableWriter free = writers.get(shard).pollLast();
        if (free != null) {
            return free;
        }
        int region = firstShard + shard;
        return new TableWriter(
                table,
                region,
                memories.get(region),
                places.get(shard),
                client,
                client.index(),
                TableWriter.Variant.CORRECTED,
                updatePs,
                maxProbe);
    }

    TableWriter.@Nullable Result hold(TableWriter writer, long key, long stamp) throws FabricException {
        table.putValue(value, 0, key, stamp);
        return writer.hold(key, value);
    }

    void giveBack(TableWriter writer) {
        writers.get(writer.region() - firstShard).addLast(writer);
    }
}
