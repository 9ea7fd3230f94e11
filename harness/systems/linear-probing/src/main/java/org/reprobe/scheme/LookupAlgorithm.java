package org.reprobe.scheme;

import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.reprobe.table.TableGeometry;

/**
 * Lookups of one client: the requests of a new lookup, and the consequences of a completed request. {@link LookupClient}
 * (Algorithm 1) does the rest.
 */
public sealed interface LookupAlgorithm permits LinearProbing, CuckooProbing, HopscotchProbing, LockedUpdates {

    /** A word of a table: a key, or an offset in the heap. */
    ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** A record's ordinal stands behind its 4-byte key. */
    int ORDINAL_AT = Integer.BYTES;

    /** One client's scheme. */
    static LookupAlgorithm of(Probing probing, TableGeometry geometry, LookupResources client) {
        return switch (probing) {
            case Probing.Linear linear ->
                new LinearProbing(client, geometry, linear.readSlots(), linear.hinted(), linear.trackedClusters());
            case Probing.Cuckoo cuckoo -> new CuckooProbing(client, geometry, cuckoo.parallel());
            case Probing.Hopscotch hopscotch -> new HopscotchProbing(client, geometry, hopscotch.distinctKeys());
        };
    }

    /** Requests that a new lookup pushes at once. */
    int requestsToStart();

    /** Pushes a new lookup's first requests. */
    void begin(int lookup);

    /**
     * PROCESS COMPLETED REQ of the request at place {@code request} of the queue. The place is good until the first push:
     * a queue that grows moves its requests.
     */
    void completed(int request);

    /** Returns true if the client may end: it holds nothing that blocks other clients. */
    default boolean mayEnd() {
        return true;
    }

    /** The connection is lost, with all lookups in progress and what they had posted. */
    default void lostAll() {}

    /** Work for the time in which posted requests are on their way (Algorithm 1, line 15). */
    default void whileWaiting() {}
}
