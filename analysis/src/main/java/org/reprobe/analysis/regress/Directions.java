package org.reprobe.analysis.regress;

import java.util.Map;

/**
 * Which way metrics should go: as their names say, unless somebody knows better.
 *
 * @param told directions by metric, where the name does not say it or says it wrongly
 */
public record Directions(Map<String, Direction> told) {
    /** As names say. */
    public static final Directions BY_NAME = new Directions(Map.of());

    public Directions {
        told = Map.copyOf(told);
    }

    /** A metric's direction. */
    public Direction of(String metric) {
        return told.getOrDefault(metric, Direction.of(metric));
    }
}
