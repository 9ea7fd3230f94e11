package org.reprobe.regress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;

/**
 * Change points by the algorithm of Apache Otava with its defaults, for comparison: M. Fleming, P. Kolaczkowski, I.
 * Kumar, S. Das, S. McCarthy, P. Pattabhiraman and H. Ingo, "Hunter: Using Change Point Detection to Hunt for
 * Performance Regressions", ICPE 2023. Energy distances of windows of 50 values, each split kept if Student's t-test
 * has p of at most 0.01, then the weakest dropped until all have p below 0.001.
 */
final class OtavaChangePoints {
    private static final int WINDOW = 50;
    private static final double WEAK = 0.01;
    private static final double STRONG = 0.001;

    private OtavaChangePoints() {}

    static List<Integer> find(double[] series) {
        TreeSet<Integer> points = new TreeSet<>();
        int start = 0;
        while (start < series.length) {
            int end = Math.min(start + WINDOW, series.length);
            TreeSet<Integer> found = divided(Arrays.copyOfRange(series, start, end));
            int last = start;
            for (int point : found) {
                points.add(start + point);
                last = start + point;
            }
            start = Math.max(last, start + WINDOW / 2);
        }
        return merged(series, points);
    }

    private static TreeSet<Integer> divided(double[] window) {
        TreeSet<Integer> points = new TreeSet<>();
        while (true) {
            int best = -1;
            int bestFrom = 0;
            int bestTo = 0;
            double most = Double.NEGATIVE_INFINITY;
            int from = 0;
            for (int i = 0; i <= points.size(); i++) {
                Integer next = points.higher(from);
                int to = next == null ? window.length : next;
                for (int at = from + 1; at < to; at++) {
                    for (int end = at + 1; end <= to; end++) {
                        double distance = distance(window, from, at, end);
                        if (distance > most) {
                            most = distance;
                            best = at;
                            bestFrom = from;
                            bestTo = to;
                        }
                    }
                }
                from = to;
            }
            if (best < 0 || !(pValue(window, bestFrom, best, bestTo) <= WEAK)) {
                return points;
            }
            points.add(best);
        }
    }

    private static double distance(double[] values, int from, int at, int end) {
        double n = at - from;
        double m = end - at;
        double between = 0;
        double left = 0;
        double right = 0;
        for (int i = from; i < end; i++) {
            for (int j = i + 1; j < end; j++) {
                double distance = Math.abs(values[i] - values[j]);
                if (j < at) {
                    left += distance;
                } else if (i < at) {
                    between += distance;
                } else {
                    right += distance;
                }
            }
        }
        return 2 / (n + m) * (between - (n > 1 ? m / (n - 1) * left : 0) - (m > 1 ? n / (m - 1) * right : 0));
    }

    private static List<Integer> merged(double[] series, TreeSet<Integer> points) {
        while (!points.isEmpty()) {
            int weakest = -1;
            double highest = -1;
            for (int point : points) {
                Integer earlier = points.lower(point);
                Integer later = points.higher(point);
                double p = pValue(series, earlier == null ? 0 : earlier, point, later == null ? series.length : later);
                if (!(p <= highest)) {
                    highest = p;
                    weakest = point;
                }
            }
            if (highest < STRONG) {
                break;
            }
            points.remove(weakest);
        }
        return new ArrayList<>(points);
    }

    private static double pValue(double[] values, int from, int at, int to) {
        int n = at - from;
        int m = to - at;
        if (n + m <= 2) {
            return 1;
        }
        double squares = (n > 1 ? StatUtils.variance(values, from, n) * (n - 1) : 0)
                + (m > 1 ? StatUtils.variance(values, at, m) * (m - 1) : 0);
        double difference = StatUtils.mean(values, from, n) - StatUtils.mean(values, at, m);
        double t = Math.abs(difference) / Math.sqrt(squares / (n + m - 2) * (1.0 / n + 1.0 / m));
        return 2 * new TDistribution(null, n + m - 2).cumulativeProbability(-t);
    }
}
