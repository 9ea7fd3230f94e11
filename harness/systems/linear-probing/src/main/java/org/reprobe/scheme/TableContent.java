package org.reprobe.scheme;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.reprobe.memory.Memory;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RefusedException;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableCache;
import org.reprobe.table.TableGeometry;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.KeySet;

/** Table of a run and its heap, if there is one; runs with equal tables share it. */
public record TableContent(TableSpec spec) implements Content {
    // Rough speeds of one core, for the estimated time of a build.
    private static final double LINEAR_RECORDS_PER_S = 25e6;
    private static final double OTHER_RECORDS_PER_S = 6e6;
    private static final double LAID_OUT_BYTES_PER_S = 600e6;

    @Override
    public long bytes() {
        TableGeometry geometry = TableGeometry.of(spec);
        return geometry.tableBytes() + geometry.heapBytes();
    }

    @Override
    public long neededBytes() {
        return TableBuilder.neededBytes(spec);
    }

    @Override
    public double buildSeconds() {
        double placing =
                spec.records() / (spec.kind() == TableKind.LINEAR ? LINEAR_RECORDS_PER_S : OTHER_RECORDS_PER_S);
        boolean laidOut = spec.storage() == Storage.HEAP || spec.recordBytes() != Long.BYTES;
        return placing + (laidOut ? spec.records() * (double) spec.recordBytes() / LAID_OUT_BYTES_PER_S : 0);
    }

    @Override
    public void check() throws RefusedException {
        try {
            TableBuilder.check(spec);
        } catch (TableRefusedException e) {
            throw new RefusedException(e.getMessage(), e);
        }
    }

    @Override
    public BuiltContent build(Builder builder) throws RefusedException {
        Memory memory = builder.memory() == null ? Memory.OFF_HEAP : builder.memory();
        try {
            return new Built(
                    this,
                    builder.cache() == null
                            ? TableBuilder.build(spec, builder.threads(), Long.MAX_VALUE, memory)
                            : new TableCache(builder.cache(), builder.notices()).load(spec, builder.threads(), memory));
        } catch (TableRefusedException e) {
            throw new RefusedException(e.getMessage(), e);
        }
    }

    /** Table in memory. Its attributes are known only after construction: bytes of table and heap, displacements. */
    record Built(TableContent content, TableImage image) implements BuiltContent {
        static final int TABLE_BYTES = 0;
        static final int HEAP_BYTES = 1;
        static final int DISPLACEMENTS = 2;

        KeySet keys() {
            return image.keys();
        }

        @Override
        public List<MemorySegment> parts() {
            MemorySegment heap = image.heap();
            return heap == null ? List.of(image.table()) : List.of(image.table(), heap);
        }

        @Override
        public long[] attributes() {
            return new long[] {image.geometry().tableBytes(), image.geometry().heapBytes(), image.displacements()};
        }

        @Override
        public long bytes() {
            return image.geometry().tableBytes() + image.geometry().heapBytes();
        }

        @Override
        public void close() {
            image.close();
        }
    }
}
