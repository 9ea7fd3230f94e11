package org.reprobe.explore;

import org.jspecify.annotations.Nullable;

/**
 * What an exploration came to.
 *
 * @param schedules how many were run to their end, found wrong, cut off or given up since they led to a known state
 * @param states how many different states were met at choices; 0 when they were not remembered
 * @param cut schedules with too many pauses
 * @param faulty random schedules in which something failed
 * @param complete whether all schedules within the bounds were tried, but for what came after a cut
 * @param counterexample what went wrong, as short as it was found to be possible; null when all was well
 */
public record ExplorationOutcome(
        long schedules,
        long states,
        long cut,
        long faulty,
        boolean complete,
        @Nullable Counterexample counterexample) {}
