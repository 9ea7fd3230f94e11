package org.reprobe.scheme;

import org.jspecify.annotations.Nullable;
import org.reprobe.table.TableGeometry;

/** Lookup scheme and its settings, before any client exists. */
public sealed interface Probing {

    /**
     * Linear probing.
     *
     * @param readSlots R, slots of one READ
     * @param hinted the model with cluster hints; null when clusters are not tracked
     * @param trackedClusters number of clusters that each client tracks
     */
    record Linear(int readSlots, @Nullable HintedReadSize hinted, int trackedClusters) implements Probing {}

    /** Cuckoo; {@code parallel} requests all candidate slots at once. */
    record Cuckoo(boolean parallel) implements Probing {}

    /**
     * Hopscotch, plain or chained.
     *
     * @param distinctKeys no two records have the same key, so that a chain need not be read on once the key is found
     */
    record Hopscotch(boolean distinctKeys) implements Probing {}

    /** Requests that one lookup posts at once at most. */
    default int requestsOf(RemoteTable table) {
        return switch (this) {
            case Linear linear -> 1;
            case Cuckoo cuckoo -> cuckoo.parallel() ? table.geometry().hashes() : 1;
            case Hopscotch hopscotch -> 1;
        };
    }

    /** Bytes of a usual READ. */
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
