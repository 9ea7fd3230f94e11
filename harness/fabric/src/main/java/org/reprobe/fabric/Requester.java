package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/** Thread that sends requests: the common part of {@link Client} and {@link Server}. Confined to that thread. */
public interface Requester {

    /** Returns the time of this thread's clock, which is virtual on a simulated fabric. The origin is arbitrary. */
    long nowNs();

    /** Returns the number of events that may share one clock reading: more than 1 if a reading is expensive. */
    default int eventsPerClockReading() {
        return 1;
    }

    /** Returns true if time is virtual: it does not pass while a thread waits for a core. */
    default boolean inVirtualTime() {
        return false;
    }

    /** Allocates local memory. It is registered, zeroed, 64-byte aligned and freed with the fabric. */
    MemorySegment allocate(long bytes) throws FabricException;

    /** Connects a new queue pair, for accesses to {@code local}. The server program, if any, accepts it. */
    QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException;

    /**
     * Waits for at least one completion of any of its queue pairs; takes all available ones and returns their number.
     * {@link Completions#connection} is the queue pair's number in order of creation, from 0; a closed queue pair keeps
     * its number. Throws a {@link FabricException} if no posted request can complete; {@link Server#await} differs.
     */
    int await(Completions into) throws FabricException;

    /** Reason why a wait ended. */
    enum WakeReason {
        /** Completions are available. */
        COMPLETIONS,
        /** A watched word has changed: see {@link #changed}. */
        WORDS,
        /** The deadline has passed. */
        DEADLINE,
        /** Server only: a connection is waiting; {@link Server#accept} returns at once. */
        CONNECTION,
        /** Server only: a client ended detectably without closing its connection; see {@link Server#gone}. */
        GONE,
        /** Server only: all clients have ended and all events have been returned. */
        END
    }

    /**
     * Waits for the first event and takes available completions. Requests need not be posted. Returns
     * {@link WakeReason#DEADLINE} when this thread's clock reaches {@code untilNs} and no other event has occurred.
     */
    WakeReason next(Completions into, long untilNs) throws FabricException;

    /**
     * Makes {@link #next} return {@link WakeReason#WORDS} once the 8 aligned bytes at {@code offset} of this machine's
     * memory differ from {@code seen}. The waiting thread compares all words up to the highest number, so numbers
     * should be small, from 0. A number in use replaces its previous word.
     */
    void watch(int number, MemorySegment memory, long offset, long seen);

    /** Returns the number of a changed word, round-robin, and stops watching it; -1 if there is none. */
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
     * Returns the size and alignment, in bytes, of the blocks that a READ reads atomically. It exceeds a word only if
     * the fabric guarantees it; then cache-line versions detect torn objects (FaRM 2014, section 4.2).
     */
    default int atomicReadBytes() {
        return Long.BYTES;
    }

    /** Announces a CPU access of {@code bytes} bytes; a simulated fabric first processes all earlier events. */
    default void accesses(long bytes) {}

    /** Waits at least {@code ns} nanoseconds; for back-off and heartbeats. */
    void pause(long ns) throws FabricException;

    /** Returns the CPU costs of program steps, which are the same for all threads of a fabric. */
    default CpuCosts cpuCosts() {
        return CpuCosts.NONE;
    }

    /** Charges {@code ps} picoseconds of CPU time, by which a simulated fabric advances the thread's clock. */
    default void spendCpu(long ps) {}
}
