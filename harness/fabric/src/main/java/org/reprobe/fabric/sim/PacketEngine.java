package org.reprobe.fabric.sim;

import org.jspecify.annotations.Nullable;

/**
 * Single engine of a card, and the wire on which all packets leave. The engine handles either each packet that its
 * machine sends or receives, as client or server, or each request as a whole: once at the client's machine, with its
 * reply, and once at the server's.
 */
final class PacketEngine {
    private final CardTimes times;
    private final Stage engine = new Stage();
    private final Stage wire = new Stage();
    private final @Nullable PacketStages stages;
    private long nowPs;
    private long heldPs;
    private long beganPs;

    /** @param stages ways of payload; null if a message leaves by the wire as a whole */
    PacketEngine(CardTimes times, @Nullable PacketStages stages) {
        this.times = times;
        this.stages = stages;
    }

    void at(long ps) {
        nowPs = ps;
    }

    /** Adds {@code ps} to the next work item. */
    void hold(long ps) {
        heldPs += ps;
    }

    /**
     * Sends a request with {@code bytes} bytes of payload, in the reply for a READ; returns the departure time of its
     * last byte.
     */
    long send(long readyPs, int bytes, boolean bringsBack) {
        int sentBytes = bringsBack ? 0 : bytes;
        int headerBytes = bringsBack ? times.requestHeaderBytes() : times.card().writeHeaderBytes();
        if (times.card().handlesPackets()) {
            long ps = times.packets(sentBytes) * times.card().packetPs()
                    + times.card().fetchPs(sentBytes);
            return leave(readyPs, ps, fetchLaterPs(sentBytes), sentBytes, headerBytes, false);
        }
        long payloadPs = payloadPs(bytes);
        long sendPs = bringsBack ? times.requesterPs() : times.transfer().requesterPs();
        return leave(readyPs, sendPs + payloadPs, payloadPs, sentBytes, headerBytes, false);
    }

    /** Returns the time to fetch the payload of all packets but the first. */
    private long fetchLaterPs(int bytes) {
        return times.card().fetchPs(Math.max(0, bytes - times.mtuBytes()));
    }

    private long payloadPs(int bytes) {
        return bytes * times.payloadPsPerByte() + times.card().stepsPs(bytes);
    }

    /**
     * Receives a request whose reply has no payload, and acknowledges it; returns the departure time of the
     * acknowledgement.
     */
    long acknowledge(long arrivePs, int bytes, long randomAccessPs) {
        if (!times.card().handlesPackets()) {
            long payloadPs = payloadPs(bytes);
            return work(arrivePs, times.transfer().messagePs() + randomAccessPs + payloadPs) - payloadPs;
        }
        long workPs = randomAccessPs + bytes * times.payloadPsPerByte();
        long ps = times.packets(bytes) * times.card().packetPs() + workPs;
        return times.card().hasAcknowledgements()
                ? leave(
                        arrivePs,
                        ps + times.card().packetPs(),
                        0,
                        0,
                        times.card().acknowledgementBytes(),
                        false)
                : work(arrivePs, ps);
    }

    long acknowledged(long arrivePs) {
        return times.card().hasAcknowledgements() ? receive(arrivePs, 0) : arrivePs;
    }

    long receive(long arrivePs, int bytes) {
        if (!times.card().handlesPackets()) {
            return arrivePs;
        }
        return engine.take(nowPs, arrivePs, times.packets(bytes) * times.card().packetPs(), 0);
    }

    /** Serves a request and sends the reply; returns the departure time of its last byte. */
    long serve(long arrivePs, long randomAccessPs, int bytes, int headerBytes) {
        if (!times.card().handlesPackets()) {
            long payloadPs = payloadPs(bytes);
            return leave(arrivePs, times.messagePs() + randomAccessPs + payloadPs, payloadPs, bytes, headerBytes, true);
        }
        long workPs =
                randomAccessPs + bytes * times.payloadPsPerByte() + times.card().fetchPs(bytes);
        long packets = 1 + times.packets(bytes);
        // The first packet leaves when it has been fetched; later ones are fetched while earlier ones are on the wire.
        int later = Math.max(0, bytes - times.mtuBytes());
        long afterFirstPs = (times.packets(bytes) - 1) * times.card().packetPs()
                + later * times.payloadPsPerByte()
                + fetchLaterPs(bytes);
        return leave(arrivePs, packets * times.card().packetPs() + workPs, afterFirstPs, bytes, headerBytes, true);
    }

    /** Performs work whose total time, including its packets, is {@code ps}; returns the end time. */
    long work(long arrivePs, long ps) {
        return work(arrivePs, ps, 1);
    }

    private long work(long arrivePs, long ps, long packets) {
        long donePs = engine.take(nowPs, arrivePs, ps + heldPs, packets);
        beganPs = donePs - ps - heldPs;
        heldPs = 0;
        return donePs;
    }

    /** Returns the time at which the engine began with the last request. */
    long beganPs() {
        return beganPs;
    }

    /** Puts a reply without payload on the wire, after the engine has handled it; returns its departure time. */
    long reply(long readyPs, int headerBytes) {
        return stages == null ? wire.take(nowPs, readyPs, times.wirePs(0, headerBytes)) : readyPs;
    }

    private long leave(long readyPs, long ps, long afterFirstPs, int bytes, int headerBytes, boolean read) {
        long packets = payloadPackets(bytes);
        long donePs = work(readyPs, ps, packets);
        long firstPs = Math.max(readyPs, donePs - afterFirstPs);
        long leftPs = stages == null
                ? wire.take(nowPs, firstPs, times.wirePs(bytes, headerBytes), packets)
                : stages.leave(nowPs, firstPs, bytes, read);
        return times.card().handlesPackets() ? Math.max(donePs, leftPs) : leftPs;
    }

    /** Returns the number of packets that others can pass; 1 for an engine that handles whole requests. */
    private long payloadPackets(int bytes) {
        return !times.card().handlesPackets() ? 1 : bytes == 0 ? 0 : times.packets(bytes);
    }

    void reset() {
        engine.reset();
        wire.reset();
        nowPs = 0;
        heldPs = 0;
        beganPs = 0;
    }
}
