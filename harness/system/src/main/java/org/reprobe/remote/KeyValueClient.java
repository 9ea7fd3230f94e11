package org.reprobe.remote;

import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;

/** Client of a table in remote memory, with its counters. Not thread-safe. */
public interface KeyValueClient extends AutoCloseable {

    /** Reads a key; the value is available from {@link #firstWord}. */
    OperationResult read(long key) throws FabricException;

    /** Returns the first word of the value of the last successful {@link #read}. */
    long firstWord();

    /** Writes a value of one word. */
    default OperationResult write(long key, long value) throws FabricException {
        throw new UnsupportedOperationException("the table is only read");
    }

    /** Deletes a key. */
    default OperationResult delete(long key) throws FabricException {
        throw new UnsupportedOperationException("the table is only read");
    }

    /** Reconnects after an {@link UnreachableException}; throws another while the machine is unreachable. */
    default void reconnect() throws FabricException {
        connection().reconnect();
    }

    /** Returns the connection, whose counters are part of the results. */
    OneSidedLink connection();

    /** Returns the number of round trips so far. */
    default long roundTrips() {
        return connection().roundTrips();
    }

    /** Returns the number of requests so far. */
    default long requests() {
        return connection().requests();
    }

    /** Returns the number of payload bytes of the requests so far. */
    default long payloadBytes() {
        return connection().payloadBytes();
    }

    /** Returns the number of attempts that were repeated because of conflicts. */
    default long retries() {
        return 0;
    }

    /** Returns the number of keys that were moved to their other slot. */
    default long migrations() {
        return 0;
    }

    /** Returns the number of table parts that were split in two. */
    default long splits() {
        return 0;
    }

    /** Returns the time of these splits in ns. */
    default long splitNs() {
        return 0;
    }

    /** Returns the number of requests to the server program. */
    default long serverCalls() {
        return 0;
    }

    /** Returns the number of attempts that were refused because the server had revoked access. */
    default long refusals() {
        return 0;
    }

    /** Returns the number of slots that reads probed one after the other; 0 if a read fetches them all at once. */
    default long probes() {
        return 0;
    }

    @Override
    void close();
}
