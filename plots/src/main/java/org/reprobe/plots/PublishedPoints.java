package org.reprobe.plots;

import java.util.List;
import java.util.Map;

/** Published values, drawn beside a figure's own. */
public record PublishedPoints(List<Point> points) {

    public PublishedPoints {
        points = List.copyOf(points);
    }

    public static PublishedPoints none() {
        return new PublishedPoints(List.of());
    }

    /**
     * Published value in the metric's unit, not the axis's. It is drawn at the place of the cells that match
     * {@code where}, such as {@code {scheme: linear-fixed, load-factor: 0.8}}, and omitted if they have several places.
     * A percentile is {@code latency_ns.p90}.
     */
    public record Point(Map<String, Object> where, String metric, double value) {

        public Point {
            where = Map.copyOf(where);
        }
    }
}
