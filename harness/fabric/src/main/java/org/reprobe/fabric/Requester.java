package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** A thread's view of its fabric for sending requests, common to {@link Client} and {@link Server}. Confined to that thread. */
public interface Requester {

    /** Current time of this thread's clock, virtual on a simulated fabric. The origin is arbitrary. */
    long nowNs();

    /**
     * Number of consecutive events that may share one clock reading: 1 where a reading is free, more where it takes as long
     * as a measured operation.
     */
    default int eventsPerClockReading() {
        return 1;
    }

    /** Returns true if time is virtual, so that waiting for a core costs none of it. */
    default boolean inVirtualTime() {
        return false;
    }

    /** Allocates local memory, registered, zeroed, 64-byte aligned and freed with the fabric. */
    MemorySegment allocate(long bytes) throws FabricException;

    /**
     * Connects a new queue pair, whose operations access {@code local}, to a server.
     *
     * @param server from 0; its program, if any, accepts the connection
     */
    QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException;

    /**
     * Waits for at least one completion of any of its queue pairs and takes all available ones. {@link
     * Completions#connection} is the queue pair's number in order of creation, from 0; a closed queue pair keeps its number
     * and completes nothing.
     *
     * @return number of completions
     * @throws FabricException if no posted request can complete; {@link Server#await} differs
     */
    int await(Completions into) throws FabricException;

    /** Event that ended a wait. */
    enum WakeReason {
        /** Completions are available. */
        COMPLETIONS,
        /** A watched word has changed: see {@link #changed}. */
        WORDS,
        /** The deadline has passed. */
        DEADLINE,
        /** Server only: a connection is waiting; {@link Server#accept} returns at once. */
        CONNECTION,
        /** Server only: a client is gone without having ended, as far as the fabric can detect. See {@link Server#gone}. */
        GONE,
        /** Server only: all clients have ended and nothing remains. */
        END
    }

    /**
     * Waits for the first event, whether or not requests are posted, and takes available completions. Returns {@link
     * WakeReason#DEADLINE} when its clock reaches {@code untilNs}; earlier events take precedence.
     */
    WakeReason next(Completions into, long untilNs) throws FabricException;

    /**
     * Makes {@link #next} return {@link WakeReason#WORDS} once the 8 aligned bytes at {@code offset} differ from {@code
     * seen}; the thread compares them itself. Watching with a number in use replaces the previous word.
     *
     * @param number from 0; small, since all lower numbers are checked
     * @param memory of its own machine, usually registered for WRITEs of others
     */
    void watch(int number, MemorySegment memory, long offset, long seen);

    /** Returns the number of a changed word and ends its watch; -1 if there is none. Changed words take turns. */
    int changed();

    /** Connects a new queue pair to server 0. */
    default QueuePair connect(MemorySegment local, ConnectionOptions options) throws FabricException {
        return connect(0, local, options);
    }

    /** Returns true if a server is on this machine, so that the CPU can access its registered memory. */
    default boolean isLocal(int server) {
        return false;
    }

    /**
     * Size and alignment of the blocks that a READ reads atomically, in bytes. Larger than a word where the fabric
     * guarantees it: then cache-line versions detect torn objects (FaRM 2014, section 4.2).
     */
    default int atomicReadBytes() {
        return Long.BYTES;
    }

    /**
     * Announces a CPU access to {@code bytes} bytes of this machine's memory. A simulated fabric first completes all
     * earlier events; other fabrics do nothing.
     */
    default void accesses(long bytes) {}

    /** Waits at least {@code ns}; for back-off and heartbeats. */
    void pause(long ns) throws FabricException;

    /** CPU costs of program steps, the same for all threads of a fabric. */
    default CpuCosts cpuCosts() {
        return CpuCosts.NONE;
    }

    /** Charges CPU time: a simulated fabric advances its clock; elsewhere this does nothing. */
    default void spendCpu(long ps) {}
}
