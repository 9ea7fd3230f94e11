package org.reprobe.scheme;

import java.util.Map;
import org.reprobe.analysis.plan.LookupDemand;

/**
 * Cuckoo table in capacity planning: a lookup reads all candidate slots, in parallel or one by one.
 * {@code associativity} is the number of records per slot, {@code hashes} the number of candidate slots of a key.
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

    /** A slot with records points to a heap block with room for a full slot; an empty slot has no heap block. */
    @Override
    public double bytesPerRecord() {
        double places = (1 - emptySlots(associativity, loadFactor)) / loadFactor;
        return inline ? tableBytesPerRecord() : tableBytesPerRecord() + places * recordBytes;
    }

    /**
     * Returns the share of empty slots. The number of records that are ever placed in a slot is modelled as Poisson
     * with mean m. The slot keeps at most {@code associativity} of them; the rest move on. Bisection finds the m that
     * gives the load factor.
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
            // Random order: the last of k READs finds the record with probability 1/k, and 1/k of the false signature
            // matches.
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
