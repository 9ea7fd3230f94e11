package org.reprobe.analysis.nic;

import java.util.Map;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/**
 * Constants of one network card and its host, from {@code scenarios/nics/NAME.yaml}. The simulator's stages and the
 * read-size model's parameters (linear-probing paper, section 3.5) are derived from them. The name (the file's without
 * extension) and the provenance (by dotted key, {@code responder.message-ns}) are not keys.
 */
@Section(meaning = """
        The constants of one network card and its host: scenarios/nics/NAME.yaml. Each has a value, a basis and a source. Times may
        be zero, to switch a stage off; prices of all operations, counts and rates may not.""")
public record NicProfile(
        String name,

        @Key(meaning = "Name in figures and reports: ConnectX-5 EDR.")
        String title,

        @Key(meaning = "The stage of the card that serves one-sided requests.")
        Responder responder,

        @Key(meaning = "The wire.") Link link,

        @Key(meaning = "The stage of the card that posts requests.")
        Requester requester,

        @Key(meaning = "Limits of the card.") Limits limits,
        @Key(meaning = "The client's CPU work.") Client client,
        @Key(meaning = "Parameters of the read-size model.") Model model,

        @Key(byDefault = "none", meaning = "Effects of overload and cache misses; none unless given.")
        Contention contention,

        @Key(byDefault = "none", meaning = "Remote transactions; none unless given, as on all real cards.")
        Transactions transactions,

        @Key(byDefault = "none", meaning = "Resources shared by machines and their processes; no effect unless given.")
        Cluster cluster,

        @Key(byDefault = "none", meaning = "Costs of the operating system; none unless given.")
        SetUp setUp,

        @Key(byDefault = "none", meaning = """
                Sending and serving by one engine of a machine's card; unless given, they are independent.""") Card card,

        Map<String, Provenance> provenance) {

    /** Upper bound for all times; sums of longer ones would not fit in 64 bits. */
    static final double SECOND_NS = 1e9;

    public NicProfile {
        provenance = Map.copyOf(provenance);
    }

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
                Card.NONE,
                provenance);
    }

    private NicProfile with(
            Responder responder,
            Contention contention,
            Transactions transactions,
            Cluster cluster,
            SetUp setUp,
            Card card) {
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
                card,
                provenance);
    }

    public NicProfile with(Responder other) {
        return with(other, contention, transactions, cluster, setUp, card);
    }

    public NicProfile with(Contention other) {
        return with(responder, other, transactions, cluster, setUp, card);
    }

    public NicProfile with(Transactions other) {
        return with(responder, contention, other, cluster, setUp, card);
    }

    public NicProfile with(Cluster other) {
        return with(responder, contention, transactions, other, setUp, card);
    }

    public NicProfile with(SetUp other) {
        return with(responder, contention, transactions, cluster, other, card);
    }

    public NicProfile with(Card other) {
        return with(responder, contention, transactions, cluster, setUp, other);
    }

    public boolean hasAtomics() {
        return limits.atomics() != 0;
    }

    @Section(beside = Provenance.class, meaning = """
            One FIFO stage: a READ of B bytes holds it for messageNs + randomAccessNs + B * payloadNsPerByte.""")
    public record Responder(
            @Key(above = 0, max = SECOND_NS, meaning = "1 / peak message rate.")
            double messageNs,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Added if the address is random; not for a request that begins at the end of an earlier one of the same queue
                    pair (translation and DRAM row are hot).""") double randomAccessNs,

            @Key(min = 0, max = SECOND_NS, meaning = "DMA over the host bus.")
            double payloadNsPerByte,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    Number of ends of earlier requests remembered per queue pair; never more than four send queues'
                    worth.""")
            int sequentialStreams,

            @Key(min = 0, max = SECOND_NS, meaning = "A compare-and-swap or fetch-and-add, instead of messageNs.")
            double atomicNs,

            @Key(min = 0, max = SECOND_NS, meaning = "The time between two atomics on one address.")
            double atomicSameAddressNs) {}

    @Section(beside = Provenance.class, meaning = "The wire.")
    public record Link(
            @Key(min = 1, max = 1e15, meaning = "One direction.")
            double bytesPerSecond,

            @Key(min = 1, max = Integer.MAX_VALUE, meaning = "Payload of one packet.")
            int mtuBytes,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = "A READ request on the wire.")
            int requestHeaderBytes,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = "Header of each response packet.")
            int responseHeaderBytes) {}

    @Section(beside = Provenance.class, meaning = "The stage of the card that posts requests.")
    public record Requester(
            @Key(min = 0, max = SECOND_NS, meaning = "An idle 0-byte READ from doorbell to completion.")
            double roundTripNs,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    The part of it between host and card: half for the doorbell to reach the card, half for data and
                    completion to reach the host. The card itself sees a READ end so much earlier, and can send the next.""") double hostNs,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Fetching the next work request of a posted list over the bus; only the first is carried by the doorbell.""") double workRequestFetchNs,

            @Key(min = 1, max = Integer.MAX_VALUE, meaning = """
                    Maximum number of work requests per such fetch once a queue pair is busy.""")
            int workRequestPrefetch,

            @Key(min = 0, max = SECOND_NS, meaning = "The requester's time for each request.")
            double messageNs,

            @Key(min = 1, max = 10, meaning = "p90/p50 of the idle latency; log-normal.")
            double jitter) {}

    @Section(beside = Provenance.class, meaning = "Limits of the card.")
    public record Limits(
            @Key(min = 1, max = Integer.MAX_VALUE, meaning = "Maximum number of work requests in a send queue.")
            int sendQueue,

            @Key(
                    min = 1,
                    max = Integer.MAX_VALUE,
                    meaning = "Maximum number of READs and atomics in flight on a queue pair.")
            int outstandingReads,

            @Key(min = 1, max = Integer.MAX_VALUE, meaning = "Maximum number of queue pairs.")
            int queuePairs,

            @Key(min = 1, max = Long.MAX_VALUE, meaning = "The longest message.")
            long messageBytes,

            @Key(byDefault = "1", min = 0, max = 1, meaning = "1 for a card with 8-byte atomics, 0 for one without.")
            int atomics) {

        /** Creates limits of a card with atomics. */
        public Limits(int sendQueue, int outstandingReads, int queuePairs, long messageBytes) {
            this(sendQueue, outstandingReads, queuePairs, messageBytes, 1);
        }
    }

    @Section(beside = Provenance.class, meaning = "The client's own work, charged to its virtual clock.")
    public record Client(
            @Key(min = 0, max = SECOND_NS, meaning = "A lookup: choosing, hashing, bookkeeping.")
            double lookupNs,

            @Key(min = 0, max = SECOND_NS, meaning = "A work request posted.")
            double postNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Added to postNs per byte: more than 0 if the client's CPU, not a card, moves the data.""")
            double payloadNsPerByte,

            @Key(min = 0, max = SECOND_NS, meaning = "A doorbell rung.")
            double doorbellNs,

            @Key(min = 0, max = SECOND_NS, meaning = "A completion polled.")
            double completionNs,

            @Key(min = 0, max = SECOND_NS, meaning = "A slot scanned.")
            double slotNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Each of sending a message that is written into a ring in the receiver's memory, serving it and receiving the reply;
                    0: unknown, so that no messages can be sent.""")
            double messageNs) {

        /** Creates a client whose card moves the data. */
        public Client(double lookupNs, double postNs, double doorbellNs, double completionNs, double slotNs) {
            this(lookupNs, postNs, 0, doorbellNs, completionNs, slotNs, 0);
        }
    }

    @Section(beside = Provenance.class, meaning = "Section 3's parameters.")
    public record Model(
            @Key(min = 0, max = SECOND_NS, meaning = "c of Eq. 3.")
            double fixedCostNs,

            @Key(min = 1, max = 1e15, meaning = "rho0.") double peakMessagesPerSecond,

            @Key(min = 1, max = Integer.MAX_VALUE, meaning = "h, a 0-byte READ request.")
            int headerBytes) {}

    @Section(beside = Provenance.class, meaning = """
            Caches and capacities of the serving card. Each effect is off if its capacity is 0.""")
    public record Contention(
            @Key(min = 0, max = Integer.MAX_VALUE, meaning = "Queue pairs whose state the card caches.")
            int queuePairs,

            @Key(min = 0, max = SECOND_NS, meaning = "Added to a request of a queue pair whose state must be fetched.")
            double queuePairMissNs,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    Pages whose addresses the card caches, replaced at random.""")
            int translations,

            @Key(min = 1, max = Long.MAX_VALUE, meaning = "The size of a page of registered memory.")
            long pageBytes,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Added to a request for each page whose address must be fetched. A READ that continues one of the
                    last Responder.sequentialStreams of its queue pair finds the address that was fetched then, unless it
                    has been replaced since.""") double translationMissNs,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    Requests in flight to the card, of all queue pairs, up to which messages take Responder.messageNs; from
                    there on they take longer in proportion.""")
            int outstanding) {

        public static final Contention NONE = new Contention(0, 0, 0, 4096, 0, 0);
    }

    @Section(beside = Provenance.class, meaning = """
            Remote hardware transactional memory, as the Nessie paper (2014, section 5) proposes it.""")
    public record Transactions(
            @Key(min = 1, max = Integer.MAX_VALUE, meaning = """
                    Maximum number of words per transaction; 0 for a card without transactions.""")
            int words,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    The begin, and each word read or written within a transaction, instead of Responder.messageNs.""") double wordNs,

            @Key(min = 0, max = SECOND_NS, meaning = "The end.")
            double commitNs) {

        public static final Transactions NONE = new Transactions(0, 0, 0);
    }

    @Section(beside = Provenance.class, meaning = """
            Resources shared by the machines of a cluster, and by the processes of a machine. Each effect is off if its constant is
            0.""")
    public record Cluster(
            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    Machines per switch: numbers 0 to switchMachines - 1, and so on.""")
            int switchMachines,

            @Key(min = 0, max = SECOND_NS, meaning = "Added to a round trip between machines at different switches.")
            double furtherSwitchesNs,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Added to a request's round trip for each request per microsecond that the serving card receives from other
                    queue pairs.""") double othersNsPerRate,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Time for which a process that accesses 64 bytes of its own machine's part of a distributed table keeps the
                    machine's other processes from theirs.""") double memoryNsPerLine) {

        public static final Cluster NONE = new Cluster(0, 0, 0, 0);
    }

    @Section(beside = Provenance.class, meaning = """
            Costs of operating-system calls, which delay only the calling thread.""")
    public record SetUp(
            @Key(min = 0, max = SECOND_NS, meaning = "Registering memory of any size.")
            double registerNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Added for each byte registered.")
            double registerNsPerByte,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Deregistering memory of any size; it is accessible until the end of it.""") double deregisterNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Added for each byte deregistered.")
            double deregisterNsPerByte,

            @Key(min = 0, max = SECOND_NS, meaning = "A queue pair connected, at the client.")
            double connectNs) {

        public static final SetUp NONE = new SetUp(0, 0, 0, 0, 0);
    }

    @Section(beside = Provenance.class, meaning = """
            Sending and serving by one engine of a machine's card. Each effect is off if its constant is 0.""")
    public record Card(
            @Key(min = 0, max = SECOND_NS, meaning = """
                    Time for which a packet, sent or received, occupies the card's one engine, instead of Responder.messageNs and
                    Requester.messageNs: a READ or WRITE of one packet takes four, two at either machine. All that a machine sends
                    then leaves by one wire.""") double packetNs,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    Header of each packet of a WRITE or SEND, with one engine.""")
            int writeHeaderBytes,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    An acknowledgement on the wire, with one engine. 0: none is sent, and WRITEs take no packets but their
                    own.""")
            int acknowledgementBytes,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Time for which a doorbell locks a queue pair shared by several threads; 0: sharing is not possible.""") double lockNs) {

        /** Returns true if it models delivery of messages only, without acknowledgements. */
        public boolean takesMessagesOnly() {
            return packetNs > 0 && acknowledgementBytes == 0;
        }

        /** Separate engines for sending and serving. */
        public static final Card NONE = new Card(0, 0, 0, 0);
    }

    public enum Basis {
        /** Read off a calibration directly. */
        MEASURED,
        PUBLISHED,
        /** Chosen to reproduce the named points. */
        FITTED,
        /** Computed from other constants, or from a standard. */
        DERIVED,
        /** A plausible value that no source fixes. */
        ASSUMED,
        /** Vendor's maximum; a card in use stays below it. */
        CEILING
    }

    @Section(meaning = "A constant.")
    public record Provenance(
            @Key(meaning = """
                    Basis of the value: measured, printed in the source (published), fitted to the points named, derived from others,
                    assumed, or a ceiling promised by a vendor.""") Basis basis,

            @Key(allowed = "a source in words", meaning = "Paper, section, specification; for fitted ones the points.")
            String source) {}
}
