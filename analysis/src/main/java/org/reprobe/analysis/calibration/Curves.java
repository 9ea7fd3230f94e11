package org.reprobe.analysis.calibration;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Observations as curves, and the relative error between two of them. */
public final class Curves {
    private Curves() {}

    /** Point of a curve: mean x over the repeats, and the time of every repeat. */
    public record Point(double x, List<Double> ns) {
        public Point {
            ns = List.copyOf(ns);
        }

        public double meanNs() {
            return ns.stream().mapToDouble(Double::doubleValue).average().orElse(Double.NaN);
        }
    }

    /**
     * Median and largest relative error |fitted / found - 1| of a fitted card over the points of a probe. Errors of
     * differences of times, which may be close to 0, are relative to the longest time of the curve.
     */
    public record Miss(Probe probe, int points, double medianFraction, double worstFraction) {}

    /** Returns the curve of each probe, by ascending x. */
    public static Map<Probe, List<Point>> of(List<Observation> observations) {
        Map<Probe, Map<Integer, List<Observation>>> byProbe = observations.stream()
                .collect(Collectors.groupingBy(
                        Observation::probe,
                        () -> new EnumMap<>(Probe.class),
                        Collectors.groupingBy(Observation::repeat)));
        Map<Probe, List<Point>> curves = new EnumMap<>(Probe.class);
        byProbe.forEach((probe, repeats) -> {
            List<List<Observation>> sorted = repeats.values().stream()
                    .map(repeat -> repeat.stream()
                            .sorted(Comparator.comparingDouble(Observation::x))
                            .toList())
                    .toList();
            int places = sorted.stream().mapToInt(List::size).min().orElse(0);
            List<Point> points = new ArrayList<>();
            for (int place = 0; place < places; place++) {
                int at = place;
                List<Observation> here =
                        sorted.stream().map(each -> each.get(at)).toList();
                points.add(new Point(
                        here.stream().mapToDouble(Observation::x).average().orElse(0),
                        here.stream().map(Observation::ns).toList()));
            }
            curves.put(probe, List.copyOf(points));
        });
        return curves;
    }

    /** Returns the relative error of a fitted card's curves, by probe. */
    public static List<Miss> errors(List<Observation> found, List<Observation> fitted) {
        Map<Probe, List<Point>> theirs = of(fitted);
        List<Miss> errors = new ArrayList<>();
        of(found).forEach((probe, points) -> {
            List<Point> others = theirs.getOrDefault(probe, List.of());
            double[] misses = new double[Math.min(points.size(), others.size())];
            int count = 0;
            double longestNs = points.stream().mapToDouble(Point::meanNs).max().orElse(0);
            for (int i = 0; i < misses.length; i++) {
                double foundNs = points.get(i).meanNs();
                double relativeToNs = probe.isDifference() ? longestNs : foundNs;
                if (relativeToNs > 0) {
                    misses[count++] = Math.abs(others.get(i).meanNs() - foundNs) / relativeToNs;
                }
            }
            if (count > 0) {
                double[] sorted = java.util.Arrays.copyOf(misses, count);
                java.util.Arrays.sort(sorted);
                double median = (sorted[count / 2] + sorted[(count - 1) / 2]) / 2;
                errors.add(new Miss(probe, count, median, sorted[count - 1]));
            }
        });
        return errors;
    }
}
