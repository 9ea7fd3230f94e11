package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.ObjectPlaces;

/**
 * Inserts keys into a machine's own shards, by one of its threads, while others look keys up: by {@link TableWriter}, whose transactions displace pairs
 * and add overflow blocks, which the thread allocates for itself.
 */
final class ShardInserts {
    /**
     * Buckets that a pair may be displaced over where replicas are told: all that a transaction writes goes to them in one message.
     */
    static final int MAX_REPLICATED_PROBE = 8;

    private final FarmTable table;
    private final Client client;
    private final int firstShard;
    private final List<MemorySegment> memories;
    private final List<? extends ObjectPlaces> places;
    private final long updatePs;
    private final int maxProbe;
    /** By shard: those with which nothing is held. */
    private final List<ArrayDeque<TableWriter>> writers = new ArrayList<>();

    private final MemorySegment value;

    /**
     * A thread's.
     *
     * @param machine that it is on
     * @param memories by region, those of that machine at least
     * @param places by the machine's shards: what allocates objects there for this thread
     * @param updatePs CPU time that it takes to write an object that is locked
     * @param maxProbe buckets that a pair may be displaced over
     */
    ShardInserts(
            FarmTable table,
            Client client,
            int machine,
            List<MemorySegment> memories,
            List<? extends ObjectPlaces> places,
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

    /** Gives a key of the machine's a value, whether it is there or not. */
    TableWriter.Answer insert(long key, long stamp) throws FabricException {
        TableWriter writer = take(key);
        table.putValue(value, 0, key, stamp);
        TableWriter.Answer answer = writer.insert(key, value);
        giveBack(writer);
        return answer;
    }

    /** One that nothing is held with, for the shard that has a key. */
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

    /** Begins to give a key a value: {@link TableWriter#hold}. */
    TableWriter.@Nullable Answer hold(TableWriter writer, long key, long stamp) throws FabricException {
        table.putValue(value, 0, key, stamp);
        return writer.hold(key, value);
    }

    /** Nothing is held with it any more. */
    void giveBack(TableWriter writer) {
        writers.get(writer.region() - firstShard).addLast(writer);
    }
}
