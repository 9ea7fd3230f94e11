package org.reprobe.scheme;

import java.util.Map;
import org.reprobe.analysis.plan.LookupDemand;

/**
 * A cuckoo table as the planner knows it: all candidate slots are read, at once or one after the other.
 *
 * @param associativity records a slot
 * @param hashes candidate slots of a key
 */
record CuckooShape(
        PlannedCuckoo scheme, double loadFactor, boolean inline, int recordBytes, int associativity, int hashes)
        implements LookupShape {

    @Override
    public int slotBytes() {
        return LookupShape.slotBytes(inline, recordBytes, associativity);
    }

    @Override
    public int readBytes() {
        return slotBytes();
    }

    @Override
    public double tableBytesPerRecord() {
        return slotBytes() / (associativity * loadFactor);
    }

    /** A slot names a heap block with a place for each of its records; a slot without any names none. */
    @Override
    public double bytesPerRecord() {
        double places = (1 - emptySlots(associativity, loadFactor)) / loadFactor;
        return inline ? tableBytesPerRecord() : tableBytesPerRecord() + places * recordBytes;
    }

    /**
     * The share of slots without a record. Records come to slots at random and go on from full ones: a slot that so many have
     * come to, Poisson with mean m, has the smaller of that number and the associativity; m follows from the load.
     */
    static double emptySlots(int associativity, double loadFactor) {
        double low = associativity * loadFactor;
        double high = 64 * associativity;
        for (int i = 0; i < 60; i++) {
            double mean = (low + high) / 2;
            double term = StrictMath.exp(-mean);
            double atMost = 0;
            double records = 0;
            for (int k = 0; k < associativity; k++) {
                atMost += term;
                records += 1 - atMost;
                term *= mean / (k + 1);
            }
            if (records < associativity * loadFactor) {
                low = mean;
            } else {
                high = mean;
            }
        }
        return StrictMath.exp(-low);
    }

    @Override
    public double strays() {
        return LookupShape.strays(hashes * associativity, loadFactor);
    }

    @Override
    public LookupDemand demand() {
        boolean parallel = scheme.parallel();
        double[] rounds = new double[(parallel ? 1 : hashes) + (inline ? 0 : 1)];
        if (parallel || inline) {
            rounds[rounds.length - 1] = 1;
        } else {
            // Asked in random order: the last READ finds the record one time in k, and its share of the strays.
            rounds[hashes - 1] = (1 - 1.0 / hashes) * StrictMath.exp(-strays() / hashes);
            rounds[hashes] = 1 - rounds[hashes - 1];
        }
        return new LookupDemand(
                parallel ? hashes : 1,
                readBytes(),
                hashes,
                hashes,
                readBytes(),
                heapReads(),
                heapBytes(),
                hashes * associativity + heapReads(),
                rounds);
    }

    @Override
    public double[] roundsAlone() {
        if (inline || scheme.parallel()) {
            return demand().rounds();
        }
        double[] reads = new double[hashes];
        reads[hashes - 1] = 1;
        return oneByOne(reads);
    }

    @Override
    public Map<String, Object> settings() {
        return Map.of("cuckoo.associativity", associativity, "cuckoo.hashes", hashes);
    }
}
