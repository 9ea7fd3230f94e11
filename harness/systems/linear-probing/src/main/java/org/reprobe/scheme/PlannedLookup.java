package org.reprobe.scheme;

import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.system.Scheme;

/** A lookup scheme that plans may choose, under its own name and title. */
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
