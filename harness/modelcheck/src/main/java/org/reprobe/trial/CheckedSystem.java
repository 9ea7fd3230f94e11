package org.reprobe.trial;

import java.util.function.Supplier;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;

/**
 * A system in a small configuration, as {@code check} knows it.
 *
 * @param name for the command line
 * @param title what clients do, for people
 * @param printed whether the algorithm is a paper's as printed: then it may go wrong, and that is a finding, not a failure
 * @param limits what may happen
 * @param switches the bound of the search through all schedules; {@link org.reprobe.explore.Exploration#ALL} for none
 * @param trial makes it
 */
public record CheckedSystem(
        String name, String title, boolean printed, ExplorationLimits limits, int switches, Supplier<Trial> trial) {}
