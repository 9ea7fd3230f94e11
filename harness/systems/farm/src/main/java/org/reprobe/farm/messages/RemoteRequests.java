package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/**
 * Workload of a thread that sends requests to other machines and serves their requests, with the encoding of requests
 * and replies. A request consists of words, one per requested item. Confined to one thread.
 */
public interface RemoteRequests extends AutoCloseable {

    int maxWords();

    /** Returns the maximum number of READs that an operation has in flight. */
    default int maxReads() {
        return 0;
    }

    /** Returns the maximum number of requests that an operation has in flight to one machine. */
    default int maxRequests() {
        return 1;
    }

    /** Returns the encoded length of a request of {@code words} words. */
    int requestBytes(int words);

    /** Returns the encoded length of the reply to it. */
    int replyBytes(int words);

    /** Returns the number of keys per operation; each key counts as one operation in results. */
    default int keysPerOperation() {
        return 1;
    }

    /** Returns the payload of an operation in bytes. */
    int payloadBytes();

    /** Draws and starts a slot's next operation; returns true if all results so far are correct. */
    boolean begin(int slot, Sender sender) throws FabricException;

    /** Operation's access to other machines. */
    interface Sender {
        void sendRequest(int machine, long[] words, int count) throws FabricException;

        /**
         * READs into local memory at {@code to}, with {@link #readCompleted} on completion. {@code part} is below
         * {@link #maxReads} and identifies the READ among those that the operation has in flight.
         */
        void read(int part, int machine, RemoteRegion region, long offset, long to, int bytes) throws FabricException;

        /** Sends a one-way message, handled by {@link RemoteRequests#oneWayReceived}. */
        default void sendOneWay(int machine, long[] words, int count) throws FabricException {
            throw new IllegalStateException("one-way messages are not supported");
        }

        /** Returns true if the operation has nothing in flight except the wait that has ended. */
        default boolean isLastInFlight() {
            return true;
        }

        /** Schedules {@link #resume} at least {@code ns} from now. At most one wait may be pending. */
        void waitFor(long ns);
    }

    /** Processes a completed READ and continues the operation. Returns true if the result is correct. */
    default boolean readCompleted(int slot, int part, Sender sender) throws FabricException {
        throw new IllegalStateException("READs are not supported");
    }

    /** Continues an operation after its wait. Returns true if the result is correct. */
    default boolean resume(int slot, Sender sender) throws FabricException {
        throw new IllegalStateException("waits are not supported");
    }

    void encodeRequest(long[] words, int count, MemorySegment to, long at);

    /** Decodes a request of {@code bytes} bytes and returns its number of words. */
    int decodeRequest(MemorySegment from, long at, int bytes, long[] into);

    /** Encodes the reply to a request, given the request's words or the words of {@link #servedWords}. */
    void encodeReply(long[] words, int count, MemorySegment to, long at) throws FabricException;

    /** Processes a reply and continues the operation. Returns true if the result is correct. */
    boolean replyReceived(int slot, int machine, MemorySegment from, long at, int bytes, Sender sender)
            throws FabricException;

    /** Returns the maximum number of requests whose replies are deferred ({@link #serve}) at the same time. */
    default int maxServed() {
        return 0;
    }

    /** Returns true if the reply to this request is deferred. */
    default boolean isDeferred(long[] words, int count) {
        return false;
    }

    /** Starts to serve a request whose reply is deferred. Its slot numbers follow those of operations. */
    default void serve(int slot, long[] words, int count, Sender sender) throws FabricException {
        throw new IllegalStateException("deferred replies are not supported");
    }

    /** Stores the words of a completed remote request, for {@link #encodeReply}, and returns their number. */
    default int servedWords(int slot, long[] into) {
        throw new IllegalStateException("deferred replies are not supported");
    }

    /** Returns true if the run continues after machines are lost. */
    default boolean toleratesLoss() {
        return false;
    }

    /** Begins an iteration of the event loop, if machines may be lost. Returns the latest start of the next one. */
    default long beginIteration(Iteration turn) throws FabricException {
        return Long.MAX_VALUE;
    }

    /** Operations available at the start of an iteration. */
    interface Iteration extends Sender {
        /** Schedules {@link #resume} of a slot soon, unless a wait is already pending. */
        void wake(int slot);

        boolean isBusy(int slot);

        /** Excludes a machine: outstanding requests to it are abandoned. */
        void exclude(int machine);

        /**
         * Connects to the new process of an excluded machine: one-way messages are possible. Returns false if a reply
         * to the former process is still due, which the new one must not receive.
         */
        boolean reconnect(int machine, RemoteRegion region) throws FabricException;

        /** Admits an excluded machine, to which this thread has connected, again: it may send requests. */
        void admit(int machine);

        MessageExchange.Copies copies();
    }

    /** Handles a one-way message of another machine's thread. */
    default void oneWayReceived(int from, long[] words, int count) throws FabricException {
        throw new IllegalStateException("one-way messages are not supported");
    }

    /** Releases a slot after its operation has ended. */
    default void release(int slot) {}

    /** Returns true if no other thread of the machine needs this one. Called when all its operations have ended. */
    default boolean mayLeave() {
        return true;
    }

    /** Adds statistics that include operations outside the sample, after all operations have ended. */
    default void addTotals(Counts counts) {}

    /** Adds results of final checks, after all machines have sent their last request. */
    default void addFinalChecks(Counts counts) throws FabricException {}

    @Override
    default void close() {}

    default void count(Counts counts, int slot, long latencyNs) {
        OperationCounts.reads(counts, keysPerOperation(), latencyNs, 1);
        counts.add(Counter.PAYLOAD_BYTES, payloadBytes());
    }
}
