package org.reprobe.fabric;

/** Injected fault of a run. Times are in nanoseconds from the moment when all clients have reached their first barrier. */
public sealed interface Fault {

    long fromNs();

    /** End of the fault; {@link Long#MAX_VALUE} for a permanent one. */
    long untilNs();

    /**
     * Machine that a fault affects.
     *
     * @param serves true for a server, false for a client machine; if clients run on the servers, all machines are servers
     * @param number from 0
     */
    record Machine(boolean serves, int number) {}

    /**
     * Power failure of a machine: programs stop, connections are lost, pending requests are dropped. After recovery, server
     * programs restart; client programs do not.
     *
     * @param keepsMemory true if registered memory survives with the same keys and bytes; otherwise nothing stays
     * registered and no program restarts
     */
    record Crash(Machine machine, long fromNs, long untilNs, boolean keepsMemory) implements Fault {}

    /** Kill of a client's process; its machine continues. */
    record Kill(int client, long fromNs) implements Fault {
        @Override
        public long untilNs() {
            return Long.MAX_VALUE;
        }
    }

    /** Part of a machine that may be slow: the CPU in all program steps, or the card in sending and serving. */
    enum Part {
        CPU,
        CARD
    }

    /** Slow-down of a machine's part by the factor {@code times}. */
    record Slow(Part part, Machine machine, long fromNs, long untilNs, double times) implements Fault {}

    /** Cut link from one machine to another. Connections survive if the cut is shorter than the card's retry time. */
    record Cut(Machine from, Machine to, long fromNs, long untilNs) implements Fault {}

    /** Extra round-trip time {@code ns} between two machines, in both directions. */
    record Delay(Machine one, Machine other, long fromNs, long untilNs, long ns) implements Fault {}
}
