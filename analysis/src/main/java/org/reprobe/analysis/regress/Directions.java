package org.reprobe.analysis.regress;

import java.util.Map;

/** Preferred directions of metrics: by their names, with exceptions given by the user. */
public record Directions(Map<String, Direction> explicit) {
    public static final Directions BY_NAME = new Directions(Map.of());

    public Directions {
        explicit = Map.copyOf(explicit);
    }

    public Direction of(String metric) {
        return explicit.getOrDefault(metric, Direction.of(metric));
    }
}
