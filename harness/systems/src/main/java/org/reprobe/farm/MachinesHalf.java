package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.reprobe.system.Served;
import org.reprobe.system.ServerHalf;

/**
 * Machines of one process, and their memory as that process has it.
 *
 * @param first the number of the first of them
 */
record MachinesHalf(List<Served.Machine> machines, int first, List<MemorySegment> memories) implements ServerHalf {

    /** By machine: what it has registered; empty for those of other processes. */
    static List<MemorySegment> memories(Served served, int machines) {
        List<MemorySegment> all = new ArrayList<>(Collections.nCopies(machines, MemorySegment.NULL));
        if (served.here() instanceof MachinesHalf half) {
            for (int i = 0; i < half.memories().size(); i++) {
                all.set(half.first() + i, half.memories().get(i));
            }
        }
        return all;
    }
}
