package org.reprobe.fabric.sim;

/**
 * The one engine of a card, which handles each packet that its machine sends or receives, whoever asks and whoever answers, and the wire on
 * which all of them leave.
 */
final class PacketEngine {
    private final CardTimes times;
    private final Stage engine = new Stage();
    private final Stage wire = new Stage();
    private long nowPs;
    private long heldPs;

    PacketEngine(CardTimes times) {
        this.times = times;
    }

    /** Nothing that it is asked for from now on comes earlier. */
    void at(long ps) {
        nowPs = ps;
    }

    /** What it is asked for next takes {@code ps} longer. */
    void hold(long ps) {
        heldPs += ps;
    }

    /**
     * Sends a message.
     *
     * @param bytes payload
     * @return when its last byte has left
     */
    long send(long readyPs, int bytes, int headerBytes) {
        return leave(readyPs, times.packets(bytes) * times.card().packetPs(), 0, bytes, headerBytes);
    }

    /** Receives a request without an answer of its own, and acknowledges it; returns when that has left. */
    long acknowledge(long arrivePs, int bytes, long workPs) {
        long ps = times.packets(bytes) * times.card().packetPs() + workPs;
        return times.card().hasAcknowledgements()
                ? leave(
                        arrivePs,
                        ps + times.card().packetPs(),
                        0,
                        0,
                        times.card().acknowledgementBytes())
                : work(arrivePs, ps);
    }

    /** Receives an acknowledgement; returns when it has. */
    long acknowledged(long arrivePs) {
        return times.card().hasAcknowledgements() ? receive(arrivePs, 0) : arrivePs;
    }

    /** Receives a message; returns when it has. */
    long receive(long arrivePs, int bytes) {
        return engine.take(nowPs, arrivePs, times.packets(bytes) * times.card().packetPs());
    }

    /**
     * Serves a request and sends the answer.
     *
     * @param workPs what takes time besides packets
     * @param bytes payload of the answer
     * @return when the last byte of the answer has left
     */
    long serve(long arrivePs, long workPs, int bytes, int headerBytes) {
        long packets = 1 + times.packets(bytes);
        // The first packet leaves when it has been fetched; later ones are fetched while earlier ones are on the wire.
        int later = Math.max(0, bytes - times.mtuBytes());
        long afterFirstPs = (times.packets(bytes) - 1) * times.card().packetPs() + later * times.payloadPsPerByte();
        return leave(arrivePs, packets * times.card().packetPs() + workPs, afterFirstPs, bytes, headerBytes);
    }

    /** Does something of which the time is known as a whole, its packets with it; returns when it is done. */
    long work(long arrivePs, long ps) {
        long donePs = engine.take(nowPs, arrivePs, ps + heldPs);
        heldPs = 0;
        return donePs;
    }

    /** Puts an answer without payload, whose packet the engine has done, on the wire; returns when it has left. */
    long reply(long readyPs, int headerBytes) {
        return wire.take(nowPs, readyPs, times.wirePs(0, headerBytes));
    }

    private long leave(long readyPs, long ps, long afterFirstPs, int bytes, int headerBytes) {
        long donePs = work(readyPs, ps);
        long firstPs = Math.max(readyPs, donePs - afterFirstPs);
        return Math.max(donePs, wire.take(nowPs, firstPs, times.wirePs(bytes, headerBytes)));
    }

    /** Forgets the traffic of an earlier run. */
    void reset() {
        engine.reset();
        wire.reset();
        nowPs = 0;
        heldPs = 0;
    }
}
