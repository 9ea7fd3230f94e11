package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.math3.stat.StatUtils;
import org.reprobe.analysis.measurement.Kind;

/**
 * Sequential comparison of base and new by pairs of consecutive runs, with a stopping rule. Every pair gives the
 * logarithm of a ratio for each metric of each cell; drift of the machine, slow relative to a pair, cancels. At a few
 * looks, whose times depend on the number of pairs alone, the p-value of Wilcoxon's signed-rank test is compared with
 * an O'Brien-Fleming-like boundary ({@link SpendingBoundary}), with Holm's correction over metrics and cells (for
 * several looks: W. Maurer and F. Bretz, Statistics in Biopharmaceutical Research 5, 2013). The probability of any
 * false alarm is thus the level, however early the comparison stops. A metric is worse or better if its test crosses
 * the boundary and the estimate is at least the minimum effect. It is the same if the interval of that look lies within
 * the minimum effect.
 */
public final class PairedComparison {
    /** Fewer pairs cannot reach any early boundary. */
    private static final int FEWEST = 6;

    private static final int MAX_LOOKS = 10;

    private final Criteria criteria;
    private final int maxPairs;
    private final List<Integer> looks;
    private final List<Series> all = new ArrayList<>();
    private final Map<List<String>, Series> byName = new HashMap<>();
    private int pairs;
    private int looked;

    private static final class Series {
        private final String scenario;
        private final String cell;
        private final String metric;
        private final List<Double> base = new ArrayList<>();
        private final List<Double> now = new ArrayList<>();
        private RegressionVerdict verdict = RegressionVerdict.CANT_TELL;
        private boolean rejected;

        Series(String scenario, String cell, String metric) {
            this.scenario = scenario;
            this.cell = cell;
            this.metric = metric;
        }

        double[] logRatios() {
            double[] ratios = new double[base.size()];
            Arrays.setAll(ratios, i -> base.get(i).equals(now.get(i)) ? 0 : Math.log(now.get(i) / base.get(i)));
            return ratios;
        }
    }

    /** Plans a comparison of at most {@code maxPairs} pairs, a limit of at least 6 that is fixed before the first. */
    public PairedComparison(Criteria criteria, int maxPairs) {
        if (maxPairs < FEWEST) {
            throw new IllegalArgumentException("at least " + FEWEST + " pairs are needed, not " + maxPairs);
        }
        this.criteria = criteria;
        this.maxPairs = maxPairs;
        this.looks = looks(maxPairs);
    }

    /** Returns the least useful number of pairs. */
    public static int minPairs() {
        return FEWEST;
    }

    /** Returns the numbers of pairs to look after: from 6 on, about every tenth of the maximum, and the maximum. */
    static List<Integer> looks(int maxPairs) {
        int step = Math.max(2, Math.ceilDiv(maxPairs, MAX_LOOKS));
        List<Integer> looks = new ArrayList<>();
        for (int n = Math.max(FEWEST, step); n < maxPairs; n += step) {
            looks.add(n);
        }
        looks.add(maxPairs);
        return List.copyOf(looks);
    }

    /** Adds a metric's value of the next pair, which {@link #endPair} completes. */
    public void add(String scenario, String cell, String metric, double base, double now) {
        if ((base > 0 && now > 0 && Double.isFinite(base) && Double.isFinite(now)) || base == now) {
            Series series = byName.computeIfAbsent(List.of(scenario, cell, metric), _ -> {
                Series fresh = new Series(scenario, cell, metric);
                all.add(fresh);
                return fresh;
            });
            series.base.add(base);
            series.now.add(now);
        }
    }

    /** Ends a pair, and looks if one is due; returns true to stop: all verdicts are known or the maximum is reached. */
    public boolean endPair() {
        pairs++;
        if (looked < looks.size() && pairs == looks.get(looked)) {
            look(looked++);
        }
        return pairs >= maxPairs
                || (looked > 0 && all.stream().allMatch(series -> series.verdict != RegressionVerdict.CANT_TELL));
    }

    public int pairs() {
        return pairs;
    }

    private void look(int index) {
        Map<Series, Shift> shifts = new HashMap<>();
        for (Series series : all) {
            if (!series.base.isEmpty()) {
                // The interval at this look, of this metric alone.
                shifts.put(series, Shift.ofPairs(series.logRatios(), nominal(criteria.level(), index)));
            }
        }
        boolean again = true;
        while (again) {
            again = false;
            long left = all.stream().filter(series -> !series.rejected).count();
            for (Series series : all) {
                Shift shift = shifts.get(series);
                if (!series.rejected
                        && shift != null
                        && shift.pValue() <= nominal(criteria.level() / left, index)
                        && Math.abs(shift.estimate()) >= matters(series)) {
                    series.rejected = true;
                    series.verdict = Direction.of(series.metric).verdict(shift.estimate());
                    again = true; // Holm's correction returns its share of the level to the others
                    break;
                }
            }
        }
        for (Series series : all) {
            Shift shift = shifts.get(series);
            if (!series.rejected && shift != null) {
                boolean within = shift.low() > -matters(series) && shift.high() < matters(series);
                series.verdict = within ? RegressionVerdict.SAME : RegressionVerdict.CANT_TELL;
            }
        }
    }

    private double matters(Series series) {
        return criteria.of(series.metric, series.cell).minShift();
    }

    private double nominal(double level, int index) {
        return SpendingBoundary.pValues(level, looks)[index];
    }

    /**
     * Returns the result after the pairs so far. If time ended between two looks, verdicts are those of the last look;
     * numbers are of all pairs, intervals at 95 %.
     */
    public Comparison comparison() {
        double[] pValues = new double[all.size()];
        List<Shift> shifts = new ArrayList<>();
        for (int i = 0; i < pValues.length; i++) {
            Shift shift = Shift.ofPairs(all.get(i).logRatios(), 0.05);
            shifts.add(shift);
            pValues[i] = shift.pValue();
        }
        double[] adjusted = Holm.adjusted(pValues);
        List<RegressionFinding> findings = new ArrayList<>();
        for (int i = 0; i < pValues.length; i++) {
            Series series = all.get(i);
            Shift shift = shifts.get(i);
            int more = 0;
            if (series.verdict == RegressionVerdict.CANT_TELL) {
                double[] ratios = series.logRatios();
                double variance = ratios.length < 2 ? 0 : StatUtils.variance(ratios);
                int needed = RunsNeeded.of(
                        variance,
                        shift.estimate(),
                        criteria.of(series.metric, series.cell),
                        criteria.level() / pValues.length,
                        true);
                more = Math.max(1, needed - shift.n());
            }
            double ratio = Math.exp(shift.estimate());
            double base = shift.middleOfBase(values(series.base), values(series.now));
            findings.add(new RegressionFinding(
                    series.scenario,
                    series.cell,
                    series.metric,
                    Kind.MEASURED,
                    Direction.of(series.metric),
                    base,
                    base * ratio,
                    ratio,
                    Math.exp(shift.low()),
                    Math.exp(shift.high()),
                    adjusted[i],
                    shift.n(),
                    series.verdict,
                    "",
                    more));
        }
        return new Comparison(findings, List.of());
    }

    private static double[] values(List<Double> values) {
        return values.stream().mapToDouble(Double::doubleValue).toArray();
    }
}
