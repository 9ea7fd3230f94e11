package org.reprobe.fabric;

import java.lang.foreign.MemorySegment;

/**
 * A thread's view of its fabric: what it needs to ask others, whether it is a {@link Client} or a {@link Server} that asks as well. Not to
 * be shared between threads.
 */
public interface Requester {

    /** Its clock: virtual on a simulated fabric. Its origin means nothing. */
    long nowNs();

    /**
     * How many things that it does one right after the other may share a look at the clock: 1 where looking takes no
     * time, more where it takes as long as what is timed.
     */
    default int eventsPerClockReading() {
        return 1;
    }

    /** Whether time is the fabric's own, so that whoever waits for a core loses none of it. */
    default boolean inVirtualTime() {
        return false;
    }

    /** Registered local memory, zeroed, 64-byte aligned, freed with the fabric. */
    MemorySegment allocate(long bytes) throws FabricException;

    /**
     * A new queue pair to one of the servers whose operations read and write {@code local}.
     *
     * @param server from 0; its program, if it has one, takes the connection
     */
    QueuePair connect(int server, MemorySegment local, ConnectionOptions options) throws FabricException;

    /**
     * Waits for at least one completion of any queue pair that it has, and takes those that are there then. {@link
     * Completions#connection} says whose each is: queue pairs are numbered in the order in which it got them, from 0. Those that it has
     * closed keep their numbers and complete nothing.
     *
     * @return their number
     * @throws FabricException when nothing is posted that could complete, unless {@link Server#await} says otherwise
     */
    int await(Completions into) throws FabricException;

    /** What somebody has been waiting for. */
    enum News {
        /** There are completions. */
        COMPLETIONS,
        /** A watched word is not as it was seen: {@link #changed} says which. */
        WORDS,
        /** Nothing has come in time. */
        DEADLINE,
        /** A server is told: there is a connection to it, {@link Server#accept} returns at once. */
        CONNECTION,
        /**
         * A server is told: a client is gone without having ended, as far as the fabric can tell. {@link Server#gone} says whose
         * connection.
         */
        GONE,
        /** A server is told: all clients have ended, and nothing is left. */
        END
    }

    /**
     * Waits for whatever comes first, whether anything is posted or not, and takes the completions that are there then. It does not wait
     * longer than until its clock shows {@code untilNs}: then it is told of the {@link News#DEADLINE}. What has come by then is told first.
     */
    News next(Completions into, long untilNs) throws FabricException;

    /**
     * Has {@link #next} tell of {@link News#WORDS} once the 8 aligned bytes at {@code offset} are not {@code seen} any more: it looks there
     * itself. Each number is one word's; watching anew with a number takes the place of what was watched with it.
     *
     * @param number from 0; small, since all below are looked at
     * @param memory of its own machine, as a rule registered for others to WRITE
     */
    void watch(int number, MemorySegment memory, long offset, long seen);

    /**
     * The number of a watched word that is not as it was seen, which is watched no more; -1 when there is none. Those that have changed take
     * turns.
     */
    int changed();

    /** A new queue pair to the first server, as a rule the only one. */
    default QueuePair connect(MemorySegment local, ConnectionOptions options) throws FabricException {
        return connect(0, local, options);
    }

    /** Whether a server is its own machine, so that the CPU can access what it has registered. */
    default boolean isLocal(int server) {
        return false;
    }

    /**
     * How many bytes, aligned to as many, a READ takes from memory at one moment, whatever others do to them meanwhile. More than a
     * word where a fabric promises it: then versions of cache lines tell whether an object was read whole (FaRM 2014, section 4.2).
     */
    default int atomicReadBytes() {
        return Long.BYTES;
    }

    /**
     * For who is about to access {@code bytes} bytes of its own machine's memory by the CPU: lets all happen that
     * others did before now. Only a simulated fabric has something to do.
     */
    default void accesses(long bytes) {}

    /** Lets at least {@code ns} pass: for back-off and heartbeats. */
    void pause(long ns) throws FabricException;

    /** What steps of its program cost; the same for all of a fabric. */
    default CpuCosts cpuCosts() {
        return CpuCosts.NONE;
    }

    /** Charges CPU time to it: a simulated fabric advances its clock by it; elsewhere time passes by itself. */
    default void spendCpu(long ps) {}
}
