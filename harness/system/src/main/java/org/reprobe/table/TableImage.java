package org.reprobe.table;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.workload.KeySet;

/** Built table: bytes outside the Java heap, for registration. Closing frees them, after all readers. Thread-safe. */
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

    public TableSpec spec() {
        return spec;
    }

    public TableGeometry geometry() {
        return geometry;
    }

    public KeySet keys() {
        return keys;
    }

    public MemorySegment table() {
        return table;
    }

    /** Returns the heap; null for inline storage. */
    public @Nullable MemorySegment heap() {
        return heap;
    }

    /** Returns the number of evictions (cuckoo) or displacements (hopscotch) during building. */
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
