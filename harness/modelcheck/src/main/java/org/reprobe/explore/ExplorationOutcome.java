package org.reprobe.explore;

import org.jspecify.annotations.Nullable;

/**
 * Result of an exploration.
 *
 * @param schedules number of schedules completed, failed, cut off or abandoned at a known state
 * @param states number of distinct states at choices; 0 if states were not recorded
 * @param cut schedules with too many pauses
 * @param faulty random schedules with a fault
 * @param complete true if all schedules within the bounds were tried, except continuations of those cut off
 * @param counterexample the failure, shortened if requested; null for none
 */
public record ExplorationOutcome(
        long schedules,
        long states,
        long cut,
        long faulty,
        boolean complete,
        @Nullable Counterexample counterexample) {}
