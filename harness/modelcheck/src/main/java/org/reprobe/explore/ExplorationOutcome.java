package org.reprobe.explore;

import org.jspecify.annotations.Nullable;

/**
 * Result of an exploration.
 *
 * @param schedules number of schedules that completed, failed, were cut off or were abandoned at a known state
 * @param states number of distinct states at choices; 0 if states were not recorded
 * @param cut number of schedules that were cut off because of too many pauses
 * @param faulty number of random schedules with a fault
 * @param complete true if all schedules within the bounds were tried, except continuations of those that were cut off
 * @param counterexample the failure, shortened if requested; null if there is none
 */
public record ExplorationOutcome(
        long schedules,
        long states,
        long cut,
        long faulty,
        boolean complete,
        @Nullable Counterexample counterexample) {}
