package org.reprobe.analysis.nic;

import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;

/**
 * Constants of one network card and its host, from {@code scenarios/nics/NAME.yaml}. The simulator's stages and the
 * read-size model's parameters (linear-probing paper, section 3.5) are derived from them. The name (the file's without
 * extension) and the provenance (by dotted key, {@code responder.message-ns}) are not keys.
 */
@Section(meaning = """
        The constants of one network card and its host: scenarios/nics/NAME.yaml. Each has a value, a basis and a source. A time of
        0 switches a stage off; the times that every operation takes, counts and rates must be above 0.""")
public record NicProfile(
        String name,

        @Key(meaning = "Name in figures and reports: ConnectX-5 EDR.")
        String title,

        @Key(meaning = "The stage of the card that serves one-sided requests.")
        Responder responder,

        @Key(meaning = "The link to the network.") Link link,

        @Key(meaning = "The stage of the card that posts requests.")
        Requester requester,

        @Key(meaning = "Limits of the card.") Limits limits,
        @Key(meaning = "The client's CPU work.") Client client,
        @Key(meaning = "Parameters of the read-size model.") Model model,

        @Key(byDefault = "none", meaning = "Effects of overload and cache misses; none by default.")
        Contention contention,

        @Key(byDefault = "none", meaning = "Remote transactions; none by default, as on all real cards.")
        Transactions transactions,

        @Key(byDefault = "none", meaning = "Resources shared by machines and their processes; no effect by default.")
        Cluster cluster,

        @Key(byDefault = "none", meaning = "Costs of operating-system calls; none by default.")
        SetUp setUp,

        @Key(byDefault = "none", meaning = """
                One engine of a machine's card for sending and serving; by default, the two are independent.""") Card card,

        @Key(byDefault = "none", meaning = """
                The host's slot. With it, payload passes slot and link in packets; by default, Responder.payloadNsPerByte is the bus.""") Slot slot,

        @Key(byDefault = "none", meaning = "Latency of packets, WRITEs and SENDs.")
        Transfer transfer,

        @Key(byDefault = "none", meaning = """
                Times at which a card sends a lost request again; by default, as the InfiniBand specification defines
                them.""") Retransmission retransmission,

        Map<String, Provenance> provenance) {

    /** Upper bound for all times; sums of longer ones would not fit in 64 bits. */
    static final double SECOND_NS = 1e9;

    public NicProfile {
        provenance = Map.copyOf(provenance);
    }

    private NicProfile with(
            Responder responder,
            Contention contention,
            Transactions transactions,
            Cluster cluster,
            SetUp setUp,
            Card card,
            Slot slot,
            Transfer transfer) {
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
                slot,
                transfer,
                retransmission,
                provenance);
    }

    public NicProfile with(Responder other) {
        return with(other, contention, transactions, cluster, setUp, card, slot, transfer);
    }

    public NicProfile with(Contention other) {
        return with(responder, other, transactions, cluster, setUp, card, slot, transfer);
    }

    public NicProfile with(Transactions other) {
        return with(responder, contention, other, cluster, setUp, card, slot, transfer);
    }

    public NicProfile with(Cluster other) {
        return with(responder, contention, transactions, other, setUp, card, slot, transfer);
    }

    public NicProfile with(SetUp other) {
        return with(responder, contention, transactions, cluster, other, card, slot, transfer);
    }

    public NicProfile with(Card other) {
        return with(responder, contention, transactions, cluster, setUp, other, slot, transfer);
    }

    public NicProfile with(Slot other) {
        return with(responder, contention, transactions, cluster, setUp, card, other, transfer);
    }

    public NicProfile with(Transfer other) {
        return with(responder, contention, transactions, cluster, setUp, card, slot, other);
    }

    /**
     * Returns the time per payload byte of the slower of link and slot, with the headers of full packets; 0 for a
     * profile without {@link Slot}, and for an engine that waits for the slot.
     */
    public double packetNsPerByte(boolean read) {
        if (slot.bytesPerSecond() == 0 || card.packetNs() > 0) {
            return 0;
        }
        double linkNs = (1 + (double) link.responseHeaderBytes() / link.mtuBytes()) / link.bytesPerSecond();
        double slotNs = (1 + (double) slot.packetHeaderBytes() / slot.packetBytes()) / slot.bytesPerSecond();
        return 1e9 * Math.max(linkNs, slotNs) / (read ? transfer.readEfficiency() : transfer.efficiency());
    }

    /**
     * Returns the time from the doorbell until an idle WRITE of no bytes is in the other machine's memory, by
     * {@link Transfer#writeShare}.
     */
    public double writeNs() {
        return transfer.writeShare() * idleReadNs() - client.postNs() - client.doorbellNs();
    }

    /** Returns the additional time until a SEND's completion at the receiver, by {@link Transfer#sendShare}. */
    public double sendNs() {
        double more =
                (transfer.sendShare() - transfer.writeShare()) * idleReadNs() - client.sendNs() - client.completionNs();
        return transfer.sendShare() == 0 ? 0 : Math.max(0, more);
    }

    private double idleReadNs() {
        return client.postNs()
                + client.readNs()
                + client.doorbellNs()
                + requester.roundTripNs()
                + client.completionNs();
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
                    Added unless the request begins at the end of an earlier one of the same queue
                    pair (translation and DRAM row are hot).""") double randomAccessNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Time per byte of DMA over the host bus.")
            double payloadNsPerByte,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    Number of ends of earlier requests remembered per queue pair; never more than four send queues'
                    worth.""")
            int sequentialStreams,

            @Key(
                    min = 0,
                    max = SECOND_NS,
                    meaning = "Time of a compare-and-swap or fetch-and-add, instead of messageNs.")
            double atomicNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Shortest time between two atomics on one address.")
            double atomicSameAddressNs) {}

    @Section(beside = Provenance.class, meaning = "The link to the network.")
    public record Link(
            @Key(min = 1, max = 1e15, meaning = "Bandwidth of one direction.")
            double bytesPerSecond,

            @Key(min = 1, max = Integer.MAX_VALUE, meaning = "Payload of one packet.")
            int mtuBytes,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = "Size of a READ request on the wire.")
            int requestHeaderBytes,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = "Header of each response packet.")
            int responseHeaderBytes) {}

    @Section(beside = Provenance.class, meaning = "The stage of the card that posts requests.")
    public record Requester(
            @Key(min = 0, max = SECOND_NS, meaning = "Latency of an idle 0-byte READ, from doorbell to completion.")
            double roundTripNs,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    The part of it between host and card: half for the doorbell to reach the card, half for data and
                    completion to reach the host. For the card itself, a READ ends that half earlier, and it can send the next.""") double hostNs,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Time to fetch the next work request of a posted list over the bus; the doorbell carries only the first.""") double workRequestFetchNs,

            @Key(min = 1, max = Integer.MAX_VALUE, meaning = """
                    Maximum number of work requests per such fetch once a queue pair is busy.""")
            int workRequestPrefetch,

            @Key(min = 0, max = SECOND_NS, meaning = "Time of the sending stage per request.")
            double messageNs,

            @Key(min = 1, max = 10, meaning = "Ratio p90 / p50 of the idle latency, which is log-normal.")
            double jitter,

            @Key(byDefault = "0", min = 0, max = 1, meaning = """
                    1: each doorbell of a busy queue pair starts a fetch at once, beside earlier ones. 0: the fetches of a queue
                    pair follow one another.""")
            int fetchPerDoorbell) {

        /** Fetches of a queue pair that follow one another. */
        public Requester(
                double roundTripNs,
                double hostNs,
                double workRequestFetchNs,
                int workRequestPrefetch,
                double messageNs,
                double jitter) {
            this(roundTripNs, hostNs, workRequestFetchNs, workRequestPrefetch, messageNs, jitter, 0);
        }
    }

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

            @Key(min = 1, max = Long.MAX_VALUE, meaning = "Largest message.")
            long messageBytes,

            @Key(byDefault = "1", min = 0, max = 1, meaning = "1 for a card with 8-byte atomics, 0 for one without.")
            int atomics) {}

    @Section(beside = Provenance.class, meaning = "CPU time of the client's own work.")
    public record Client(
            @Key(min = 0, max = SECOND_NS, meaning = "Time per lookup: choosing and hashing the key, bookkeeping.")
            double lookupNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Time to post a work request.")
            double postNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Added to postNs per byte: more than 0 if the client's CPU, not a card, moves the data.""")
            double payloadNsPerByte,

            @Key(min = 0, max = SECOND_NS, meaning = "Time to ring a doorbell.")
            double doorbellNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Time to poll a completion.")
            double completionNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Time to scan a slot.")
            double slotNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Time of each of three steps: sending a message into a ring in the receiver's memory, serving it, and receiving the
                    reply. 0 if unknown; messages are then refused.""")
            double messageNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = "Added to postNs for a READ.")
            double readNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = "Added to postNs for a SEND.")
            double sendNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = "Added to postNs for a WRITE.")
            double writeNs,

            @Key(byDefault = "0", min = 0, max = 1000, meaning = """
                    Part by which the CPU times and the latencies of requests of a program grow with each further client program
                    on its machine: shared cores, clock and bus.""")
            double slowdownPerThread,

            @Key(byDefault = "0", min = 0, max = 1000, meaning = """
                    slowdownPerThread for the latency of WRITEs and SENDs; 0: the same.""")
            double writeSlowdownPerThread,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Added per byte of a message through a ring at either end: to copy it to or from a buffer, and to clear the ring.""")
            double messageNsPerByte) {

        /** Costs of posting that are the same for all kinds of requests, and for any number of threads. */
        public Client(
                double lookupNs,
                double postNs,
                double payloadNsPerByte,
                double doorbellNs,
                double completionNs,
                double slotNs,
                double messageNs) {
            this(lookupNs, postNs, payloadNsPerByte, doorbellNs, completionNs, slotNs, messageNs, 0, 0, 0, 0, 0, 0);
        }
    }

    @Section(
            beside = Provenance.class,
            meaning = "Parameters of the read-size model (linear-probing paper, section 3.5).")
    public record Model(
            @Key(min = 0, max = SECOND_NS, meaning = "c of Eq. 3: cost of a 0-byte READ.")
            double fixedCostNs,

            @Key(min = 1, max = 1e15, meaning = "rho0: peak rate of 0-byte READs.")
            double peakMessagesPerSecond,

            @Key(min = 1, max = Integer.MAX_VALUE, meaning = "h: size of a 0-byte READ request.")
            int headerBytes) {}

    @Section(beside = Provenance.class, meaning = """
            Caches and capacities of a card. Each effect is off if its capacity is 0.""")
    public record Contention(
            @Key(min = 0, max = Integer.MAX_VALUE, meaning = "Queue pairs whose state the card caches.")
            int queuePairs,

            @Key(min = 0, max = SECOND_NS, meaning = "Added to a request of a queue pair whose state must be fetched.")
            double queuePairMissNs,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    Pages whose addresses the card caches, replaced at random.""")
            int translations,

            @Key(min = 1, max = Long.MAX_VALUE, meaning = "Page size of registered memory.")
            long pageBytes,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Added to a request for each page whose address must be fetched. A READ that continues one of the
                    last Responder.sequentialStreams of its queue pair finds the address that was fetched then, unless it
                    has been replaced since.""") double translationMissNs,

            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    Posted work requests that the card keeps. A request counts until its program has polled its completion and
                    posts again, or has polled all. With N of all programs of a machine, a READ or atomic must be fetched again
                    with probability 1 - outstanding / N.""")
            int outstanding,

            @Key(byDefault = "0", min = 0, max = Integer.MAX_VALUE, meaning = """
                    Queue pairs per set of the cache of queue pair states. The card of the machine that posts a request then looks up the
                    state as well. 0: the cache has no sets, and only serving cards look up states.""")
            int ways,

            @Key(byDefault = "0", min = 0, max = 1, meaning = """
                    With ways: probability that a missing state costs nothing because an earlier request of the queue pair still waits at
                    the card.""")
            double waitingHit,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Added to the sending time of a READ or atomic whose work request must be fetched again.""")
            double outstandingMissNs,

            @Key(byDefault = "0", min = 0, max = Integer.MAX_VALUE, meaning = """
                    The same number for WRITEs and SENDs.""")
            int outstandingWrites,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Added to the sending time of a WRITE or SEND whose work request must be fetched again.""")
            double outstandingWriteMissNs) {

        /** Cache of queue pair states without sets, and no cost of posted work requests. */
        public Contention(
                int queuePairs,
                double queuePairMissNs,
                int translations,
                long pageBytes,
                double translationMissNs,
                int outstanding) {
            this(queuePairs, queuePairMissNs, translations, pageBytes, translationMissNs, outstanding, 0, 0, 0, 0, 0);
        }

        /**
         * Returns the share of requests whose queue pair's state is missing if {@code inUse} queue pairs are used
         * equally often. With sets, the number of queue pairs per set has a Poisson distribution.
         */
        public double missShare(int inUse) {
            if (queuePairs == 0 || inUse == 0) {
                return 0;
            }
            if (ways == 0) {
                return Math.max(0, 1 - (double) queuePairs / inUse);
            }
            double perSet = (double) inUse * ways / queuePairs;
            double probability = StrictMath.exp(-perSet);
            double present = 0;
            double below = 0;
            for (int n = 0; n < ways; n++) {
                present += n * probability;
                below += probability;
                probability *= perSet / (n + 1);
            }
            return Math.max(0, 1 - (present + ways * (1 - below)) / perSet);
        }

        public static final Contention NONE = new Contention(0, 0, 0, 4096, 0, 0);

        /** Returns the mean extra sending time of a READ at this number of posted requests. */
        public double outstandingNs(double posted) {
            return outstanding == 0 || posted <= outstanding ? 0 : outstandingMissNs * (1 - outstanding / posted);
        }
    }

    @Section(beside = Provenance.class, meaning = """
            Remote hardware transactional memory, as the Nessie paper (2014, section 5) proposes it.""")
    public record Transactions(
            @Key(min = 1, max = Integer.MAX_VALUE, meaning = """
                    Words that open transactions have space for together. One more word aborts the transaction that began \
                    first. 0 for a card without transactions.""")
            int words,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Time to begin a transaction, and for each word it reads or writes, instead of Responder.messageNs. Reads \
                    and writes of several words take the time of READs and WRITEs.""") double wordNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Time to commit.")
            double commitNs) {

        public static final Transactions NONE = new Transactions(0, 0, 0);
    }

    @Section(beside = Provenance.class, meaning = """
            Resources shared by the machines of a cluster, and by the processes of a machine. Each effect is off if its constant is
            0.""")
    public record Cluster(
            @Key(min = 0, max = Integer.MAX_VALUE, meaning = """
                    Number of machines per switch, in their order: machines 0 to switchMachines - 1 are at the first.""")
            int switchMachines,

            @Key(min = 0, max = SECOND_NS, meaning = "Added to a round trip between machines at different switches.")
            double furtherSwitchesNs,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Added to a request's round trip for each request per microsecond that the serving card receives from other
                    queue pairs.""") double othersNsPerRate,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Time for which a process's access to 64 bytes of its own machine's part of a distributed table delays
                    those of the machine's other processes.""") double memoryNsPerLine) {

        public static final Cluster NONE = new Cluster(0, 0, 0, 0);
    }

    @Section(beside = Provenance.class, meaning = """
            Costs of operating-system calls, which delay only the calling thread.""")
    public record SetUp(
            @Key(min = 0, max = SECOND_NS, meaning = "Time to register memory, independent of its size.")
            double registerNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Additional time per registered byte.")
            double registerNsPerByte,

            @Key(min = 0, max = SECOND_NS, meaning = """
                    Time to deregister memory, independent of its size; until its end the memory is accessible.""") double deregisterNs,

            @Key(min = 0, max = SECOND_NS, meaning = "Additional time per deregistered byte.")
            double deregisterNsPerByte,

            @Key(min = 0, max = SECOND_NS, meaning = "Client's time to connect a queue pair.")
            double connectNs) {

        public static final SetUp NONE = new SetUp(0, 0, 0, 0, 0);
    }

    @Section(beside = Provenance.class, meaning = """
            One engine of a machine's card for sending and serving. Each effect is off if its constant is 0.""")
    public record Card(
            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Time for which a packet, sent or received, occupies the card's one engine, instead of Responder.messageNs and
                    Requester.messageNs. A READ or WRITE of one packet takes four such times, two at each machine. All packets of
                    a machine then leave by one wire.""")
            double packetNs,

            @Key(byDefault = "0", min = 0, max = Integer.MAX_VALUE, meaning = """
                    Header of each packet of a WRITE or SEND; with packetNs only.""")
            int writeHeaderBytes,

            @Key(byDefault = "0", min = 0, max = Integer.MAX_VALUE, meaning = """
                    Size of an acknowledgement on the wire; with packetNs only. 0: the card sends no acknowledgements.""")
            int acknowledgementBytes,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Time for which a doorbell locks a queue pair or a doorbell that several threads share; 0: sharing is not
                    possible.""")
            double lockNs,

            @Key(byDefault = "0", min = 0, max = 10, meaning = """
                    Exponent by which lockNs grows with the number of threads that hold the lock or wait for it; posting is then a
                    part of it. 0: no such growth.""")
            double lockGrowth,

            @Key(byDefault = "1", min = 1, max = 1000, meaning = """
                    Number of times for which a request takes the lock of a shared queue pair: to post it, and to poll for it.""")
            double lockTakes,

            @Key(byDefault = "0", min = 0, max = 1, meaning = """
                    1: the requests that a machine sends and those that it serves occupy one engine, for Requester.messageNs and
                    Responder.messageNs each, and Responder.payloadNsPerByte at both machines. Not with packetNs.""")
            int oneEngine,

            @Key(byDefault = "0", min = 0, max = Integer.MAX_VALUE, meaning = """
                    Payload for which oneEngine takes no extra time; each further piece of this size adds stepNs. 0: no such steps.""")
            int stepBytes,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = "Time of a step, at both machines.")
            double stepNs) {

        /** Returns the extra time of a payload in the one engine of a machine. */
        public double stepsNs(double bytes) {
            return stepBytes == 0 ? 0 : stepNs * Math.ceil(Math.max(0, bytes - stepBytes) / stepBytes);
        }

        /** Returns true if it models delivery of messages only, without acknowledgements. */
        public boolean takesMessagesOnly() {
            return packetNs > 0 && acknowledgementBytes == 0;
        }

        /** Separate engines for sending and serving. */
        public static final Card NONE = new Card(0, 0, 0, 0, 0, 1, 0, 0, 0);
    }

    @Section(beside = Provenance.class, meaning = """
            The slot (PCIe) of the card. A packet of a message passes three stages: slot, link, slot of the other machine. Each takes
            the time of the slower of link and slot. With Card.packetNs, the engine instead waits for each payload that it fetches from
            memory over the slot.""")
    public record Slot(
            @Key(min = 0, max = 1e15, meaning = "Bandwidth of one direction, packet headers included.")
            double bytesPerSecond,

            @Key(byDefault = "256", min = 1, max = Integer.MAX_VALUE, meaning = "Payload of one bus packet.")
            int packetBytes,

            @Key(byDefault = "24", min = 0, max = Integer.MAX_VALUE, meaning = "Header of each bus packet.")
            int packetHeaderBytes,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Time per byte that the card writes to memory for requests of its own machine: payload of replies, completions, and
                    the headers of their bus packets. 0: only the payload passes the slot.""")
            double receivedNsPerByte) {
        /** Size of a completion: rdma-core, providers/mlx5/mlx5dv.h, struct mlx5_cqe64. */
        private static final int COMPLETION_BYTES = 64;

        /** Slot without costs of completions. */
        public Slot(double bytesPerSecond, int packetBytes, int packetHeaderBytes) {
            this(bytesPerSecond, packetBytes, packetHeaderBytes, 0);
        }

        /** Returns the time for which a reply's payload and, if {@code signaled}, its completion occupy the slot. */
        public double receivedNs(long bytes, boolean signaled) {
            long packets = (bytes + packetBytes - 1) / packetBytes + (signaled ? 1 : 0);
            return receivedNsPerByte * (bytes + (signaled ? COMPLETION_BYTES : 0) + packets * packetHeaderBytes);
        }

        /** Returns the time of a payload in the slot, with the headers of its bus packets; 0 without a slot. */
        public double fetchNs(long bytes) {
            long packets = (bytes + packetBytes - 1) / packetBytes;
            return bytesPerSecond == 0 ? 0 : (bytes + packets * packetHeaderBytes) * 1e9 / bytesPerSecond;
        }

        public static final Slot NONE = new Slot(0, 256, 24);
    }

    @Section(beside = Provenance.class, meaning = """
            Latency of packets, WRITEs and SENDs. The first packet of a message passes the stages one after another; later packets
            follow at the pace of one stage.""")
    public record Transfer(
            @Key(byDefault = "3", min = 1, max = 1000, meaning = """
                    Latency of a message's first packet in times of one stage; only with section Slot.""")
            double stages,

            @Key(byDefault = "1", above = 0, max = 1, meaning = """
                    Part of the bandwidth of link and slot that WRITEs and SENDs reach; only with section Slot.""")
            double efficiency,

            @Key(byDefault = "1", above = 0, max = 1, meaning = "The same for READs.")
            double readEfficiency,

            @Key(byDefault = "0", min = 0, max = 1, meaning = """
                    Latency of an idle WRITE of no bytes, from post until a program at the other machine finds it in memory, as part of a
                    READ's. 0: half of the time outside the cards is on the way there.""")
            double writeShare,

            @Key(byDefault = "0", min = 0, max = 1, meaning = """
                    The same for a SEND, until the other program has its completion; 0: as for a WRITE.""")
            double sendShare,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Time for which the card fetches the payload of a WRITE or SEND before it can leave, unless it is posted inline.""")
            double payloadFetchNs,

            @Key(byDefault = "0", min = 0, max = Integer.MAX_VALUE, meaning = "Largest payload that is posted inline.")
            int inlineBytes,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Added to Client.postNs per byte that is posted inline.""")
            double inlineNsPerByte,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Shortest time between two READs of a queue pair, in addition to the time of the first one's payload in a stage.""")
            double readGapNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = "The same for SENDs.")
            double sendGapNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Time by which the acknowledgement of a WRITE or SEND is back earlier than the reply to a READ, which the other
                    card fetches from memory first.""")
            double acknowledgedEarlierNs,

            @Key(byDefault = "0", min = 0, max = SECOND_NS, meaning = """
                    Time of a WRITE or SEND in the sending and in the serving stage; 0: Requester.messageNs and
                    Responder.messageNs.""")
            double writeMessageNs) {

        /** Returns the time of a WRITE or SEND in a stage that takes {@code ofReadsNs} for a READ. */
        public double messageNs(double ofReadsNs) {
            return writeMessageNs > 0 ? writeMessageNs : ofReadsNs;
        }

        /** Latencies without gaps between messages, and with the same service time for all kinds of requests. */
        public Transfer(
                double stages,
                double efficiency,
                double readEfficiency,
                double writeShare,
                double sendShare,
                double payloadFetchNs,
                int inlineBytes,
                double inlineNsPerByte) {
            this(
                    stages,
                    efficiency,
                    readEfficiency,
                    writeShare,
                    sendShare,
                    payloadFetchNs,
                    inlineBytes,
                    inlineNsPerByte,
                    0,
                    0,
                    0,
                    0);
        }

        public static final Transfer NONE = new Transfer(3, 1, 1, 0, 0, 0, 0, 0);
    }

    @Section(beside = Provenance.class, meaning = """
            Times at which a card sends a lost request again, and at which it gives up. T is connection.timeout, R
            connection.retry-count; the nominal timeout is 4.096 us x 2^T. Without the section, R retransmissions follow
            at multiples of the nominal timeout, and the card gives up after R + 1 of them.""")
    public record Retransmission(
            @Key(min = 0, max = 31, meaning = "Smallest exponent of the card; a smaller T acts like it.")
            int timeoutFloor,

            @Key(min = 0, max = 1000, meaning = """
                    Interval of the regular retransmissions, in nominal timeouts; 0 for a card without floor.""") double interval,

            @Key(min = 0, max = SECOND_NS * 1000, meaning = """
                    Times of the adaptive retransmissions since the loss, in ascending order. Together they spend one
                    retry.""")
            List<Double> adaptiveNs,

            @Key(min = 0, max = 1000, meaning = """
                    End of the adaptive retransmissions, in intervals: then come the first regular one and R - 2 further
                    ones, and the card gives up.""") double adaptiveIntervals,

            @Key(min = 0, max = 1000, meaning = """
                    With connection.timeout-floor: none, the first timeout, which sends nothing, in nominal timeouts. R
                    retransmissions follow, one per nominal timeout.""") double firstTimeout) {

        public static final Retransmission NONE = new Retransmission(0, 0, List.of(), 0, 0);

        public Retransmission {
            adaptiveNs = List.copyOf(adaptiveNs);
        }
    }

    public enum Basis {
        /** Directly measured by a calibration. */
        MEASURED,
        /** Limit that a measurement sets; the true value is on one side of it. */
        BOUND,
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
                    Basis of the value: measured, bound (the limit that a measurement sets), published (printed in the source),
                    fitted to the named points, derived from other values, assumed, or ceiling (the vendor's maximum).""") Basis basis,

            @Key(
                    allowed = "a source in words",
                    meaning = "Paper and section, or specification; for a fitted value, the points.")
            String source,

            @Key(optional = true, meaning = """
                    Range of the value: [low, high], which 5 % and 95 % of its distribution are below. Without it: a factor of 1.03 up
                    and down for measured and published times, rates and shares (of a share, its odds), 1.07 for fitted, 2 for
                    assumed, 1.25 for bound, 1.25 down for ceiling; none for derived and for whole numbers.""") List<Double> interval) {

        public Provenance {
            interval = List.copyOf(interval);
        }
    }
}
