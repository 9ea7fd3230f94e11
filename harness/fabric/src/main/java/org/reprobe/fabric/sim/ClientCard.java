package org.reprobe.fabric.sim;

import org.jspecify.annotations.Nullable;

/**
 * Sending side of a machine's card: a FIFO stage for requests, and the wire behind it. Also the machine's memory, which
 * its processes access one at a time.
 */
final class ClientCard {
    /** Address, key and length of a remote range (RETH of the InfiniBand specification). */
    private static final int RANGE_BYTES = 16;

    private final CardTimes times;
    private final ServerCard server;
    private final @Nullable PacketEngine engine;
    private final @Nullable PacketStages stages;
    /** Slot, for bytes that the card writes to memory. */
    private final Stage received = new Stage();

    private long busyPs;
    private long requestWirePs;
    /** Time from which the packet stages accept a further payload. */
    private long payloadFreePs;

    private long memoryPs;
    /** Number of work requests of the machine's programs that the card keeps, by {@link SimQueuePair}. */
    private int posted;

    /** Creates the sending side of a card whose serving side is {@code server}. */
    ClientCard(CardTimes times, ServerCard server) {
        this.times = times;
        this.server = server;
        this.engine = server.engine();
        this.stages = server.stages();
    }

    /** Occupies the machine's memory for {@code ps}, after earlier accesses; returns the end time. */
    long accessMemory(long nowPs, long ps) {
        memoryPs = Math.max(nowPs, memoryPs) + ps;
        return memoryPs;
    }

    /** Adds to the number of work requests that the card keeps. */
    void count(int requests) {
        posted += requests;
    }

    /** Adds {@code ps} to the sending time of the request that is ready at {@code readyPs}. */
    void hold(long readyPs, long ps) {
        if (engine != null) {
            engine.hold(ps);
        } else {
            busyPs = Math.max(readyPs, busyPs) + ps;
        }
    }

    /** Holds the sending stage for a request that is ready at {@code readyPs} if its queue pair's state is missing. */
    void contend(long readyPs, QueuePairState queuePair) {
        long extraPs = server.statePs(queuePair, readyPs < queuePair.beganHerePs());
        if (extraPs > 0) {
            hold(readyPs, extraPs);
        }
    }

    /** Returns the time at which the card began with the last request that it sent. */
    long beganPs() {
        return engine == null ? busyPs - times.requesterPs() : engine.beganPs();
    }

    /**
     * Returns the earliest time at which a request is accepted. A separate stage accepts one when it is free. A shared
     * engine accepts one at once: it handles sent and arriving packets in order of readiness, and arrivals may keep it
     * busy forever.
     */
    long freeAt() {
        return engine == null ? Math.max(busyPs, payloadFreePs) : 0;
    }

    /**
     * Sends a request that is ready at {@code readyPs}; returns the departure time of its last byte.
     *
     * @param bytes payload; in the reply if the request {@code bringsBack} data
     */
    long send(long readyPs, int bytes, boolean bringsBack) {
        long againPs = times.contention().outstandingPs(posted, bringsBack);
        if (againPs > 0) {
            hold(readyPs, againPs);
        }
        if (engine != null) {
            engine.at(readyPs);
            return engine.send(readyPs, bytes, bringsBack);
        }
        busyPs = Math.max(readyPs, busyPs)
                + (bringsBack ? times.requesterPs() : times.transfer().requesterPs());
        int sentBytes = bringsBack ? 0 : bytes;
        if (stages != null && sentBytes > 0) {
            long departsPs = stages.leave(readyPs, busyPs + times.wirePs(0, times.requestHeaderBytes()), bytes, false);
            // One message waits for the link, so that the link is never idle between two.
            payloadFreePs = stages.startPs(departsPs, bytes) - times.transfer().requesterPs();
            return departsPs;
        }
        requestWirePs = Math.max(busyPs, requestWirePs) + times.wirePs(sentBytes, times.requestHeaderBytes());
        return requestWirePs;
    }

    /** Sends a further range of a READ, which has 16 bytes like the first; returns the departure time of the last. */
    long sendFurther(long readyPs) {
        requestWirePs = Math.max(readyPs, requestWirePs) + times.wirePs(0, RANGE_BYTES);
        return requestWirePs;
    }

    /** Receives a reply with {@code bytes} bytes of payload; returns the time at which it is in memory. */
    long receive(long nowPs, long arrivePs, int bytes, boolean read, boolean signaled) {
        long donePs = stages == null ? arrivePs : stages.arrive(nowPs, arrivePs, bytes, read);
        return overSlot(nowPs, engine == null ? donePs : engine.receive(donePs, bytes), bytes, signaled);
    }

    long acknowledged(long nowPs, long arrivePs, boolean signaled) {
        return overSlot(nowPs, engine == null ? arrivePs : engine.acknowledged(arrivePs), 0, signaled);
    }

    /** Returns the time until which a reply waits for earlier ones in the slot; its own time is within the latency. */
    private long overSlot(long nowPs, long readyPs, int bytes, boolean signaled) {
        if (!times.card().countsReceived()) {
            return readyPs;
        }
        long ps = times.card().receivedPs(bytes, signaled);
        return ps == 0 ? readyPs : received.take(nowPs, readyPs, ps) - ps;
    }
}
