package org.reprobe.fabric.sim;

import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.CpuCosts;

/**
 * Constants of a NIC profile in whole picoseconds, so that virtual time is exact and the same on every machine.
 *
 * @param outwardPs time that an idle 0-byte READ spends on its way to the server outside the stages below and outside
 *     {@code hostPs}: propagation, switches, the server's bus
 * @param backPs the same on the way back
 * @param hostPs time from host to card, and the same from card to host
 */
record CardTimes(
        long requesterPs,
        long fetchPs,
        int prefetch,
        boolean fetchPerDoorbell,
        long outwardPs,
        long backPs,
        long hostPs,
        double jitterSigma,
        double slowdownPerThread,
        double writeSlowdownPerThread,
        long messagePs,
        long randomAccessPs,
        long payloadPsPerByte,
        long atomicPs,
        long atomicSameAddressPs,
        int sequentialStreams,
        long wirePsPerByte,
        int mtuBytes,
        int requestHeaderBytes,
        int responseHeaderBytes,
        CpuCosts cpuCosts,
        long postPs,
        long readPs,
        long sendPs,
        long writePs,
        long postPsPerByte,
        long doorbellPs,
        long completionPs,
        Contention contention,
        Transactional transactions,
        Cluster cluster,
        SetUp setUp,
        Card card,
        Transfer transfer) {

    /**
     * Costs of sending and serving.
     *
     * @param packetPs time per packet of the single engine that sends and serves; 0 if it takes its time per request,
     *     or for separate engines
     * @param acknowledgementBytes size of an acknowledgement; 0 if acknowledgements cost nothing
     * @param lockTakes holds per request of a shared queue pair, of which posting is one
     */
    record Card(
            long packetPs,
            int writeHeaderBytes,
            int acknowledgementBytes,
            PostingLock.Holds lockHolds,
            double lockTakes,
            boolean oneEngine,
            int stepBytes,
            long stepPs,
            NicProfile.Slot slot) {
        static Card of(NicProfile.Card nic, NicProfile.Slot slot) {
            return new Card(
                    ps(nic.packetNs()),
                    nic.writeHeaderBytes(),
                    nic.acknowledgementBytes(),
                    new PostingLock.Holds(nic.lockNs() * 1000, nic.lockGrowth()),
                    nic.lockTakes(),
                    nic.oneEngine() == 1,
                    nic.stepBytes(),
                    ps(nic.stepNs()),
                    slot);
        }

        boolean hasOneEngine() {
            return handlesPackets() || oneEngine;
        }

        /** Returns true if the one engine takes its time per packet, not per request. */
        boolean handlesPackets() {
            return packetPs > 0;
        }

        long stepsPs(int bytes) {
            return stepBytes == 0 || bytes <= stepBytes ? 0 : (bytes - 1) / stepBytes * stepPs;
        }

        /** Returns the time for which an engine that handles packets waits for a payload from memory. */
        long fetchPs(long bytes) {
            return ps(slot.fetchNs(bytes));
        }

        boolean countsReceived() {
            return slot.receivedNsPerByte() > 0;
        }

        /** Returns the time for which a reply and, if {@code signaled}, its completion occupy the slot. */
        long receivedPs(long bytes, boolean signaled) {
            return ps(slot.receivedNs(bytes, signaled));
        }

        boolean hasAcknowledgements() {
            return acknowledgementBytes > 0;
        }
    }

    /**
     * Times of payload on its way.
     *
     * @param psPerByte time of a packet stage per byte; 0 for a profile without packet stages
     * @param stepPsPerByte delay between the ends of two successive stages, per byte of the first packet
     * @param sendPs extra time of a SEND until its completion at the receiver
     * @param fetchPs time to fetch a payload that is not inline
     * @param jitters true if jitter delays WRITEs and SENDs on their way, false if only their completions
     * @param readGapPs shortest time between two READs of a queue pair, besides that of the payload
     * @param sendGapPs the same for SENDs
     * @param earlierPs time by which an acknowledgement is back earlier than a READ's reply
     * @param requesterPs time of a WRITE or SEND in the sending stage
     * @param messagePs the same in the serving stage
     */
    record Transfer(
            double psPerByte,
            double readPsPerByte,
            double stepPsPerByte,
            long sendPs,
            long fetchPs,
            int inlineBytes,
            double inlinePsPerByte,
            boolean jitters,
            long readGapPs,
            long sendGapPs,
            long earlierPs,
            long requesterPs,
            long messagePs) {
        static Transfer of(NicProfile nic, double requesterNs, double messageNs) {
            NicProfile.Transfer transfer = nic.transfer();
            double psPerByte = nic.packetNsPerByte(false) * 1000;
            return new Transfer(
                    psPerByte,
                    nic.packetNsPerByte(true) * 1000,
                    (transfer.stages() - 1) / 2 * psPerByte,
                    ps(nic.sendNs()),
                    ps(transfer.payloadFetchNs()),
                    transfer.inlineBytes(),
                    transfer.inlineNsPerByte() * 1000,
                    transfer.writeShare() > 0,
                    ps(transfer.readGapNs()),
                    ps(transfer.sendGapNs()),
                    ps(transfer.acknowledgedEarlierNs()),
                    ps(orElse(transfer.writeMessageNs(), requesterNs)),
                    ps(orElse(transfer.writeMessageNs(), messageNs)));
        }

        boolean hasStages() {
            return psPerByte > 0;
        }

        /** Returns the time for which a payload occupies a packet stage. */
        long stagePs(int bytes, boolean read) {
            return (long) (bytes * (read ? readPsPerByte : psPerByte));
        }

        /** Returns the CPU time to copy a payload into its work request. */
        long inlinePs(int bytes) {
            return (long) (bytes * inlinePsPerByte);
        }
    }

    /** Costs of resources that a cluster's machines or processes share; 0 for none. */
    record Cluster(int switchMachines, long furtherSwitchesPs, double othersPsPerRate, long memoryPsPerLine) {
        static Cluster of(NicProfile.Cluster nic) {
            return new Cluster(
                    nic.switchMachines(),
                    ps(nic.furtherSwitchesNs()),
                    nic.othersNsPerRate() * 1000,
                    ps(nic.memoryNsPerLine()));
        }

        boolean apart(int machine, int other) {
            return switchMachines > 0 && machine / switchMachines != other / switchMachines;
        }
    }

    /** Costs of registering memory and connecting, in the operating system. */
    record SetUp(
            long registerPs, double registerPsPerByte, long deregisterPs, double deregisterPsPerByte, long connectPs) {
        static SetUp of(NicProfile.SetUp nic) {
            return new SetUp(
                    ps(nic.registerNs()),
                    nic.registerNsPerByte() * 1000,
                    ps(nic.deregisterNs()),
                    nic.deregisterNsPerByte() * 1000,
                    ps(nic.connectNs()));
        }

        long registerPs(long bytes) {
            return registerPs + (long) (bytes * registerPsPerByte);
        }

        long deregisterPs(long bytes) {
            return deregisterPs + (long) (bytes * deregisterPsPerByte);
        }
    }

    /**
     * Costs of transactions at the serving card.
     *
     * @param words maximum number of words per transaction; 0 for a card without transactions
     */
    record Transactional(int words, long wordPs, long commitPs) {
        static Transactional of(NicProfile.Transactions nic) {
            return new Transactional(nic.words(), ps(nic.wordNs()), ps(nic.commitNs()));
        }
    }

    /**
     * Cache capacities of a card and costs of misses; a capacity of 0 is unlimited.
     *
     * @param pageShift pages have 2^pageShift bytes
     * @param replacedPerFetch rate at which each fetch of a translation replaces the one that an earlier READ fetched
     *     and a READ that continues it needs
     */
    record Contention(
            int queuePairs,
            long queuePairMissPs,
            int translations,
            int pageShift,
            long translationMissPs,
            double replacedPerFetch,
            int outstanding,
            int ways,
            double waitingHit,
            double outstandingMissPs,
            int outstandingWrites,
            double outstandingWriteMissPs) {
        static Contention of(NicProfile.Contention nic, Miniature miniature) {
            int translations = nic.translations();
            return new Contention(
                    nic.queuePairs(),
                    ps(nic.queuePairMissNs()),
                    translations == 0 ? 0 : (int) Math.max(1, Math.round(translations / miniature.memory())),
                    Math.max(0, Long.SIZE - Long.numberOfLeadingZeros(nic.pageBytes() - 1)),
                    ps(nic.translationMissNs()),
                    translations == 0 ? 0 : miniature.requests() / translations,
                    nic.outstanding(),
                    nic.ways(),
                    nic.waitingHit(),
                    nic.outstandingMissNs() * 1000,
                    nic.outstandingWrites(),
                    nic.outstandingWriteMissNs() * 1000);
        }

        /** Returns true if the card that sends a request looks up its queue pair's state, as the serving one does. */
        boolean atBothEnds() {
            return queuePairs > 0 && ways > 0;
        }

        /** Returns true if the serving side has no limits. */
        boolean isNone() {
            return queuePairs == 0 && translations == 0;
        }

        /** Returns the mean time to fetch a work request again, with this number of posted ones. */
        long outstandingPs(int posted, boolean bringsBack) {
            int kept = bringsBack ? outstanding : outstandingWrites;
            if (kept == 0 || posted <= kept) {
                return 0;
            }
            return (long) ((bringsBack ? outstandingMissPs : outstandingWriteMissPs) * (posted - kept) / posted);
        }
    }

    /** The 90th percentile of a standard normal variable. */
    private static final double Z90 = 1.2815515655446004;

    static CardTimes of(NicProfile nic, Miniature miniature) {
        long wire = ps(1e9 / nic.link().bytesPerSecond());
        Card card = Card.of(nic.card(), nic.slot());
        long message =
                card.handlesPackets() ? 2 * card.packetPs() : ps(nic.responder().messageNs());
        long requester =
                card.handlesPackets() ? card.packetPs() : ps(nic.requester().messageNs());
        long host = ps(nic.requester().hostNs() / 2);
        Transfer transfer = Transfer.of(nic, requester / 1e3, message / 1e3);
        long outwardStaged = 2 * host + requester + message + wire * nic.link().requestHeaderBytes();
        long staged = outwardStaged
                + card.packetPs() // to receive the reply
                + (transfer.hasStages() ? 0 : wire * nic.link().responseHeaderBytes());
        long fixed = Math.max(0, ps(nic.requester().roundTripNs()) - staged);
        long outward =
                nic.transfer().writeShare() == 0 ? fixed / 2 : Math.clamp(ps(nic.writeNs()) - outwardStaged, 0, fixed);
        return new CardTimes(
                requester,
                ps(nic.requester().workRequestFetchNs()),
                nic.requester().workRequestPrefetch(),
                nic.requester().fetchPerDoorbell() == 1,
                outward,
                nic.transfer().writeShare() == 0 ? outward : fixed - outward,
                host,
                StrictMath.log(nic.requester().jitter()) / Z90,
                nic.client().slowdownPerThread(),
                orElse(nic.client().writeSlowdownPerThread(), nic.client().slowdownPerThread()),
                message,
                ps(nic.responder().randomAccessNs()),
                ps(nic.responder().payloadNsPerByte()),
                ps(nic.responder().atomicNs()),
                ps(nic.responder().atomicSameAddressNs()),
                nic.responder().sequentialStreams(),
                wire,
                nic.link().mtuBytes(),
                nic.link().requestHeaderBytes(),
                nic.link().responseHeaderBytes(),
                new CpuCosts(
                        ps(nic.client().lookupNs()),
                        ps(nic.client().slotNs()),
                        ps(nic.client().messageNs()),
                        ps(nic.client().messageNsPerByte())),
                ps(nic.client().postNs()),
                ps(nic.client().readNs()),
                ps(nic.client().sendNs()),
                ps(nic.client().writeNs()),
                ps(nic.client().payloadNsPerByte()),
                ps(nic.client().doorbellNs()),
                ps(nic.client().completionNs()),
                Contention.of(nic.contention(), miniature),
                Transactional.of(nic.transactions()),
                Cluster.of(nic.cluster()),
                SetUp.of(nic.setUp()),
                card,
                transfer);
    }

    /** Returns true if a READ or WRITE that continues an earlier one is served faster. */
    boolean distinguishesSequential() {
        return randomAccessPs > 0 || contention.translations() > 0;
    }

    /** Returns the wire time of a message with {@code bytes} bytes of payload and a header per packet. */
    long wirePs(long bytes, int headerBytes) {
        return (bytes + packets(bytes) * headerBytes) * wirePsPerByte;
    }

    /** Returns the number of packets of a message, at least 1. */
    long packets(long bytes) {
        return bytes <= mtuBytes ? 1 : (bytes + mtuBytes - 1) / mtuBytes;
    }

    /** Returns a constant of WRITEs, or that of READs if it is not stated. */
    private static double orElse(double ofWrites, double ofReads) {
        return ofWrites == 0 ? ofReads : ofWrites;
    }

    private static long ps(double ns) {
        return Math.round(ns * 1000);
    }
}
