package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.commons.math3.distribution.TDistribution;
import org.apache.commons.math3.stat.StatUtils;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;

/**
 * Geometric mean of a metric's ratios, new / base, over rows. It is the appropriate mean for ratios because it does not
 * depend on the choice of the base (P. J. Fleming and J. J. Wallace, Communications of the ACM 29, 1986). Its interval
 * takes the rows as given and their noise as independent: the mean of the rows' differences of mean logarithms, with
 * the degrees of freedom of B. L. Welch (Biometrika 34, 1947). The ratios are those of the rows, by {@link Shift},
 * whose noise is about that of mean logarithms. The mean and the 95 % interval are NaN if undefined; the interval is
 * the mean itself if all rows are exact. Warnings are reasons why the mean is meaningless or limited.
 */
public record GeometricMean(String metric, int rows, double ratio, double low, double high, List<String> warnings) {
    private static final double LEVEL = 0.05;

    public GeometricMean {
        warnings = List.copyOf(warnings);
    }

    /** One row: logarithm of the ratio (NaN if there is none), and the noise of both sides (null if exact). */
    record Part(RegressionFinding finding, double logRatio, Noise base, Noise now) {
        /** Returns a row of exact values, or without a ratio. */
        static Part exact(RegressionFinding finding) {
            return new Part(finding, Math.log(finding.ratio()), Noise.NONE, Noise.NONE);
        }

        /** Returns a row of two samples; without a ratio if a value is not positive. */
        static Part measured(RegressionFinding finding, double[] base, double[] now) {
            if (base.length == 0 || now.length == 0 || StatUtils.min(base) <= 0 || StatUtils.min(now) <= 0) {
                return new Part(finding, Double.NaN, Noise.NONE, Noise.NONE);
            }
            return new Part(finding, Math.log(finding.ratio()), Noise.ofLogarithms(base), Noise.ofLogarithms(now));
        }
    }

    /** Noise of a sample's mean; the variance of a sample of one is NaN. */
    record Noise(double variance, int freedom) {
        static final Noise NONE = new Noise(0, 0);

        static Noise ofLogarithms(double[] sample) {
            double[] logarithms = Arrays.stream(sample).map(Math::log).toArray();
            return sample.length < 2
                    ? new Noise(Double.NaN, 0)
                    : new Noise(StatUtils.variance(logarithms) / sample.length, sample.length - 1);
        }
    }

    /** Returns one mean per metric, in the order of the rows. Cells that cannot be compared are no rows. */
    static List<GeometricMean> of(List<Part> parts) {
        Map<String, List<Part>> metrics = parts.stream()
                .collect(Collectors.groupingBy(part -> part.finding.metric(), LinkedHashMap::new, Collectors.toList()));
        List<Part> incomparable = metrics.remove(ResultComparison.RUNS);
        List<GeometricMean> means = new ArrayList<>();
        metrics.forEach((metric, rows) -> means.add(of(metric, rows, incomparable == null ? 0 : incomparable.size())));
        return means;
    }

    private static GeometricMean of(String metric, List<Part> all, int incomparable) {
        List<Part> parts =
                all.stream().filter(part -> Double.isFinite(part.logRatio)).toList();
        List<String> warnings = new ArrayList<>();
        if (parts.size() < all.size()) {
            warnings.add(
                    Quantities.count(all.size() - parts.size(), "row") + " without a ratio (a value is 0, negative or"
                            + " missing) left out: it is the mean of the others only");
        }
        if (incomparable > 0) {
            warnings.add(Quantities.count(incomparable, "cell") + " not comparable left out (failed, or not in both)");
        }
        if (parts.size() < 2) {
            warnings.add(parts.isEmpty() ? "no row has a ratio" : "a mean of one row is the row itself");
            return new GeometricMean(metric, parts.size(), Double.NaN, Double.NaN, Double.NaN, warnings);
        }
        long simulated = parts.stream()
                .filter(part -> part.finding.kind() != Kind.MEASURED)
                .count();
        if (simulated > 0 && simulated < parts.size()) {
            warnings.add("it mixes measured results with simulated or predicted ones");
        }
        if (parts.getFirst().finding.direction() == Direction.NEITHER) {
            warnings.add("neither a rise nor a fall is better");
        }
        long better = count(parts, RegressionVerdict.BETTER);
        long worse = count(parts, RegressionVerdict.WORSE);
        if (better > 0 && worse > 0) {
            warnings.add("it hides opposite changes: " + better + " better, " + worse + " worse");
        }
        double mean = parts.stream().mapToDouble(Part::logRatio).average().orElseThrow();
        double half = halfWidth(parts);
        if (Double.isNaN(half)) {
            warnings.add("no interval: some rows have one run per side");
        }
        return new GeometricMean(
                metric, parts.size(), Math.exp(mean), Math.exp(mean - half), Math.exp(mean + half), warnings);
    }

    private static long count(List<Part> parts, RegressionVerdict verdict) {
        return parts.stream().filter(part -> part.finding.verdict() == verdict).count();
    }

    private static double halfWidth(List<Part> parts) {
        double variance = 0;
        double squares = 0;
        for (Part part : parts) {
            for (Noise noise : List.of(part.base, part.now)) {
                variance += noise.variance;
                squares += noise.freedom == 0 ? 0 : noise.variance * noise.variance / noise.freedom;
            }
        }
        if (Double.isNaN(variance) || variance == 0) {
            return variance;
        }
        double t = new TDistribution(null, variance * variance / squares).inverseCumulativeProbability(1 - LEVEL / 2);
        return t * Math.sqrt(variance) / parts.size();
    }

    /** Returns each mean in words with its limitations, and the reason why there is none over all metrics. */
    public static List<String> words(List<GeometricMean> means, Directions directions) {
        List<String> lines = new ArrayList<>();
        for (GeometricMean mean : means) {
            StringBuilder line = new StringBuilder("geometric mean of " + mean.metric + ": ");
            if (Double.isNaN(mean.ratio)) {
                line.append("none");
            } else {
                line.append(Row.percent(mean.ratio)).append(" %");
                if (mean.low < mean.high) {
                    line.append(" (")
                            .append(Row.percent(mean.low))
                            .append(" to ")
                            .append(Row.percent(mean.high))
                            .append(" %)");
                }
                line.append(" over ").append(Quantities.count(mean.rows, "row"));
            }
            mean.warnings.forEach(warning -> line.append("; ").append(warning));
            lines.add(line.toString());
        }
        if (means.size() > 1) {
            long ways = means.stream()
                    .map(mean -> directions.of(mean.metric))
                    .distinct()
                    .count();
            lines.add("there is no geometric mean over all metrics: "
                    + (ways > 1
                            ? "some are better if higher, others if lower, so their ratios cancel"
                            : "they measure different things"));
        }
        return lines;
    }
}
