package org.reprobe.farm.table;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.MemoryMap;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.farm.messages.FarmFabrics;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.RingAddresses;
import org.reprobe.farm.messages.RingLayout;
import org.reprobe.farm.messages.RingThreads;
import org.reprobe.system.Counts;

/** Machines with a shard each, H = 6, 16-byte keys and 32-byte values, 90 % full, whose threads exchange messages. */
final class FarmCluster implements AutoCloseable {
    final Fabric fabric;
    final FarmTable table;
    final RingAddresses places;
    final int threads;
    final List<MemorySegment> memories = new ArrayList<>();
    final List<RemoteRegion> regions = new ArrayList<>();
    /** Allocators of inserts, by machine and thread. */
    final List<List<SlabAllocator>> slabs = new ArrayList<>();

    /** Buffers of threads' READs. */
    final MemoryMap.PerThread reads;

    /** Offset of the bytes behind those. */
    final long behindAt;

    /** @param readsBytes of a thread's buffer for READs */
    FarmCluster(String name, int records, int machines, boolean inline, int threads, int ringBytes, long readsBytes)
            throws Exception {
        this(name, records, machines, inline, threads, ringBytes, readsBytes, 0, false);
    }

    /**
     * @param moreBytes of each machine, behind buffers of READs
     * @param inserts true if threads insert keys
     */
    FarmCluster(
            String name,
            int records,
            int machines,
            boolean inline,
            int threads,
            int ringBytes,
            long readsBytes,
            long moreBytes,
            boolean inserts)
            throws Exception {
        this(
                name,
                records,
                machines,
                inline ? SlotContent.PAIR : SlotContent.KEY,
                threads,
                ringBytes,
                readsBytes,
                moreBytes,
                inserts ? threads : 0);
    }

    FarmCluster(String name, int records, int machines, SlotContent slots, int threads, int ringBytes, long readsBytes)
            throws Exception {
        this(name, records, machines, slots, threads, ringBytes, readsBytes, 0, 0);
    }

    private FarmCluster(
            String name,
            int records,
            int machines,
            SlotContent slots,
            int threads,
            int ringBytes,
            long readsBytes,
            long behindBytes,
            int inserters)
            throws Exception {
        this.fabric = FarmFabrics.open(name, machines);
        this.threads = threads;
        this.table = FarmTable.of(
                new BucketLayout(6, 16, 32, slots, !name.equals("sim")),
                machines,
                records,
                0.9,
                3,
                inserters,
                Address.MAX_REGION_BYTES);
        MemoryMap map = new MemoryMap(threads);
        map.lines(table.regionBytes());
        this.places = RingAddresses.in(map, new RingLayout(ringBytes), machines);
        this.reads = map.perThread(readsBytes);
        this.behindAt = map.words(behindBytes);
        for (int machine = 0; machine < machines; machine++) {
            try (Shard shard = new Shard(table, machine)) {
                for (int ordinal = 0; ordinal < records; ordinal++) {
                    if (table.machine(table.key(ordinal)) == machine) {
                        shard.place(ordinal);
                    }
                }
                memories.add(shard.write(fabric.memory(machine), map.bytes() - table.regionBytes()));
                regions.add(fabric.memory(machine).register(memories.get(machine)));
                slabs.add(shard.objects(inserters));
            }
        }
    }

    Counts run(int inFlight, int sendQueue, long durationNs, MessagingThreads.Workload questions) throws Exception {
        return new RingThreads(fabric, places, memories, regions, threads, false, false)
                .run(inFlight, sendQueue, reads.threadBytes() == 0 ? 1 : inFlight, durationNs, questions);
    }

    @Override
    public void close() {
        fabric.close();
    }
}
