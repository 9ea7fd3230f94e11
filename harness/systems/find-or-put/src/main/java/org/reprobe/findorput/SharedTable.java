package org.reprobe.findorput;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RegisteredMemory;
import org.reprobe.fabric.RemoteRegion;

/**
 * Table T of k n buckets, of which each of n processes on m machines owns k (section 3.1), in remote memory and, for
 * processes of that machine, in local memory. The parts of a machine's processes are contiguous, machine after machine;
 * the last may have fewer buckets. A bucket has 64 bits: the first is 1 if it is occupied, the other 63 are the data. 0
 * is empty.
 */
public record SharedTable(
        long buckets, long bucketsOfMachine, List<RemoteRegion> regions, List<MemorySegment> memories) {
    static final long OCCUPIED = 1L << 63;

    public SharedTable {
        regions = List.copyOf(regions);
        memories = List.copyOf(memories);
    }

    /** Distributes an empty table over a fabric's servers. */
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

    /** Creates a table from existing parts; without regions if it is only loaded. */
    public static SharedTable of(long buckets, int machines, List<RemoteRegion> regions, List<MemorySegment> memories) {
        return new SharedTable(buckets, Math.ceilDiv(buckets, machines), regions, memories);
    }

    public static long bytesOf(int machine, int machines, long buckets) throws FabricException {
        if (buckets < machines) {
            throw new FabricException(buckets + " buckets can't be spread over " + machines + " machines");
        }
        long ofMachine = Math.ceilDiv(buckets, machines);
        return Math.clamp(buckets - machine * ofMachine, 1, ofMachine) * Long.BYTES;
    }

    /** Returns a bucket's offset in its machine's memory. */
    long offset(long bucket) {
        return (bucket - machine(bucket) * bucketsOfMachine) * Long.BYTES;
    }

    /** Returns the occupied bucket of {@code data}. */
    public static long bucketOf(long data) {
        return data | OCCUPIED;
    }

    public static boolean occupied(long bucket) {
        return bucket < 0;
    }

    /** Returns h, the first bucket examined for {@code data}. */
    public long home(long data) {
        return Math.unsignedMultiplyHigh(mix(data), buckets);
    }

    int machine(long bucket) {
        return (int) (bucket / bucketsOfMachine);
    }

    private static long mix(long z) {
        z += 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return z ^ (z >>> 31);
    }
}
