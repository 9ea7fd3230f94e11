package org.reprobe.remote;

import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.UnreachableException;

/** A client of a table in remote memory, for workloads; what it has counted as well. For one thread. */
public interface KeyValueClient extends AutoCloseable {

    /** Looks a key up: {@code DONE} or {@code ABSENT}. */
    OperationResult read(long key) throws FabricException;

    /** The first word of the value that {@link #read} has found. */
    long firstWord();

    /** Gives a key a value of one word. */
    default OperationResult write(long key, long value) throws FabricException {
        throw new UnsupportedOperationException("the table is only read");
    }

    /** Removes a key, if it is there: {@code DONE}, or {@code ABSENT} where that is known. */
    default OperationResult delete(long key) throws FabricException {
        throw new UnsupportedOperationException("the table is only read");
    }

    /**
     * Connects again after an operation ended with an {@link UnreachableException}. That operation may have taken effect, or still may.
     *
     * @throws UnreachableException while a machine can't be reached
     */
    default void reconnect() throws FabricException {
        connection().reconnect();
    }

    /** Round trips, requests and bytes of its one-sided operations. */
    OneSidedLink connection();

    /** Attempts that were repeated, since another was working on the same. */
    default long retries() {
        return 0;
    }

    /** Keys that it has moved to their other place. */
    default long migrations() {
        return 0;
    }

    /** Parts of the table that it has split in two. */
    default long splits() {
        return 0;
    }

    /** Time that this has taken. */
    default long splitNs() {
        return 0;
    }

    /** Messages to the server's program. */
    default long serverCalls() {
        return 0;
    }

    /** Attempts that were refused, since the server had revoked access. */
    default long refusals() {
        return 0;
    }

    /** Places that reads have looked at, one after the other; 0 where they look at all at once. */
    default long probes() {
        return 0;
    }

    @Override
    void close();
}
