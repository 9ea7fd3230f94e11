package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.reprobe.system.Served;
import org.reprobe.system.ServerHalf;

/**
 * Machines of one process, and their memory as that process has it: of each machine as many regions, one after the other.
 *
 * @param first the number of the first of them
 */
record MachinesHalf(List<Served.Machine> machines, int first, List<MemorySegment> memories) implements ServerHalf {

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
}
