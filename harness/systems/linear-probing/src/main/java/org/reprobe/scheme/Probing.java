package org.reprobe.scheme;

import org.jspecify.annotations.Nullable;
import org.reprobe.table.TableGeometry;

/** Lookup scheme with its settings, independent of clients. */
public sealed interface Probing {

    /** Linear probing; without cluster tracking, {@code hinted} is null. */
    record Linear(int readSlots, @Nullable HintedReadSize hinted, int trackedClusters) implements Probing {}

    /** Cuckoo; {@code parallel} for all candidate slots at once, otherwise one by one. */
    record Cuckoo(boolean parallel) implements Probing {}

    /** Hopscotch, plain or chained; if keys are distinct, a lookup may stop in a chain at the first match. */
    record Hopscotch(boolean distinctKeys) implements Probing {}

    /** Returns the number of table requests that one lookup posts at once. */
    default int requestsOf(RemoteTable table) {
        return switch (this) {
            case Linear linear -> 1;
            case Cuckoo cuckoo -> cuckoo.parallel() ? table.geometry().hashes() : 1;
            case Hopscotch hopscotch -> 1;
        };
    }

    /** Returns the size of a typical READ in bytes, the larger one of table and heap. */
    default int usualReadBytes(RemoteTable table) {
        TableGeometry geometry = table.geometry();
        int tableBytes = switch (this) {
            case Linear linear ->
                (int) Math.min(Integer.MAX_VALUE / 2, (long) linear.readSlots() * geometry.slotBytes());
            case Cuckoo cuckoo -> geometry.slotBytes();
            case Hopscotch hopscotch -> HopscotchProbing.readBytes(geometry);
        };
        return table.heap() == null ? tableBytes : Math.max(tableBytes, geometry.recordBytes());
    }
}
