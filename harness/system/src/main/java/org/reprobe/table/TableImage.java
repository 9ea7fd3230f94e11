package org.reprobe.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.workload.KeySet;

/**
 * A table that has been built: its bytes, outside the Java heap, as a server registers them. Closing it frees them; whoever
 * reads them must have ended by then. Safe for many threads.
 */
public final class TableImage implements AutoCloseable {
    private final TableSpec spec;
    private final TableGeometry geometry;
    private final KeySet keys;
    private final MemorySegment table;
    private final @Nullable MemorySegment heap;
    private final long displacements;
    private final Arena arena;

    TableImage(
            TableSpec spec,
            TableGeometry geometry,
            KeySet keys,
            MemorySegment table,
            @Nullable MemorySegment heap,
            long displacements,
            Arena arena) {
        this.spec = spec;
        this.geometry = geometry;
        this.keys = keys;
        this.table = table;
        this.heap = heap;
        this.displacements = displacements;
        this.arena = arena;
    }

    /** What it was built from. */
    public TableSpec spec() {
        return spec;
    }

    /** Where things stand in it. */
    public TableGeometry geometry() {
        return geometry;
    }

    /** The keys of its records. */
    public KeySet keys() {
        return keys;
    }

    /** The table, {@code geometry().tableBytes()} long. */
    public MemorySegment table() {
        return table;
    }

    /** The heap, {@code geometry().heapBytes()} long; null when records stand in the table. */
    public @Nullable MemorySegment heap() {
        return heap;
    }

    /** How often, while it was built, a record gave way to another (cuckoo) or to a free slot (hopscotch). */
    public long displacements() {
        return displacements;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            arena.close();
        }
    }
}
