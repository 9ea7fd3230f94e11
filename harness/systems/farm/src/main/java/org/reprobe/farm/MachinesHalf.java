package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.memory.SlabAllocator;
import org.reprobe.system.Counts;
import org.reprobe.system.Served;
import org.reprobe.system.ServerSide;

/**
 * Machines of one process, and their memory as that process has it: of each machine as many regions, one after the other.
 *
 * @param first the number of the first of them
 * @param slabs of each machine, by its regions where it has several, and by its threads: what allocates objects there; empty where nobody does
 * @param check of that memory when clients have ended
 */
record MachinesHalf(
        List<Served.Machine> machines,
        int first,
        List<MemorySegment> memories,
        List<List<SlabAllocator>> slabs,
        Check check)
        implements ServerSide {

    /** Holds what is left in memory against what clients have counted. */
    @FunctionalInterface
    interface Check {
        /** Why they contradict each other; null when they agree. */
        @Nullable
        String failure(int first, List<MemorySegment> memories, Counts all) throws FabricException;
    }

    MachinesHalf(List<Served.Machine> machines, int first, List<MemorySegment> memories) {
        this(machines, first, memories, List.of(), (_, _, _) -> null);
    }

    @Override
    public @Nullable String verificationFailure(Counts all) throws FabricException {
        return check.failure(first, memories, all);
    }

    /**
     * By region: what machines have registered; empty for those of other processes.
     *
     * @param regions of all machines
     */
    static List<MemorySegment> memories(Served served, int regions) {
        List<MemorySegment> all = new ArrayList<>(Collections.nCopies(regions, MemorySegment.NULL));
        if (served.here() instanceof MachinesHalf half) {
            int first = half.first * (half.memories.size() / half.machines.size());
            for (int i = 0; i < half.memories().size(); i++) {
                all.set(first + i, half.memories().get(i));
            }
        }
        return all;
    }

    /**
     * By machine: what allocates objects there; empty for machines of other processes.
     *
     * @param machines that there are
     */
    static List<List<SlabAllocator>> slabs(Served served, int machines) {
        List<List<SlabAllocator>> all = new ArrayList<>(Collections.nCopies(machines, List.of()));
        if (served.here() instanceof MachinesHalf half) {
            for (int i = 0; i < half.slabs().size(); i++) {
                all.set(half.first + i, half.slabs().get(i));
            }
        }
        return all;
    }
}
