package org.reprobe.trial;

import java.util.function.Supplier;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.Trial;

/**
 * System in a small configuration for {@code check}.
 *
 * @param title description of the clients for users
 * @param printed true for a paper's algorithm as printed; its failure is a finding, not an error
 * @param switches bound of the exhaustive search; {@link org.reprobe.explore.Exploration#ALL} for none
 */
public record CheckedSystem(
        String name, String title, boolean printed, ExplorationLimits limits, int switches, Supplier<Trial> trial) {}
