package org.reprobe.findorput;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.workload.Rng;

/**
 * Table T of find-or-put (section 3.1): k n buckets, of which each of n processes owns k. The parts of the processes of
 * a machine are contiguous in its memory, in order of machines; the last machine may have fewer buckets. A bucket has
 * 64 bits: the first one is 1 if the bucket is occupied, the other 63 are the data. Value 0 is an empty bucket. RDMA
 * accesses the machines' {@code regions}, the CPU their {@code memories}, empty for machines of other JVMs.
 */
public record SharedTable(
        long buckets, long bucketsOfMachine, List<RemoteRegion> regions, List<MemorySegment> memories) {
    static final long OCCUPIED = 1L << 63;

    public SharedTable {
        regions = List.copyOf(regions);
        memories = List.copyOf(memories);
    }

    /** Distributes an empty table over the servers of a fabric. */
    public static SharedTable on(Fabric fabric, long buckets) throws FabricException {
        int machines = fabric.servers();
        List<RemoteRegion> regions = new ArrayList<>();
        List<MemorySegment> memories = new ArrayList<>();
        for (int machine = 0; machine < machines; machine++) {
            RegisteredMemory server = fabric.memory(machine);
            MemorySegment memory = server.allocate(bytesOf(machine, machines, buckets));
            memories.add(memory);
            regions.add(server.register(memory));
        }
        return of(buckets, machines, regions, memories);
    }

    /** Creates a table from existing parts. Loading it requires no regions. */
    public static SharedTable of(long buckets, int machines, List<RemoteRegion> regions, List<MemorySegment> memories) {
        return new SharedTable(buckets, Math.ceilDiv(buckets, machines), regions, memories);
    }

    public static long bytesOf(int machine, int machines, long buckets) throws FabricException {
        if (buckets < machines) {
            throw new FabricException(buckets + " buckets cannot be distributed over " + machines + " machines");
        }
        long ofMachine = Math.ceilDiv(buckets, machines);
        return Math.clamp(buckets - machine * ofMachine, 1, ofMachine) * Long.BYTES;
    }

    /** Returns the byte offset of a bucket in the memory of its machine. */
    long offset(long bucket) {
        return (bucket - machine(bucket) * bucketsOfMachine) * Long.BYTES;
    }

    /** Returns the content of a bucket that holds {@code data}. */
    public static long bucketOf(long data) {
        return data | OCCUPIED;
    }

    public static boolean occupied(long bucket) {
        return bucket < 0;
    }

    /** Returns h(data), the first bucket examined for {@code data}. */
    public long home(long data) {
        return Math.unsignedMultiplyHigh(Rng.hash(data), buckets);
    }

    int machine(long bucket) {
        return (int) (bucket / bucketsOfMachine);
    }
}
