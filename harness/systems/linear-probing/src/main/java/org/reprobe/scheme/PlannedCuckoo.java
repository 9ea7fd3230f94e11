package org.reprobe.scheme;

import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.model.CuckooThreshold;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.system.Scheme;

/** Cuckoo hashing in capacity planning, with slots and hash functions of the linear-probing paper. */
record PlannedCuckoo(Scheme scheme, boolean parallel) implements PlannedLookup {
    private static final int ASSOCIATIVITY = 4;
    private static final int HASHES = 3;

    /** Largest planned share of the load threshold; tables closer to the threshold take very long to build. */
    private static final double BELOW_THRESHOLD = 0.98;

    private static final double MAX_LOAD = BELOW_THRESHOLD * CuckooThreshold.loadFactor(HASHES, ASSOCIATIVITY);

    @Override
    public @Nullable TableShape shape(
            NicProfile nic, double loadFactor, boolean inline, int recordBytes, int readSize) {
        return loadFactor > MAX_LOAD
                ? null
                : new CuckooShape(this, loadFactor, inline, recordBytes, ASSOCIATIVITY, HASHES);
    }
}
