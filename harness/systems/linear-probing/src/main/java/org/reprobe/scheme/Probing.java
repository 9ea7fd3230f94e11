package org.reprobe.scheme;

import org.jspecify.annotations.Nullable;
import org.reprobe.table.TableGeometry;

/** Lookup scheme with its settings, independent of clients. */
public sealed interface Probing {

    /** Linear probing; without cluster tracking, {@code hinted} is null. */
    record Linear(int readSlots, @Nullable HintedReadSize hinted, int trackedClusters) implements Probing {}

    /** Read size that the model chooses when the next cluster is known (linear-probing paper, Eq. 10). */
    @FunctionalInterface
    interface HintedReadSize {
        /**
         * Returns the number of slots that the next READ fetches, at least 1.
         *
         * @param distance slots from the first slot to be read to the cluster's start; negative inside the cluster
         */
        int readSlots(long distance, long clusterSlots);
    }

    /** Cuckoo; {@code parallel} for all candidate slots at once, otherwise one by one. */
    record Cuckoo(boolean parallel) implements Probing {}

    /** Hopscotch, plain or chained; if keys are distinct, a lookup may stop in a chain at the first match. */
    record Hopscotch(boolean distinctKeys) implements Probing {}

    /** Linear probing by a server program with so many threads, to which clients send keys. */
    record TwoSided(int serverThreads) implements Probing {}

    /** Returns the number of table requests that one lookup posts at once. */
    default int requestsOf(RemoteTable table) {
        return switch (this) {
            case Linear linear -> 1;
            case Cuckoo cuckoo -> cuckoo.parallel() ? table.geometry().hashes() : 1;
            case Hopscotch hopscotch -> 1;
            case TwoSided twoSided -> 1;
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
            case TwoSided twoSided -> LookupServer.replyBytes(geometry);
        };
        return table.heap() == null ? tableBytes : Math.max(tableBytes, geometry.recordBytes());
    }
}
