package org.reprobe.run;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import org.reprobe.fabric.RemoteRegion;

/**
 * A table, as the clients of one process find it. All else they derive from the cell's settings.
 *
 * @param regions the machines' parts of it
 * @param memories the same memory; empty where it is another process'
 * @param rest what this process' clients have to insert before they begin: see
 *     {@link org.reprobe.findorput.FindOrPutWorkload#load}
 */
public record ServedTable(List<RemoteRegion> regions, List<MemorySegment> memories, Queue<Long> rest) {
    public ServedTable {
        regions = List.copyOf(regions);
        memories = List.copyOf(memories);
    }

    /** A table whose parts are all other processes'. */
    public static ServedTable elsewhere(List<RemoteRegion> regions) {
        return new ServedTable(regions, Collections.nCopies(regions.size(), MemorySegment.NULL), new ArrayDeque<>(0));
    }
}
