package org.reprobe.scheme;

import java.util.Map;
import org.reprobe.analysis.plan.LookupDemand;

/**
 * Chained hopscotch table in capacity planning: one READ fetches two buckets of {@code neighbourhood} / 2 slots each,
 * and a few lookups also read an overflow block.
 */
record ChainedHopscotchShape(
        PlannedHopscotch scheme, double loadFactor, boolean inline, int recordBytes, int neighbourhood)
        implements LookupShape {

    @Override
    public int unitBytes() {
        return neighbourhood / 2 * slotBytes() + OFFSET_BYTES;
    }

    @Override
    public int readBytes() {
        return neighbourhood * slotBytes() + 2 * OFFSET_BYTES;
    }

    private int blockBytes() {
        return 2 * slotBytes() + OFFSET_BYTES;
    }

    @Override
    public double bytesPerRecord() {
        double table = tableBytesPerRecord();
        table += OFFSET_BYTES / (neighbourhood / 2.0 * loadFactor);
        table += HopscotchCounts.blocksPerRecord(loadFactor) * blockBytes();
        return inline ? table : table + recordBytes;
    }

    @Override
    public double strays() {
        return LookupShape.strays(neighbourhood, loadFactor);
    }

    @Override
    public LookupDemand demand() {
        double further = HopscotchCounts.furtherReads(loadFactor);
        return new LookupDemand(
                1,
                readBytes(),
                1 + further,
                1 + further,
                blockBytes(),
                heapReads(),
                heapBytes(),
                neighbourhood + 2 * further + heapReads(),
                inline ? new double[] {1 - further, further} : new double[] {0, 1 - further, further});
    }

    @Override
    public double[] roundsAlone() {
        double reads = demand().tableReads();
        return inline ? demand().rounds() : oneByOne(2 - reads, reads - 1);
    }

    @Override
    public Map<String, Object> settings() {
        return Map.of("hopscotch.neighbourhood", neighbourhood);
    }
}
