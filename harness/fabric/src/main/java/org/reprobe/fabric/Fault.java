package org.reprobe.fabric;

/** Something that goes wrong in a run. Times count from when all clients have come to their first barrier. */
public sealed interface Fault {

    /** When it begins. */
    long fromNs();

    /** When it is over; {@link Long#MAX_VALUE} for never. */
    long untilNs();

    /**
     * A machine.
     *
     * @param serves whether a server's, else one of clients; where clients' machines serve there are only servers
     * @param number from 0
     */
    record Machine(boolean serves, int number) {}

    /**
     * A machine's power fails. Its programs end where they are, its connections are lost, what it was asked and has not done
     * it never does. When it is back, programs of servers begin anew, those of clients don't.
     *
     * @param keepsMemory whether what was registered is so again when it is back, with the same keys and bytes; else it is
     *     registered no more, and no program begins anew, which would have nothing to go on from
     */
    record Crash(Machine machine, long fromNs, long untilNs, boolean keepsMemory) implements Fault {}

    /** A client's process is killed; its machine goes on. */
    record Kill(int client, long fromNs) implements Fault {
        @Override
        public long untilNs() {
            return Long.MAX_VALUE;
        }
    }

    /** What of a machine may be slow: its CPU in all that programs do, its card in what it sends and what it serves. */
    enum Part {
        CPU,
        CARD
    }

    /** A part of a machine takes so many times as long. */
    record Slow(Part part, Machine machine, long fromNs, long untilNs, double times) implements Fault {}

    /** Nothing gets through from one machine to another. A connection between them outlives what is shorter than the card tries again. */
    record Cut(Machine from, Machine to, long fromNs, long untilNs) implements Fault {}

    /** A round trip between two machines, whoever asks, takes so much longer. */
    record Delay(Machine one, Machine other, long fromNs, long untilNs, long ns) implements Fault {}
}
