package org.reprobe.analysis.nic;

import java.util.Map;
import org.reprobe.analysis.nic.Constant.Range;

/**
 * The constants of one network card and its host, as {@code scenarios/nics/NAME.yaml} gives them. The simulator builds
 * its stages from them, the read-size model bootstraps its parameters from them (linear-probing paper, section 3.5).
 *
 * @param name the file's name without extension
 * @param title for figures and reports, "ConnectX-5 EDR"
 * @param responder the stage of the card that serves one-sided requests
 * @param link the wire
 * @param requester the stage of the card that posts requests
 * @param limits what the card allows
 * @param client the client's CPU work
 * @param model parameters of the read-size model
 * @param contention what costs time once there is too much of it; {@link Contention#NONE} where a file has none
 * @param transactions remote transactions; {@link Transactions#NONE} where a file has none, as no real card does
 * @param cluster what machines and their processes share; {@link Cluster#NONE} where a file has none
 * @param setUp what the operating system does; {@link SetUp#NONE} where a file has none
 * @param provenance for each constant, by dotted key ({@code responder.message-ns}): where it comes from
 */
public record NicProfile(
        String name,
        String title,
        Responder responder,
        Link link,
        Requester requester,
        Limits limits,
        Client client,
        Model model,
        Contention contention,
        Transactions transactions,
        Cluster cluster,
        SetUp setUp,
        Map<String, Provenance> provenance) {

    public NicProfile {
        provenance = Map.copyOf(provenance);
    }

    /** A card that nothing is ever too much for. */
    public NicProfile(
            String name,
            String title,
            Responder responder,
            Link link,
            Requester requester,
            Limits limits,
            Client client,
            Model model,
            Map<String, Provenance> provenance) {
        this(
                name,
                title,
                responder,
                link,
                requester,
                limits,
                client,
                model,
                Contention.NONE,
                Transactions.NONE,
                Cluster.NONE,
                SetUp.NONE,
                provenance);
    }

    private NicProfile with(
            Responder responder, Contention contention, Transactions transactions, Cluster cluster, SetUp setUp) {
        return new NicProfile(
                name,
                title,
                responder,
                link,
                requester,
                limits,
                client,
                model,
                contention,
                transactions,
                cluster,
                setUp,
                provenance);
    }

    /** The same but for its serving stage. */
    public NicProfile with(Responder other) {
        return with(other, contention, transactions, cluster, setUp);
    }

    /** The same but for what it has only so much room for. */
    public NicProfile with(Contention other) {
        return with(responder, other, transactions, cluster, setUp);
    }

    /** The same but for its transactions. */
    public NicProfile with(Transactions other) {
        return with(responder, contention, other, cluster, setUp);
    }

    /** The same in another cluster. */
    public NicProfile with(Cluster other) {
        return with(responder, contention, transactions, other, setUp);
    }

    /** The same but for what the operating system takes. */
    public NicProfile with(SetUp other) {
        return with(responder, contention, transactions, cluster, other);
    }

    /** Whether the card has compare-and-swap and fetch-and-add at all. */
    public boolean hasAtomics() {
        return limits.atomics() != 0;
    }

    /**
     * One FIFO stage: a READ of B bytes holds it for {@code messageNs + randomAccessNs + B * payloadNsPerByte}.
     *
     * @param messageNs 1 / peak message rate
     * @param randomAccessNs added when the address is random; a request that continues right behind an earlier one of
     *     the same queue pair does not pay it (translation and DRAM row are hot)
     * @param payloadNsPerByte DMA over the host bus
     * @param sequentialStreams how many ends of earlier requests a queue pair is remembered by; never more than four send
     *     queues' worth
     * @param atomicNs a compare-and-swap or fetch-and-add, instead of messageNs
     * @param atomicSameAddressNs the time between two atomics on one address
     */
    public record Responder(
            @Constant(Range.PRICE) double messageNs,
            @Constant(Range.TIME) double randomAccessNs,
            @Constant(Range.TIME) double payloadNsPerByte,
            @Constant(Range.BYTES) int sequentialStreams,
            @Constant(Range.TIME) double atomicNs,
            @Constant(Range.TIME) double atomicSameAddressNs) {}

    /**
     * The wire.
     *
     * @param bytesPerSecond one direction
     * @param mtuBytes payload of one packet
     * @param requestHeaderBytes a READ request on the wire
     * @param responseHeaderBytes header of each response packet
     */
    public record Link(
            @Constant(Range.RATE) double bytesPerSecond,
            @Constant(Range.COUNT) int mtuBytes,
            @Constant(Range.BYTES) int requestHeaderBytes,
            @Constant(Range.BYTES) int responseHeaderBytes) {}

    /**
     * The stage of the card that posts requests.
     *
     * @param roundTripNs an idle 0-byte READ from doorbell to completion
     * @param hostNs the part of it between host and card: half for the doorbell to reach the card, half for data and
     *     completion to reach the host. The card itself sees a READ end so much earlier, and can send the next
     * @param workRequestFetchNs fetching the next work request of a posted list over the bus; only the first rides with
     *     the doorbell
     * @param workRequestPrefetch the most work requests that one such fetch brings once a queue pair is busy
     * @param messageNs the requester's time for each request
     * @param jitter p90/p50 of the idle latency; log-normal
     */
    public record Requester(
            @Constant(Range.TIME) double roundTripNs,
            @Constant(Range.TIME) double hostNs,
            @Constant(Range.TIME) double workRequestFetchNs,
            @Constant(Range.COUNT) int workRequestPrefetch,
            @Constant(Range.TIME) double messageNs,
            @Constant(Range.FACTOR) double jitter) {}

    /**
     * What the card allows.
     *
     * @param sendQueue the most work requests in a send queue
     * @param outstandingReads the most READs and atomics in flight on a queue pair
     * @param queuePairs the most queue pairs
     * @param messageBytes the longest message
     * @param atomics 1 for a card with 8-byte atomics, 0 for one without
     */
    public record Limits(
            @Constant(Range.COUNT) int sendQueue,
            @Constant(Range.COUNT) int outstandingReads,
            @Constant(Range.COUNT) int queuePairs,
            @Constant(Range.LONG_BYTES) long messageBytes,
            @Constant(value = Range.FLAG, byDefault = 1) int atomics) {

        /** A card with atomics. */
        public Limits(int sendQueue, int outstandingReads, int queuePairs, long messageBytes) {
            this(sendQueue, outstandingReads, queuePairs, messageBytes, 1);
        }
    }

    /**
     * The client's own work, charged to its virtual clock.
     *
     * @param lookupNs a lookup: choosing, hashing, bookkeeping
     * @param postNs a work request posted
     * @param payloadNsPerByte of a work request posted: more than 0 where the client's CPU, not a card, moves the data
     * @param doorbellNs a doorbell rung
     * @param completionNs a completion polled
     * @param slotNs a slot scanned
     */
    public record Client(
            @Constant(Range.TIME) double lookupNs,
            @Constant(Range.TIME) double postNs,
            @Constant(value = Range.TIME, byDefault = 0) double payloadNsPerByte,
            @Constant(Range.TIME) double doorbellNs,
            @Constant(Range.TIME) double completionNs,
            @Constant(Range.TIME) double slotNs) {

        /** A client whose card moves the data. */
        public Client(double lookupNs, double postNs, double doorbellNs, double completionNs, double slotNs) {
            this(lookupNs, postNs, 0, doorbellNs, completionNs, slotNs);
        }
    }

    /**
     * Section 3's parameters.
     *
     * @param fixedCostNs c of Eq. 3
     * @param peakMessagesPerSecond rho0
     * @param headerBytes h, a 0-byte READ request
     */
    public record Model(
            @Constant(Range.TIME) double fixedCostNs,
            @Constant(Range.RATE) double peakMessagesPerSecond,
            @Constant(Range.COUNT) int headerBytes) {}

    /**
     * What the serving card has only so much room for. Each effect is off where its capacity is 0.
     *
     * @param queuePairs queue pairs whose state the card holds, some of all
     * @param queuePairMissNs added to a request of a queue pair whose state must be fetched
     * @param translations pages whose addresses the card holds, some of all, replaced at random
     * @param pageBytes the size of a page of registered memory
     * @param translationMissNs added to a request for each page whose address must be fetched. A READ that goes on behind
     *     one of the last {@code Responder.sequentialStreams} of its queue pair finds the address that was fetched then,
     *     unless it has been replaced since
     * @param outstanding requests in flight to the card, of all queue pairs, up to which messages take {@code
     *     Responder.messageNs}; from there on they take longer in proportion
     */
    public record Contention(
            @Constant(Range.BYTES) int queuePairs,
            @Constant(Range.TIME) double queuePairMissNs,
            @Constant(Range.BYTES) int translations,
            @Constant(Range.LONG_BYTES) long pageBytes,
            @Constant(Range.TIME) double translationMissNs,
            @Constant(Range.BYTES) int outstanding) {

        /** None of these effects. */
        public static final Contention NONE = new Contention(0, 0, 0, 4096, 0, 0);
    }

    /**
     * Remote hardware transactional memory, as the Nessie paper (2014, section 5) proposes it.
     *
     * @param words the most that a transaction may touch; 0 for a card without transactions
     * @param wordNs the begin, and each word read or written within a transaction, instead of {@code Responder.messageNs}
     * @param commitNs the end
     */
    public record Transactions(
            @Constant(Range.COUNT) int words,
            @Constant(Range.TIME) double wordNs,
            @Constant(Range.TIME) double commitNs) {

        /** A card without. */
        public static final Transactions NONE = new Transactions(0, 0, 0);
    }

    /**
     * What the machines of a cluster share, and the processes of a machine. Each effect is off where its constant is 0.
     *
     * @param switchMachines machines that one switch joins: number 0 to {@code switchMachines} - 1, and so on
     * @param furtherSwitchesNs added to a round trip between machines at different switches
     * @param othersNsPerRate added to a request's round trip for each request a microsecond that the serving card has from
     *     other queue pairs
     * @param memoryNsPerLine for which a process that accesses 64 bytes of its own machine's part of a distributed table
     *     keeps the machine's other processes from theirs
     */
    public record Cluster(
            @Constant(Range.BYTES) int switchMachines,
            @Constant(Range.TIME) double furtherSwitchesNs,
            @Constant(Range.TIME) double othersNsPerRate,
            @Constant(Range.TIME) double memoryNsPerLine) {

        /** None of these effects. */
        public static final Cluster NONE = new Cluster(0, 0, 0, 0);
    }

    /**
     * What needs the operating system. It holds up who asks for it, nobody else.
     *
     * @param registerNs registering memory of any size, with the time a byte added to it
     * @param deregisterNs deregistering, likewise; the memory can be reached until the end of it
     * @param connectNs a queue pair connected, at the client
     */
    public record SetUp(
            @Constant(Range.TIME) double registerNs,
            @Constant(Range.TIME) double registerNsPerByte,
            @Constant(Range.TIME) double deregisterNs,
            @Constant(Range.TIME) double deregisterNsPerByte,
            @Constant(Range.TIME) double connectNs) {

        /** All of it takes no time. */
        public static final SetUp NONE = new SetUp(0, 0, 0, 0, 0);
    }

    /** How a constant came to be known. */
    public enum Basis {
        /** Read off a calibration directly. */
        MEASURED,
        /** Printed in the source. */
        PUBLISHED,
        /** Chosen so that the named points come out. */
        FITTED,
        /** Follows from others, or from a standard. */
        DERIVED,
        /** A plausible value that no source fixes. */
        ASSUMED,
        /** The most that the vendor promises; a card in use stays below it. */
        CEILING;

        /** How much a number that rests on such constants is worth, in one word. */
        public String confidence() {
            return switch (this) {
                case MEASURED, PUBLISHED -> "high";
                case FITTED, DERIVED -> "medium";
                case ASSUMED -> "low";
                case CEILING -> "upper bound";
            };
        }
    }

    /**
     * Where a constant comes from.
     *
     * @param basis how it is known
     * @param source paper, section, specification; for fitted ones the points
     */
    public record Provenance(Basis basis, String source) {}
}
