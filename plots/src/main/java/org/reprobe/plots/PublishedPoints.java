package org.reprobe.plots;

import java.util.List;
import java.util.Map;

/** Values that a paper prints, to be drawn beside a figure's own. */
public record PublishedPoints(List<Point> points) {

    public PublishedPoints {
        points = List.copyOf(points);
    }

    /** Nothing published. */
    public static PublishedPoints none() {
        return new PublishedPoints(List.of());
    }

    /**
     * One printed value. It is drawn where the cells that match {@code where} are drawn; when they are drawn in more than
     * one place, the point has no place and is left out.
     *
     * @param where part of a cell: {@code {scheme: linear-fixed, load-factor: 0.8}}
     * @param metric the metric's name in {@code measurements.jsonl}, {@code latency_ns.p90} for a percentile
     * @param value in the metric's unit, not the axis's
     */
    public record Point(Map<String, Object> where, String metric, double value) {

        public Point {
            where = Map.copyOf(where);
        }
    }
}
