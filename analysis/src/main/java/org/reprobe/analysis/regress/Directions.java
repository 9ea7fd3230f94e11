package org.reprobe.analysis.regress;

import java.util.Map;

/** Preferred directions of metrics: by their names, with exceptions given by the user. */
public record Directions(Map<String, Direction> told) {
    public static final Directions BY_NAME = new Directions(Map.of());

    public Directions {
        told = Map.copyOf(told);
    }

    public Direction of(String metric) {
        return told.getOrDefault(metric, Direction.of(metric));
    }
}
