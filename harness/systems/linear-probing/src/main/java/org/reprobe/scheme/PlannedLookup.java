package org.reprobe.scheme;

import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.system.Scheme;

/** Lookup scheme that capacity planning may choose. */
sealed interface PlannedLookup extends PlannedScheme permits PlannedCuckoo, PlannedHopscotch, PlannedLinear {
    Scheme scheme();

    @Override
    default String key() {
        return scheme().name();
    }

    @Override
    default String title() {
        return scheme().title();
    }
}
