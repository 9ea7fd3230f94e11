package org.reprobe.scheme;

import java.util.List;
import java.util.Map;
import org.reprobe.analysis.plan.LookupDemand;

/** Hopscotch table in capacity planning: one READ fetches the key's neighbourhood of H slots. */
record HopscotchShape(PlannedHopscotch scheme, double loadFactor, boolean inline, int recordBytes, int neighbourhood)
        implements LookupShape {

    @Override
    public int readBytes() {
        return neighbourhood * slotBytes();
    }

    @Override
    public double strays() {
        return LookupShape.strays(neighbourhood, loadFactor);
    }

    @Override
    public LookupDemand demand() {
        return new LookupDemand(
                1,
                readBytes(),
                1,
                1,
                readBytes(),
                heapReads(),
                heapBytes(),
                neighbourhood + heapReads(),
                inline ? new double[] {1} : new double[] {0, 1});
    }

    @Override
    public double[] roundsAlone() {
        return inline ? demand().rounds() : oneByOne(1, 0);
    }

    @Override
    public Map<String, Object> settings() {
        return Map.of("hopscotch.neighbourhood", neighbourhood);
    }

    @Override
    public List<String> warnings() {
        return List.of(
                "How full a hopscotch table gets was counted with 2^21 records; larger tables reach a little less.");
    }
}
