package org.reprobe.farm.memory;

import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;

/** Time limit of READs (FaRM 2014, section 3.5): in longer ones, versions may wrap around. One operation at a time. */
public final class ReadDeadline {
    /** Number of consecutive late READs after which the run fails. */
    private static final int MAX_AGED = 1000;

    private static final double NS_PER_US = 1e3;

    private final Requester clock;
    private final long maxNs;
    private int aged;

    public ReadDeadline(Requester clock, long maxNs) {
        this.clock = clock;
        this.maxNs = maxNs;
    }

    /** Returns true if a READ that has just completed is in time; fails after {@value #MAX_AGED} late ones in a row. */
    public boolean isInTime(long postedNs) throws FabricException {
        if (clock.nowNs() - postedNs <= maxNs) {
            aged = 0;
            return true;
        }
        if (++aged > MAX_AGED) {
            throw new FabricException(
                    "READs take longer than %s us (farm.max-read-us), so all are rejected; use a larger value"
                            .formatted(maxNs / NS_PER_US));
        }
        return false;
    }
}
