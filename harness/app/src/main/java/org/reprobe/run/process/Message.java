package org.reprobe.run.process;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;
import org.reprobe.system.Served;
import org.reprobe.trust.Handshake;
import org.reprobe.trust.Printable;

/**
 * The messages between our processes: JSON objects, one a line, whose {@code type} is the record's name. No component is ever
 * null. Texts for people are bounded and hold nothing that a terminal obeys, whoever sent them.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by them
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "type")
sealed interface Message {

    // The greeting, in this order.

    /**
     * The first message of the process that connects.
     *
     * @param firstProof see {@link Handshake#firstProof}
     */
    record Hello(byte[] nonce, byte[] firstProof) implements Message {}

    /** The answer to it. */
    record Challenge(byte[] nonce) implements Message {}

    /**
     * The connecting process' proof that it knows the secret.
     *
     * @param startedFor names of the scenarios, or of the fabric, that it was started for; empty for any
     */
    record Introduction(byte[] proof, List<String> startedFor) implements Message {
        public Introduction {
            startedFor = startedFor.stream().map(Printable::line).toList();
        }
    }

    /** The listening process' proof. */
    record Welcome(byte[] proof) implements Message {}

    /** A wrong proof, or a request that can't be met. */
    record Refused(String why) implements Message {
        public Refused {
            why = Printable.line(why);
        }
    }

    // Both ways.

    /** The heartbeat; {@link MessageConnection#receive} never returns it. */
    record Alive() implements Message {}

    /** The last message of a connection: whatever the receiver does is to end. */
    record End(String why) implements Message {
        /** The reason of an end where all is well. */
        static final String DONE = "";

        public End {
            why = Printable.line(why);
        }
    }

    // To worker processes, each followed by the message that answers it; Failed answers any of them, and comes unasked
    // when a server program fails.

    /** One run: a cell of a scenario, by its place in the file, and which of its repeats. */
    record Cell(String scenario, int index, int repeat) {}

    /** A request could not be met, or a server program has failed. */
    record Failed(String why) implements Message {
        public Failed {
            why = Printable.line(why);
        }
    }

    /** A scenario, and NIC profiles by name; answered by {@link Known}. */
    record KnowScenario(String name, String yaml, Map<String, String> nics) implements Message {
        public KnowScenario {
            nics = Map.copyOf(nics);
        }
    }

    record Known() implements Message {}

    /**
     * Open the server's half of a cell's fabric; answered by {@link Opened}.
     *
     * @param address where clients elsewhere reach this host; empty for the address of this connection
     */
    record Open(Cell cell, String address) implements Message {}

    /**
     * The server is open.
     *
     * @param endpoint sealed
     */
    record Opened(String endpoint) implements Message {}

    /**
     * Connect to each server once; answered by {@link Reached}.
     *
     * @param endpoints sealed
     * @param own which server this process is; {@link Servers#NONE} for none
     */
    record Reach(Cell cell, List<String> endpoints, int own) implements Message {
        public Reach {
            endpoints = List.copyOf(endpoints);
        }
    }

    record Reached() implements Message {}

    /**
     * Fill memory that clients can reach, and start the server program; answered by {@link Prepared}.
     *
     * @param machine which of the servers this process is
     * @param threads that may build a table
     */
    record Prepare(Cell cell, String address, int machine, int threads) implements Message {}

    /**
     * The server is prepared.
     *
     * @param endpoint sealed
     */
    record Prepared(String endpoint, Served.Machine machine) implements Message {}

    /**
     * Where all servers are, for a program that asks others; answered by {@link Met}.
     *
     * @param servers what each of them has answered, sealed for this process
     */
    record Meet(List<Prepared> servers) implements Message {
        public Meet {
            servers = List.copyOf(servers);
        }
    }

    record Met() implements Message {}

    /**
     * Run clients; answered by {@link Counted}, with {@link AtBarrier} before whenever all of them are at a barrier.
     *
     * @param servers what each of them has answered, sealed for this process
     * @param own as for {@link Reach}
     * @param seed of the clients' choices
     * @param compilingMs warm-up that the first run of its kind in a process has besides
     * @param rehearsalMs how long clients are to count; 0 for what the settings say
     * @param first number of the first client here
     * @param count clients here
     * @param word what leads to the word that all processes share, sealed; empty where they share none
     * @param histories whether clients write down what they ask and are told
     */
    record Run(
            Cell cell,
            List<Prepared> servers,
            int own,
            long seed,
            int compilingMs,
            int rehearsalMs,
            int first,
            int count,
            String word,
            boolean histories)
            implements Message {
        public Run {
            servers = List.copyOf(servers);
        }
    }

    /**
     * What the clients of a process have counted, and how much the process was kept from running.
     *
     * @param counts as {@link org.reprobe.system.Counts} writes them
     * @param leftOut why its machine took no part in the end, while others went on; empty where it did
     */
    record Counted(byte[] counts, long stallNs, double stallShare, long gcNs, String leftOut) implements Message {
        public Counted {
            leftOut = Printable.line(leftOut);
        }
    }

    /** All clients of the process are at a barrier. */
    record AtBarrier() implements Message {}

    /**
     * Leave the barrier.
     *
     * @param startNs when all clients together began, by the {@link System#nanoTime} of their host; of meaning to {@link RunHistory}
     */
    record Go(long startNs) implements Message {}

    /** Compare the server's memory with the counts of all clients; answered by {@link Finished}. */
    record Finish(byte[] counts) implements Message {}

    /**
     * The server has compared.
     *
     * @param verificationFailure what contradicts the counts; empty for nothing
     */
    record Finished(String verificationFailure) implements Message {
        public Finished {
            verificationFailure = Printable.line(verificationFailure);
        }
    }

    /**
     * Run clients that write down all that they ask and are told; answered by {@link HistoryEnded}, with {@link AtBarrier} before.
     *
     * @param endpoint sealed
     * @param first number of the first client here
     * @param count clients here
     * @param place which of the processes this is or takes the place of, from 0
     * @param places processes at a time
     * @param crashed number of a client whose process was killed, as which this one tries to come back; -1 for none
     */
    record RunHistory(
            String fabric,
            String scheme,
            String endpoint,
            Served.Machine machine,
            int clients,
            long durationNs,
            long seed,
            int first,
            int count,
            int place,
            int places,
            int crashed)
            implements Message {}

    record HistoryEnded() implements Message {}

    // To a memory server; Refused answers any of them.

    /** The server serves: its first message. */
    record ServerReady(String endpoint) implements Message {}

    /** Allocate and register memory; answered by {@link Allocated}. */
    record Allocate(long bytes) implements Message {}

    record Allocated(RemoteRegion region) implements Message {}

    /** Deregister and free a region; answered by {@link Released}. */
    record Release(RemoteRegion region) implements Message {}

    /** Deregister and free all regions; answered by {@link Released}. */
    record ReleaseAll() implements Message {}

    record Released() implements Message {}
}
