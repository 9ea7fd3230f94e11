package org.reprobe.fabric.sim;

import org.jspecify.annotations.Nullable;

/**
 * Single engine of a card, and the wire on which all packets leave. The engine handles each packet that its machine
 * sends or receives, as client or server.
 */
final class PacketEngine {
    private final CardTimes times;
    private final Stage engine = new Stage();
    private final Stage wire = new Stage();
    private final @Nullable PacketStages stages;
    private long nowPs;
    private long heldPs;

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

    /** Sends a message with {@code bytes} bytes of payload; returns the departure time of its last byte. */
    long send(long readyPs, int bytes, int headerBytes) {
        return leave(readyPs, times.packets(bytes) * times.card().packetPs(), 0, bytes, headerBytes, false);
    }

    /**
     * Receives a request whose reply has no payload, and acknowledges it; returns the departure time of the
     * acknowledgement.
     */
    long acknowledge(long arrivePs, int bytes, long workPs) {
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
        return engine.take(nowPs, arrivePs, times.packets(bytes) * times.card().packetPs());
    }

    /**
     * Serves a request and sends the reply; returns the departure time of its last byte.
     *
     * @param workPs time in addition to the time per packet
     */
    long serve(long arrivePs, long workPs, int bytes, int headerBytes) {
        long packets = 1 + times.packets(bytes);
        // The first packet leaves when it has been fetched; later ones are fetched while earlier ones are on the wire.
        int later = Math.max(0, bytes - times.mtuBytes());
        long afterFirstPs = (times.packets(bytes) - 1) * times.card().packetPs() + later * times.payloadPsPerByte();
        return leave(arrivePs, packets * times.card().packetPs() + workPs, afterFirstPs, bytes, headerBytes, true);
    }

    /** Performs work whose total time, including its packets, is {@code ps}; returns the end time. */
    long work(long arrivePs, long ps) {
        long donePs = engine.take(nowPs, arrivePs, ps + heldPs);
        heldPs = 0;
        return donePs;
    }

    /** Puts a reply without payload on the wire, after the engine has handled it; returns its departure time. */
    long reply(long readyPs, int headerBytes) {
        return stages == null ? wire.take(nowPs, readyPs, times.wirePs(0, headerBytes)) : readyPs;
    }

    private long leave(long readyPs, long ps, long afterFirstPs, int bytes, int headerBytes, boolean read) {
        long donePs = work(readyPs, ps);
        if (stages != null) {
            return stages.leave(nowPs, donePs, bytes, read);
        }
        long firstPs = Math.max(readyPs, donePs - afterFirstPs);
        return Math.max(donePs, wire.take(nowPs, firstPs, times.wirePs(bytes, headerBytes)));
    }

    void reset() {
        engine.reset();
        wire.reset();
        nowPs = 0;
        heldPs = 0;
    }
}
