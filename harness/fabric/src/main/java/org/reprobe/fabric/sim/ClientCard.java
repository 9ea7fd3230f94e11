package org.reprobe.fabric.sim;

import org.jspecify.annotations.Nullable;

/**
 * Sending side of a machine's card: a FIFO stage for requests, and the wire behind it. Also the machine's memory, which
 * its processes access one at a time.
 */
final class ClientCard {
    private final CardTimes times;
    private final @Nullable PacketEngine engine;
    private long busyPs;
    private long requestWirePs;
    private long memoryPs;

    /** @param engine the card's engine for sending and serving; null if sending has a stage of its own */
    ClientCard(CardTimes times, @Nullable PacketEngine engine) {
        this.times = times;
        this.engine = engine;
    }

    /** Occupies the machine's memory for {@code ps}, after earlier accesses; returns the end time. */
    long accessMemory(long nowPs, long ps) {
        memoryPs = Math.max(nowPs, memoryPs) + ps;
        return memoryPs;
    }

    /** Adds {@code ps} to the sending time of the request that is ready at {@code readyPs}. */
    void hold(long readyPs, long ps) {
        if (engine != null) {
            engine.hold(ps);
        } else {
            busyPs = Math.max(readyPs, busyPs) + ps;
        }
    }

    /**
     * Returns the earliest time at which a request is accepted. A separate stage accepts one when it is free. A shared
     * engine accepts one at once: it handles sent and arriving packets in order of readiness, and arrivals may keep it
     * busy forever.
     */
    long freeAt() {
        return engine == null ? busyPs : 0;
    }

    /**
     * Sends a request that is ready at {@code readyPs}; returns the departure time of its last byte.
     *
     * @param bytes payload of the request: 0 for a READ or atomic, whose data is in the reply
     */
    long send(long readyPs, int bytes, boolean bringsBack) {
        if (engine != null) {
            engine.at(readyPs);
            return engine.send(
                    readyPs,
                    bytes,
                    bringsBack ? times.requestHeaderBytes() : times.card().writeHeaderBytes());
        }
        busyPs = Math.max(readyPs, busyPs) + times.requesterPs();
        requestWirePs = Math.max(busyPs, requestWirePs) + times.wirePs(bytes, times.requestHeaderBytes());
        return requestWirePs;
    }

    long receive(long arrivePs, int bytes) {
        return engine == null ? arrivePs : engine.receive(arrivePs, bytes);
    }

    long acknowledged(long arrivePs) {
        return engine == null ? arrivePs : engine.acknowledged(arrivePs);
    }
}
