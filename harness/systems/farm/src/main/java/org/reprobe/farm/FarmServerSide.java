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
 * Machines of one process, from index {@code first}, and their memory in that process; all have the same number of
 * regions, in order. Allocators are by machine, then by region and thread; empty without allocations.
 */
record FarmServerSide(
        List<Served.Machine> machines,
        int first,
        List<MemorySegment> memories,
        List<List<SlabAllocator>> slabs,
        Check check)
        implements ServerSide {

    @FunctionalInterface
    interface Check {
        /** Returns an error if memory and counts disagree; null if they agree. */
        @Nullable
        String failure(int first, List<MemorySegment> memories, Counts all) throws FabricException;
    }

    FarmServerSide(List<Served.Machine> machines, int first, List<MemorySegment> memories) {
        this(machines, first, memories, List.of(), (_, _, _) -> null);
    }

    @Override
    public @Nullable String verificationFailure(Counts all) throws FabricException {
        return check.failure(first, memories, all);
    }

    /** Returns the memory of all regions; {@link MemorySegment#NULL} for those of other processes. */
    static List<MemorySegment> memories(Served served, int regions) {
        List<MemorySegment> all = new ArrayList<>(Collections.nCopies(regions, MemorySegment.NULL));
        if (served.local() instanceof FarmServerSide side) {
            int first = side.first * (side.memories.size() / side.machines.size());
            for (int i = 0; i < side.memories().size(); i++) {
                all.set(first + i, side.memories().get(i));
            }
        }
        return all;
    }

    /** Returns the allocators by machine; empty for machines of other processes. */
    static List<List<SlabAllocator>> slabs(Served served, int machines) {
        List<List<SlabAllocator>> all = new ArrayList<>(Collections.nCopies(machines, List.of()));
        if (served.local() instanceof FarmServerSide side) {
            for (int i = 0; i < side.slabs().size(); i++) {
                all.set(side.first + i, side.slabs().get(i));
            }
        }
        return all;
    }
}
