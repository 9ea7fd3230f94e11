package org.reprobe.fabric;

/**
 * The part of a client's run that counts. It begins with the end of a piece of the client's work, so that only whole pieces
 * count, and ends with the end of another one.
 *
 * <p>In virtual time it is as long as it takes from the one to the other, which is exact for work as regular as a
 * simulated client's. In real time it is the same for all clients and as long as was asked for: threads that share cores take
 * turns, and what each did while it had its turn, added up, would be what more cores could do.
 */
public final class CountedInterval {
    private final boolean virtual;
    private final long durationNs;
    private final long warmUntilNs;
    private long fromNs = Long.MAX_VALUE;

    /** After the barrier at which the clients began. */
    public CountedInterval(Client client, long warmUpNs, long durationNs) {
        this.virtual = client.inVirtualTime();
        this.durationNs = durationNs;
        this.warmUntilNs = client.nowNs() + warmUpNs;
    }

    /** Whether it has begun. */
    public boolean begun() {
        return fromNs != Long.MAX_VALUE;
    }

    /** Begins when the warm-up is over; true if it does so now. */
    public boolean begins(long nowNs) {
        if (begun() || nowNs < warmUntilNs) {
            return false;
        }
        fromNs = nowNs;
        return true;
    }

    /** Whether it has begun and is over. */
    public boolean isOver(long nowNs) {
        return begun() && nowNs >= (virtual ? fromNs : warmUntilNs) + durationNs;
    }

    /** Its length, when it ends now. */
    public long lengthNs(long nowNs) {
        return virtual ? nowNs - fromNs : Math.min(durationNs, nowNs - warmUntilNs);
    }
}
