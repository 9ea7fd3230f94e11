package org.reprobe.scheme;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.reprobe.table.TableGeometry;

/**
 * Lookup scheme of one client: pushes the first requests of a lookup and processes completed requests.
 * {@link LookupClient} (Algorithm 1) posts the requests and waits for them.
 */
public sealed interface LookupAlgorithm permits LinearProbing, CuckooProbing, HopscotchProbing, LockedUpdates {

    /** 4-byte word of a table: a key, or an offset in the heap. */
    ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** Byte offset of the ordinal in a record, after the 4-byte key. */
    int ORDINAL_AT = Integer.BYTES;

    static LookupAlgorithm of(Probing probing, TableGeometry geometry, LookupResources client) {
        return switch (probing) {
            case Probing.Linear linear ->
                new LinearProbing(client, geometry, linear.readSlots(), linear.hinted(), linear.trackedClusters());
            case Probing.Cuckoo cuckoo -> new CuckooProbing(client, geometry, cuckoo.parallel());
            case Probing.Hopscotch hopscotch -> new HopscotchProbing(client, geometry, hopscotch.distinctKeys());
            case Probing.TwoSided twoSided -> throw new IllegalArgumentException("messages are not READs");
        };
    }

    /** Returns the number of requests that {@link #begin} pushes, without a second READ for a wrapped neighbourhood. */
    default int requestsToStart() {
        return 1;
    }

    /** Pushes a new lookup's first requests. */
    void begin(int lookup);

    /**
     * Processes the completed request at position {@code request} of the queue (PROCESS COMPLETED REQ of Algorithms 2
     * and 3). The position is valid until the first push, because a queue that grows moves its requests.
     */
    void completed(int request);

    /** Returns true if the client may end, because it holds nothing that blocks other clients. */
    default boolean mayEnd() {
        return true;
    }

    /** Discards the state of all lookups in progress after the connection was lost. */
    default void lostAll() {}

    /** Does deferred work while posted requests are in flight (Algorithm 1, line 15). */
    default void whileWaiting() {}
}
