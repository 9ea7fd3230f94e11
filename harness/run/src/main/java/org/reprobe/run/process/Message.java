package org.reprobe.run.process;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.util.List;
import java.util.Map;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.system.Served;
import org.reprobe.trust.Handshake;
import org.reprobe.trust.Printable;

/**
 * Messages between Reprobe's processes: JSON objects, one per line, whose {@code type} is the record's name. No
 * component is ever null. Texts for display are bounded and contain no terminal codes, whatever their sender.
 */
@SuppressWarnings("ArrayRecordComponent") // never compared by them
@JsonTypeInfo(use = JsonTypeInfo.Id.SIMPLE_NAME, property = "type")
sealed interface Message {

    // The greeting, in this order.

    /** First message of the connecting process; for the proof see {@link Handshake#firstProof}. */
    record Hello(byte[] nonce, byte[] firstProof) implements Message {}

    /** Reply to {@link Hello}. */
    record Challenge(byte[] nonce) implements Message {}

    /** Proof of the connecting process, with the scenarios or the fabric of its command; empty for any. */
    record Introduction(byte[] proof, List<String> startedFor) implements Message {
        public Introduction {
            startedFor = startedFor.stream().map(Printable::line).toList();
        }
    }

    record Welcome(byte[] proof) implements Message {}

    /** Refusal of a wrong proof or an impossible request. */
    record Refused(String why) implements Message {
        public Refused {
            why = Printable.line(why);
        }
    }

    // Both ways.

    /** Heartbeat; {@link MessageConnection#receive} never returns it. */
    record Alive() implements Message {}

    /** Last message of a connection: the receiver's work ends. */
    record End(String why) implements Message {
        static final String DONE = "";

        public End {
            why = Printable.line(why);
        }
    }

    // To worker processes, each followed by its reply. Failed replies to any of them, and reports the failure of a
    // server     // program without a request.

    /** One run: a cell of a scenario, by its position in the file, and its repeat. */
    record Cell(String scenario, int index, int repeat) {}

    /** Failure of a request or of a server program. */
    record Failed(String why) implements Message {
        public Failed {
            why = Printable.line(why);
        }
    }

    /** A scenario, and NIC profiles by name; the reply is {@link Known}. */
    record KnowScenario(String name, String yaml, Map<String, String> nics) implements Message {
        public KnowScenario {
            nics = Map.copyOf(nics);
        }
    }

    record Known() implements Message {}

    /**
     * Opens a cell's fabric at an address of this host, or of this connection if empty; the reply is {@link Opened}.
     */
    record Open(Cell cell, String address) implements Message {}

    /** Reply of an open server, with its sealed endpoint. */
    record Opened(String endpoint) implements Message {}

    /**
     * Connects by sealed endpoints to each server; number {@code own}, if any, is this process. Reply: {@link Reached}.
     */
    record Reach(Cell cell, List<String> endpoints, int own) implements Message {
        public Reach {
            endpoints = List.copyOf(endpoints);
        }
    }

    record Reached() implements Message {}

    /** Fills memory that clients can reach, and starts the server program; the reply is {@link Prepared}. */
    record Prepare(Cell cell, String address, int machine, int threads) implements Message {}

    /** Reply of a prepared server, with its sealed endpoint. */
    record Prepared(String endpoint, Served.Machine machine) implements Message {}

    /** Sealed replies of all servers, for programs that send requests; the reply is {@link RegionsExchanged}. */
    record ExchangeRegions(List<Prepared> servers) implements Message {
        public ExchangeRegions {
            servers = List.copyOf(servers);
        }
    }

    record RegionsExchanged() implements Message {}

    /**
     * Runs clients; the reply is {@link Counted}, preceded by {@link AtBarrier} whenever all of them are at a barrier.
     * The servers' replies and the address of the shared word, empty for none, are sealed. {@code compilingMs} is
     * additional warm-up of the first run of its kind in a process; {@code rehearsalMs}, unless 0, replaces the
     * settings' measured interval. {@code process} is the number of this process of its machine, from 1 on if it
     * replaces a killed one.
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
            boolean histories,
            int process)
            implements Message {
        public Run {
            servers = List.copyOf(servers);
        }
    }

    /**
     * Counts of a process's clients, as {@link org.reprobe.system.Counts} writes them, and how long it was kept from
     * running. {@code leftOut} is the reason why its machine was left out while others continued, or empty.
     */
    record Counted(byte[] counts, long stallNs, double stallShare, long gcNs, String leftOut) implements Message {
        public Counted {
            leftOut = Printable.line(leftOut);
        }
    }

    /** The process of {@code count} clients from {@code first} on was killed, and is restarted next. No reply. */
    record ProcessEnded(int first, int count) implements Message {}

    /** The process of a killed machine was restarted: its number, from 1 on, and its sealed endpoint. No reply. */
    record ProcessRestarted(int machine, int process, Prepared server) implements Message {}

    /** The machine of this restarted process has joined the others, with the cost of copying its content. */
    record Joined(long copiedBytes, long copyNs) implements Message {}

    /** All clients of the process are at a barrier. */
    record AtBarrier() implements Message {}

    /** Leaves the barrier; {@code startNs}, by the host's {@link System#nanoTime}, is for {@link RunHistory} only. */
    record Go(long startNs) implements Message {}

    /** Compares the server's memory with the counts of all clients; the reply is {@link Finished}. */
    record Finish(byte[] counts) implements Message {}

    /** Contradiction of the server's memory to the counts; empty for none. */
    record Finished(String verificationFailure) implements Message {
        public Finished {
            verificationFailure = Printable.line(verificationFailure);
        }
    }

    /**
     * Runs clients that record all requests and replies; the reply is {@link HistoryEnded}, preceded by
     * {@link AtBarrier}. The endpoint is sealed; for other components see
     * {@link org.reprobe.longrun.HistoryClients.Part}.
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

    // To a memory server; Refused replies to any of them.

    /** First message of the server. */
    record ServerReady(String endpoint) implements Message {}

    /** Allocates and registers memory; the reply is {@link Allocated}. */
    record Allocate(long bytes) implements Message {}

    record Allocated(RemoteRegion region) implements Message {}

    /** Deregisters and frees a region; the reply is {@link Released}. */
    record Release(RemoteRegion region) implements Message {}

    /** Deregisters and frees all regions; the reply is {@link Released}. */
    record ReleaseAll() implements Message {}

    record Released() implements Message {}
}
