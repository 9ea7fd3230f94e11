package org.reprobe.farm.memory;

import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;

/**
 * Whether READs were quick enough to be trusted (FaRM 2014, section 3.5): in one that takes longer, versions of cache lines may have come
 * round. For the READs of one operation at a time.
 */
public final class ReadDeadline {
    /** After so many READs in a row that took too long, none ever will be in time. */
    private static final int MAX_AGED = 1000;

    private static final double NS_PER_US = 1e3;

    private final Requester clock;
    private final long maxNs;
    private int aged;

    public ReadDeadline(Requester clock, long maxNs) {
        this.clock = clock;
        this.maxNs = maxNs;
    }

    /**
     * Whether a READ that has completed now was.
     *
     * @throws FabricException when none ever is, in the user's words
     */
    public boolean isInTime(long postedNs) throws FabricException {
        if (clock.nowNs() - postedNs <= maxNs) {
            aged = 0;
            return true;
        }
        if (++aged > MAX_AGED) {
            throw new FabricException(
                    "READs take longer than %s us, so that none is trusted (farm.max-read-us): use a larger one"
                            .formatted(maxNs / NS_PER_US));
        }
        return false;
    }
}
