package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.apache.commons.math3.stat.StatUtils;
import org.apache.commons.math3.stat.ranking.NaturalRanking;

/**
 * Where a series of values, one a night, changed for good. E-divisive with means of distances (D. S. Matteson and N. A.
 * James, Journal of the American Statistical Association 109, 2014, section 2, alpha = 1): the split of a segment that
 * maximises the energy distance of what lies on its two sides, over all splits and all ends of the right side (equation
 * 7); a change where a permutation test says that so large a distance does not come by chance; then each part again.
 *
 * <p>Their test takes values for independent of each other. A machine's nights need not be: it may be busier for some of them
 * in a row. Where what is left without the changes found at first is alike from one value to the next, they are looked for
 * again, and what is permuted then are blocks of neighbours, as long as a first-order autoregression of that correlation
 * takes to become independent: (1 + r) / (1 - r).
 *
 * Medians of neighbouring segments that differ by less than the minimum effect are joined. The same values give the same
 * answer.
 */
public final class ChangePoints {
    private static final double Z95 = 1.6448536269514722;

    /** Of neighbours; more alike than this are none of a series that could be judged. */
    private static final double MAX_CORRELATION = 0.9;

    private ChangePoints() {}

    /**
     * How to look.
     *
     * @param minSegment fewest values between two changes: fewer are taken for outliers
     * @param level highest p-value of a change
     * @param minEffect smallest relative change of the medians that matters
     */
    public record Options(int minSegment, double level, double minEffect) {
        /** Five nights, one chance in a thousand, 5 %. */
        public static final Options DEFAULT = new Options(5, 0.001, 0.05);

        /** @throws IllegalArgumentException for a segment of less than 2 values or a level or effect not in (0, 1) */
        public Options {
            if (minSegment < 2 || !(level > 0 && level < 1 && minEffect > 0 && minEffect < 1)) {
                throw new IllegalArgumentException(
                        "segment " + minSegment + ", level " + level + ", minimum effect " + minEffect);
            }
        }
    }

    /** A split, the end of its right side and the scaled energy distance of the two sides. */
    private record Split(int at, int end, double distance) {}

    /** The changes of a noisy series of positive values, first to last. */
    public static List<ChangePoint> find(double[] series, Options options) {
        TreeMap<Integer, Double> splits = new TreeMap<>();
        divide(series, 0, series.length, 1, options, splits);
        int length = blockLength(series, splits);
        if (length > 1) {
            splits.clear();
            divide(series, 0, series.length, length, options, splits);
        }
        return joined(series, splits, options.minEffect);
    }

    /** The changes of a series without noise: wherever a value is not the one before. */
    public static List<ChangePoint> exact(double[] series) {
        TreeMap<Integer, Double> splits = new TreeMap<>();
        for (int i = 1; i < series.length; i++) {
            if (series[i] != series[i - 1]) {
                splits.put(i, 0.0);
            }
        }
        return points(series, splits);
    }

    private static void divide(
            double[] series, int from, int to, int block, Options options, NavigableMap<Integer, Double> splits) {
        if (to - from < 2 * options.minSegment) {
            return;
        }
        double[] segment = Arrays.copyOfRange(series, from, to);
        Split best = best(segment, options.minSegment);
        double pValue = pValue(segment, best, block, options);
        if (pValue > options.level) {
            return;
        }
        splits.put(from + best.at, pValue);
        divide(series, from, from + best.at, block, options, splits);
        divide(series, from + best.at, to, block, options, splits);
    }

    /**
     * Share of random orders of the segment's blocks that split as well; ends as soon as it is sure to be above the level.
     */
    private static double pValue(double[] segment, Split split, int length, Options options) {
        int orders = (int) Math.ceil(2 / options.level) - 1;
        int allowed = (int) Math.floor(options.level * (orders + 1)) - 1;
        SplittableRandom random = new SplittableRandom(segment.length);
        double[] shuffled = new double[segment.length];
        int[] starts = new int[(segment.length + length - 1) / length];
        int asGood = 0;
        for (int i = 0; i < orders; i++) {
            shuffle(segment, length, starts, shuffled, random);
            if (best(shuffled, options.minSegment).distance >= split.distance && ++asGood > allowed) {
                return (asGood + 1.0) / (i + 2);
            }
        }
        return (asGood + 1.0) / (orders + 1);
    }

    /** Blocks in random order; which of them is the shorter one, for what is left over, is random as well. */
    private static void shuffle(double[] values, int length, int[] starts, double[] into, SplittableRandom random) {
        int rest = values.length % length;
        int shorter = rest == 0 ? -1 : random.nextInt(starts.length);
        int start = 0;
        for (int block = 0; block < starts.length; block++) {
            starts[block] = start;
            start += block == shorter ? rest : length;
        }
        int[] order = new int[starts.length];
        for (int i = 0; i < order.length; i++) {
            int j = random.nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        int at = 0;
        for (int block : order) {
            int end = block + 1 < starts.length ? starts[block + 1] : values.length;
            System.arraycopy(values, starts[block], into, at, end - starts[block]);
            at += end - starts[block];
        }
    }

    /** How many neighbours are alike beyond the changes: 1 where values are independent. */
    private static int blockLength(double[] series, NavigableMap<Integer, Double> splits) {
        double[] rest = series.clone();
        int from = 0;
        for (int i = 0; i <= splits.size(); i++) {
            Integer next = splits.higherKey(from);
            int to = next == null ? series.length : next;
            double level = StatUtils.percentile(series, from, to - from, 50);
            for (int at = from; at < to; at++) {
                rest[at] -= level;
            }
            from = to;
        }
        double[] ranks = new NaturalRanking().rank(rest);
        double mean = StatUtils.mean(ranks);
        double squares = 0;
        double together = 0;
        for (int i = 0; i < ranks.length; i++) {
            squares += (ranks[i] - mean) * (ranks[i] - mean);
            together += i == 0 ? 0 : (ranks[i] - mean) * (ranks[i - 1] - mean);
        }
        // A short series shows less correlation than there is (M. G. Kendall, Biometrika 41, 1954).
        double seen = squares == 0 ? 0 : together / squares;
        double correlation = Math.min(MAX_CORRELATION, seen + (1 + 4 * seen) / ranks.length);
        // Independent values show as much one time in twenty.
        return correlation < Z95 / Math.sqrt(ranks.length)
                ? 1
                : (int) Math.round((1 + correlation) / (1 - correlation));
    }

    /** The best split of a segment, with each side at least {@code min} long. */
    private static Split best(double[] values, int min) {
        int n = values.length;
        // sums[i][j]: distances between each of the first i values and each of the first j.
        double[][] sums = new double[n + 1][n + 1];
        for (int i = 0; i < n; i++) {
            double row = 0;
            for (int j = 0; j < n; j++) {
                row += Math.abs(values[i] - values[j]);
                sums[i + 1][j + 1] = sums[i][j + 1] + row;
            }
        }
        Split best = new Split(min, n, Double.NEGATIVE_INFINITY);
        for (int at = min; at <= n - min; at++) {
            double withinLeft = sums[at][at] / ((double) at * (at - 1));
            for (int end = at + min; end <= n; end++) {
                double left = at;
                double right = end - at;
                double between = sums[at][end] - sums[at][at];
                double withinRight = (sums[end][end] - 2 * sums[at][end] + sums[at][at]) / (right * (right - 1));
                double energy = 2 * between / (left * right) - withinLeft - withinRight;
                double distance = energy * left * right / (left + right);
                if (distance > best.distance) {
                    best = new Split(at, end, distance);
                }
            }
        }
        return best;
    }

    /** Drops the smallest change until all that are left matter. */
    private static List<ChangePoint> joined(double[] series, NavigableMap<Integer, Double> splits, double minEffect) {
        while (true) {
            List<ChangePoint> points = points(series, splits);
            ChangePoint smallest = null;
            for (ChangePoint point : points) {
                if (smallest == null || size(point) < size(smallest)) {
                    smallest = point;
                }
            }
            if (smallest == null || size(smallest) >= Math.log1p(minEffect)) {
                return points;
            }
            splits.remove(smallest.index());
        }
    }

    private static double size(ChangePoint point) {
        return Math.abs(Math.log(point.ratio()));
    }

    private static List<ChangePoint> points(double[] series, NavigableMap<Integer, Double> splits) {
        List<ChangePoint> points = new ArrayList<>();
        splits.forEach((index, pValue) -> {
            Integer earlier = splits.lowerKey(index);
            Integer later = splits.higherKey(index);
            int from = earlier == null ? 0 : earlier;
            int to = later == null ? series.length : later;
            points.add(new ChangePoint(
                    index,
                    StatUtils.percentile(series, from, index - from, 50),
                    StatUtils.percentile(series, index, to - index, 50),
                    pValue));
        });
        return List.copyOf(points);
    }
}
