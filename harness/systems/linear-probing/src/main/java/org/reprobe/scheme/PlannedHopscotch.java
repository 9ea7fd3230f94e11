package org.reprobe.scheme;

import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.system.Scheme;

/** Hopscotch hashing in capacity planning: plain with the smallest sufficient neighbourhood, or chained as in FaRM. */
record PlannedHopscotch(Scheme scheme) implements PlannedLookup {
    private static final int FARMS_NEIGHBOURHOOD = 8;

    @Override
    public @Nullable TableShape shape(
            NicProfile nic, double loadFactor, boolean inline, int recordBytes, int readSize) {
        if (scheme.equals(HopscotchSystem.CHAINED)) {
            return new ChainedHopscotchShape(this, loadFactor, inline, recordBytes, FARMS_NEIGHBOURHOOD);
        }
        int neighbourhood = IntStream.of(8, 16, 32)
                .filter(each -> loadFactor <= HopscotchCounts.maxLoad(each))
                .findFirst()
                .orElse(0);
        return neighbourhood == 0 ? null : new HopscotchShape(this, loadFactor, inline, recordBytes, neighbourhood);
    }
}
