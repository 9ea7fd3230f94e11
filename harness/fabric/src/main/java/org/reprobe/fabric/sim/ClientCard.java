package org.reprobe.fabric.sim;

/**
 * What a machine's card sends: one FIFO stage for requests, then the wire that carries them. And the machine's memory,
 * which its processes access one after the other.
 */
final class ClientCard {
    private final CardTimes times;
    private long busyPs;
    private long requestWirePs;
    private long memoryPs;

    ClientCard(CardTimes times) {
        this.times = times;
    }

    /** A process accesses the machine's memory for {@code ps}, once others have; returns when it is done. */
    long accessMemory(long nowPs, long ps) {
        memoryPs = Math.max(nowPs, memoryPs) + ps;
        return memoryPs;
    }

    /** Holds the sending stage for {@code ps} more than the request that is ready then takes. */
    void hold(long readyPs, long ps) {
        busyPs = Math.max(readyPs, busyPs) + ps;
    }

    /** When the stage can take the next request. */
    long freePs() {
        return busyPs;
    }

    /**
     * Sends a request that the queue pair has ready at {@code readyPs}.
     *
     * @param bytes payload: 0 for a READ
     * @return when its last byte has left
     */
    long send(long readyPs, int bytes) {
        busyPs = Math.max(readyPs, busyPs) + times.requesterPs();
        requestWirePs = Math.max(busyPs, requestWirePs) + times.wirePs(bytes, times.requestHeaderBytes());
        return requestWirePs;
    }
}
