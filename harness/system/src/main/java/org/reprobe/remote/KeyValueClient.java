package org.reprobe.remote;

import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;

/** Client of a table in remote memory, with its counters. Not thread-safe. */
public interface KeyValueClient extends AutoCloseable {

    OperationResult read(long key) throws FabricException;

    /** First word of the value of the last successful {@link #read}. */
    long firstWord();

    /** Writes a value of one word. */
    default OperationResult write(long key, long value) throws FabricException {
        throw new UnsupportedOperationException("the table is only read");
    }

    default OperationResult delete(long key) throws FabricException {
        throw new UnsupportedOperationException("the table is only read");
    }

    /** Reconnects after an {@link UnreachableException}, which it throws as well while the machine is unreachable. */
    default void reconnect() throws FabricException {
        connection().reconnect();
    }

    OneSidedLink connection();

    /** Number of attempts repeated because of conflicts. */
    default long retries() {
        return 0;
    }

    /** Number of keys moved to their other slot. */
    default long migrations() {
        return 0;
    }

    /** Number of table parts split in two. */
    default long splits() {
        return 0;
    }

    default long splitNs() {
        return 0;
    }

    default long serverCalls() {
        return 0;
    }

    /** Number of attempts refused after the server had revoked access. */
    default long refusals() {
        return 0;
    }

    /** Number of slots probed sequentially by reads; 0 if they are read at once. */
    default long probes() {
        return 0;
    }

    @Override
    void close();
}
