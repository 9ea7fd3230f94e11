package org.reprobe.fabric.sim;

/**
 * Ways of payload between the memory of a machine and the network: over the slot to the card, over the link, and over
 * the slot to memory. A message passes the first two at the sender and the third at the receiver, in packets. Its first
 * packet passes them one after another; later packets follow at the pace of the slowest, so each stage ends one packet
 * after the previous one, or later if it was busy.
 */
final class PacketStages {
    private final CardTimes.Transfer times;
    private final int mtuBytes;
    private final Stage fetch = new Stage();
    private final Stage link = new Stage();
    private final Stage deliver = new Stage();

    PacketStages(CardTimes times) {
        this.times = times.transfer();
        this.mtuBytes = times.mtuBytes();
    }

    /**
     * Sends a payload that the card can fetch from {@code readyPs} on; returns the departure time of its last byte.
     *
     * @param nowPs lower limit of the arrivals of all later calls
     */
    long leave(long nowPs, long readyPs, int bytes, boolean read) {
        if (bytes == 0) {
            return readyPs;
        }
        long ps = times.stagePs(bytes, read);
        long fetchedPs = fetch.take(nowPs, readyPs, ps);
        return link.take(nowPs, fetchedPs + stepPs(bytes) - ps, ps);
    }

    /** Receives a payload whose last byte arrives at {@code lastPs}; returns the time at which it is in memory. */
    long arrive(long nowPs, long lastPs, int bytes, boolean read) {
        return deliver(nowPs, firstPs(lastPs, bytes, read), bytes, read);
    }

    /** Puts a payload into memory from {@code readyPs} on; returns the end time. */
    long deliver(long nowPs, long readyPs, int bytes, boolean read) {
        return bytes == 0 ? readyPs : deliver.take(nowPs, readyPs, times.stagePs(bytes, read));
    }

    /** Returns the time at which the next stage can begin with a payload whose last byte arrives at {@code lastPs}. */
    long firstPs(long lastPs, int bytes, boolean read) {
        return lastPs + stepPs(bytes) - times.stagePs(bytes, read);
    }

    /** Returns the latest time at which a payload must be fetched to follow one that departs at {@code departsPs}. */
    long startPs(long departsPs, int bytes) {
        return departsPs - times.stagePs(bytes, false) - stepPs(bytes);
    }

    void reset() {
        fetch.reset();
        link.reset();
        deliver.reset();
    }

    private long stepPs(int bytes) {
        return (long) (Math.min(bytes, mtuBytes) * times.stepPsPerByte());
    }
}
