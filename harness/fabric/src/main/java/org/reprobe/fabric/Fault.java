package org.reprobe.fabric;

/** Injected fault of a run. Times are in nanoseconds since all clients reached their first barrier. */
public sealed interface Fault {

    long fromNs();

    /** Returns the end of the fault; {@link Long#MAX_VALUE} if it is permanent. */
    long untilNs();

    /** Server or client machine, numbered from 0 among its kind. If clients run on the servers, all are servers. */
    record Machine(boolean serves, int number) {}

    /**
     * Power failure of a machine: its programs stop, its connections are lost, its pending requests are dropped. At its
     * end server programs restart if registered memory survives with its keys; client programs do not.
     */
    record Crash(Machine machine, long fromNs, long untilNs, boolean keepsMemory) implements Fault {}

    /** Kill of a client's process. Its machine keeps running. */
    record Kill(int client, long fromNs) implements Fault {
        @Override
        public long untilNs() {
            return Long.MAX_VALUE;
        }
    }

    /** Part of a machine that can be slow: the CPU (all program steps) or the card (sending and serving). */
    enum Part {
        CPU,
        CARD
    }

    /** Slow-down of a machine's CPU or card by the factor {@code times}. */
    record Slow(Part part, Machine machine, long fromNs, long untilNs, double times) implements Fault {}

    /** Cut link from one machine to another. A connection survives if a retransmission finds the link open. */
    record Cut(Machine from, Machine to, long fromNs, long untilNs) implements Fault {}

    /** Extra round-trip time {@code ns} between two machines, in both directions. */
    record Delay(Machine one, Machine other, long fromNs, long untilNs, long ns) implements Fault {}
}
