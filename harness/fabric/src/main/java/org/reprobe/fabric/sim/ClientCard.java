package org.reprobe.fabric.sim;

import org.jspecify.annotations.Nullable;

/**
 * What a machine's card sends: one FIFO stage for requests, then the wire that carries them. And the machine's memory,
 * which its processes access one after the other.
 */
final class ClientCard {
    private final CardTimes times;
    private final @Nullable PacketEngine engine;
    private long busyPs;
    private long requestWirePs;
    private long memoryPs;

    /** @param engine that serves as well; null for a stage of its own */
    ClientCard(CardTimes times, @Nullable PacketEngine engine) {
        this.times = times;
        this.engine = engine;
    }

    /** A process accesses the machine's memory for {@code ps}, once others have; returns when it is done. */
    long accessMemory(long nowPs, long ps) {
        memoryPs = Math.max(nowPs, memoryPs) + ps;
        return memoryPs;
    }

    /** Holds the sending stage for {@code ps} more than the request that is ready then takes. */
    void hold(long readyPs, long ps) {
        if (engine != null) {
            engine.hold(ps);
        } else {
            busyPs = Math.max(readyPs, busyPs) + ps;
        }
    }

    /**
     * When it can take a request: a stage of its own when it is free; an engine at once, since it does what it sends and what comes in the
     * order in which either is ready, and what comes in may keep it busy for ever.
     */
    long freeAt() {
        return engine == null ? busyPs : 0;
    }

    /**
     * Sends a request that the queue pair has ready at {@code readyPs}.
     *
     * @param bytes payload: 0 for a READ
     * @param bringsBack whether it is a READ or an atomic, of which the payload comes with the answer
     * @return when its last byte has left
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

    /**
     * Receives an answer.
     *
     * @param bytes its payload
     * @return when it has
     */
    long receive(long arrivePs, int bytes) {
        return engine == null ? arrivePs : engine.receive(arrivePs, bytes);
    }

    /** Receives an acknowledgement; returns when it has. */
    long acknowledged(long arrivePs) {
        return engine == null ? arrivePs : engine.acknowledged(arrivePs);
    }
}
