package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.commons.math3.stat.StatUtils;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;

/**
 * Comparison of stored results, cell by cell. Simulated and predicted metrics are deterministic and compared exactly,
 * run by run of the same repeat and seed. Measured ones are compared by ranks ({@link Shift}), the runs of a cell with
 * those of the same cell. A metric is worse or better if the difference is significant after correction for all cells
 * ({@link Holm}) and the estimate is at least the minimum effect. It is the same if the 95 % interval lies within the
 * minimum effect, else undecided.
 */
public final class ResultComparison {
    /** Entry of the metric column for failed or missing runs. */
    public static final String RUNS = "runs";

    private static final double INTERVAL_LEVEL = 0.05;

    private final Criteria criteria;
    private final List<String> judged;
    private final Directions directions;
    private final List<RegressionFinding> findings = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();
    private final List<Measured> measured = new ArrayList<>();
    /** True if the user named the metrics to judge. */
    private final boolean chosen;
    /** Cells that report none of the metrics that the user named. */
    private final List<String> unjudged = new ArrayList<>();
    /** Metrics that only some runs of a cell report. */
    private final List<String> partial = new ArrayList<>();
    /** Cells with runs that have no counterpart. */
    private final List<String> unpaired = new ArrayList<>();

    private ResultComparison(Criteria criteria, List<String> judged, boolean chosen, Directions directions) {
        this.criteria = criteria;
        this.judged = judged;
        this.chosen = chosen;
        this.directions = directions;
    }

    /**
     * Measured metric, judged after all have been added. If a smaller share of NEW's runs has a value, the metric can
     * be neither the same nor better, and {@code lost} is the reason; else "".
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Measured(int place, Measurement first, String metric, double[] base, double[] now, String lost) {}

    /** Identity of a cell, independent of its numbers' notation. */
    private record Key(String scenario, Map<String, Object> values) {
        static Key of(Measurement run) {
            Map<String, Object> values = new TreeMap<>();
            run.cell().values().forEach((key, value) -> values.put(key, Cell.canonical(value)));
            return new Key(run.scenario(), values);
        }
    }

    /** Compares by the default directions. */
    public static Comparison of(List<Measurement> base, List<Measurement> now, Criteria criteria, List<String> judged) {
        return of(base, now, criteria, judged, Directions.BY_NAME);
    }

    /** Compares the measured metrics in {@code judged}; {@link Direction#JUDGED} if it is empty. */
    public static Comparison of(
            List<Measurement> base,
            List<Measurement> now,
            Criteria criteria,
            List<String> judged,
            Directions directions) {
        return of(base, now, criteria, judged.isEmpty() ? Direction.JUDGED : judged, !judged.isEmpty(), directions);
    }

    /** Compares results. Cells without any of the metrics are noted if the user chose the metrics, else undecided. */
    public static Comparison of(
            List<Measurement> base,
            List<Measurement> now,
            Criteria criteria,
            List<String> judged,
            boolean chosen,
            Directions directions) {
        ResultComparison comparison = new ResultComparison(criteria, List.copyOf(judged), chosen, directions);
        comparison.compare(byCell(base), byCell(now));
        comparison.noteWarnings("BASE", base);
        comparison.noteWarnings("NEW", now);
        comparison.judgeMeasured();
        comparison.noteLosses();
        return new Comparison(comparison.findings, comparison.notes, comparison.means());
    }

    /** Adds a note for each kind of warning; metrics with warnings are compared like others. */
    private void noteWarnings(String side, List<Measurement> runs) {
        Map<String, List<String>> kinds = new LinkedHashMap<>();
        for (Measurement run : valid(runs)) {
            for (String warning : run.warnings()) {
                // Numbers differ from run to run, words do not.
                kinds.computeIfAbsent(warning.replaceAll("[0-9.,]+", "#"), _ -> new ArrayList<>())
                        .add(run.cell().label() + ": " + warning);
            }
        }
        kinds.values()
                .forEach(of -> notes.add("unreliable in " + side + ": "
                        + Quantities.count(of.size(), "run") + (of.size() == 1 ? ": " : ", the first of them ")
                        + of.getFirst()));
    }

    private List<GeometricMean> means() {
        Map<Integer, Measured> samples = new HashMap<>();
        measured.forEach(one -> samples.put(one.place, one));
        List<GeometricMean.Part> parts = new ArrayList<>();
        for (int i = 0; i < findings.size(); i++) {
            Measured sample = samples.get(i);
            parts.add(
                    sample == null
                            ? GeometricMean.Part.exact(findings.get(i))
                            : GeometricMean.Part.measured(findings.get(i), sample.base, sample.now));
        }
        return GeometricMean.of(parts);
    }

    private static Map<Key, List<Measurement>> byCell(List<Measurement> runs) {
        Map<Key, List<Measurement>> cells = new LinkedHashMap<>();
        runs.forEach(run ->
                cells.computeIfAbsent(Key.of(run), _ -> new ArrayList<>()).add(run));
        return cells;
    }

    private void compare(Map<Key, List<Measurement>> base, Map<Key, List<Measurement>> now) {
        base.forEach((key, runs) -> {
            List<Measurement> others = now.get(key);
            Measurement first = runs.getFirst();
            if (others == null) {
                add(first, RUNS, RegressionVerdict.CANT_TELL, "the cell is not in NEW");
            } else {
                compare(runs, others);
            }
        });
        Set<Key> added = new LinkedHashSet<>(now.keySet());
        added.removeAll(base.keySet());
        if (!added.isEmpty()) {
            notes.add(Quantities.count(added.size(), "cell") + " of NEW "
                    + Quantities.verb(added.size(), "are") + " not in BASE: "
                    + Quantities.list(added.stream()
                            .map(key -> label(now.getOrDefault(key, List.of()).getFirst()))
                            .toList()));
        }
    }

    private void noteLosses() {
        if (!unjudged.isEmpty()) {
            notes.add(Quantities.count(unjudged.size(), "cell")
                    + " not judged, because no metric of --metric is reported: " + Quantities.list(unjudged));
        }
        if (!partial.isEmpty()) {
            notes.add("some runs have no value of a metric: " + Quantities.list(partial));
        }
        if (!unpaired.isEmpty()) {
            notes.add("runs left out, because the other side has none of the same repeat and seed: "
                    + Quantities.list(unpaired));
        }
    }

    private static String label(Measurement run) {
        return run.cell().label().isEmpty() ? run.scenario() : run.cell().label();
    }

    private static String problem(List<Measurement> runs) {
        return runs.stream()
                .filter(run -> !run.valid())
                .findFirst()
                .map(run -> String.valueOf(run.problem()))
                .orElse("");
    }

    private void compare(List<Measurement> baseRuns, List<Measurement> nowRuns) {
        Measurement first = nowRuns.getFirst();
        List<Measurement> base = valid(baseRuns);
        List<Measurement> now = valid(nowRuns);
        int failedInBase = baseRuns.size() - base.size();
        int failedInNow = nowRuns.size() - now.size();
        if (failedInNow > 0) {
            add(
                    first,
                    RUNS,
                    failedInBase == 0 ? RegressionVerdict.WORSE : RegressionVerdict.CANT_TELL,
                    failedInNow + " of " + Quantities.count(nowRuns.size(), "run") + " failed in NEW, " + failedInBase
                            + " of " + baseRuns.size() + " in BASE: " + problem(nowRuns));
        } else if (failedInBase > 0) {
            notes.add(failedInBase + " of " + Quantities.count(baseRuns.size(), "run") + " of "
                    + first.cell().label() + " failed in BASE and none in NEW: " + problem(baseRuns));
        }
        if (base.isEmpty() || now.isEmpty()) {
            if (failedInNow == 0) {
                add(first, RUNS, RegressionVerdict.CANT_TELL, "no run of this cell succeeded in BASE");
            }
            return;
        }
        Kind kind = base.getFirst().kind();
        if (kind != first.kind()) {
            add(
                    first,
                    RUNS,
                    RegressionVerdict.CANT_TELL,
                    kind.word() + " in BASE but " + first.kind().word() + " in NEW: not comparable");
        } else if (kind == Kind.MEASURED) {
            collect(base, now);
        } else {
            exactly(base, now);
        }
    }

    private static List<Measurement> valid(List<Measurement> runs) {
        return runs.stream().filter(Measurement::valid).toList();
    }

    private void exactly(List<Measurement> base, List<Measurement> now) {
        Measurement first = now.getFirst();
        List<Measurement> left = new ArrayList<>();
        List<Measurement> right = new ArrayList<>();
        for (Measurement run : base) {
            for (Measurement other : now) {
                if (run.repeat() == other.repeat() && run.seed() == other.seed()) {
                    left.add(run);
                    right.add(other);
                }
            }
        }
        int alone = base.size() + now.size() - left.size() - right.size();
        if (alone > 0 && !left.isEmpty()) {
            unpaired.add(label(first) + " (" + alone + ")");
        }
        if (left.isEmpty()) {
            add(
                    first,
                    RUNS,
                    RegressionVerdict.CANT_TELL,
                    first.kind().word() + " results are compared run by run, but no repeat has the same seed in both:"
                            + " run both with the same --seed");
            return;
        }
        Set<String> metrics = new LinkedHashSet<>();
        left.forEach(run -> metrics.addAll(run.metrics().keySet()));
        for (String metric : metrics) {
            double[] a = left.stream().mapToDouble(run -> run.metric(metric)).toArray();
            double[] b = right.stream().mapToDouble(run -> run.metric(metric)).toArray();
            exactly(first, metric, a, b);
        }
    }

    private void exactly(Measurement first, String metric, double[] base, double[] now) {
        int changed = 0;
        for (int i = 0; i < base.length; i++) {
            // compare, not ==: a metric that is missing in both is no change.
            changed += Double.compare(base[i], now[i]) == 0 ? 0 : 1;
        }
        double a = StatUtils.mean(base);
        double b = StatUtils.mean(now);
        double ratio = changed == 0 ? 1 : b / a;
        Direction direction = directions.of(metric);
        RegressionVerdict verdict = changed == 0
                ? RegressionVerdict.SAME
                : a == b || Double.isNaN(a) || Double.isNaN(b) ? RegressionVerdict.CHANGED : direction.verdict(b - a);
        String reason = changed == 0
                ? ""
                : Double.isNaN(b)
                        ? "no longer reported"
                        : base.length == 1 ? "" : "in " + changed + " of " + Quantities.count(base.length, "run");
        findings.add(new RegressionFinding(
                first.scenario(),
                first.cell().label(),
                metric,
                first.kind(),
                direction,
                a,
                b,
                Double.isFinite(ratio) ? ratio : Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                base.length,
                verdict,
                reason,
                0));
    }

    private void collect(List<Measurement> base, List<Measurement> now) {
        Measurement first = now.getFirst();
        boolean any = false;
        for (String metric : judged) {
            if (Stream.concat(base.stream(), now.stream())
                    .noneMatch(run -> run.metrics().containsKey(metric))) {
                continue;
            }
            any = true;
            double[] a = finite(base, metric);
            double[] b = finite(now, metric);
            if (a.length == 0 || b.length == 0) {
                String reason = a.length > 0 ? "no longer reported" : b.length > 0 ? "not in BASE" : "no number";
                add(first, metric, RegressionVerdict.CANT_TELL, reason + why(a.length > 0 ? now : base));
                continue;
            }
            int lostInBase = base.size() - a.length;
            int lostInNow = now.size() - b.length;
            String lost = "";
            if (lostInBase + lostInNow > 0) {
                lost = lostInNow + " of " + Quantities.count(now.size(), "run") + " of NEW and " + lostInBase + " of "
                        + base.size() + " of BASE have no value" + why(lostInNow > 0 ? now : base);
                partial.add(label(first) + " " + metric + " (" + lost + ")");
            }
            boolean fewer = (double) lostInNow / now.size() > (double) lostInBase / base.size();
            measured.add(new Measured(findings.size(), first, metric, a, b, fewer ? lost : ""));
            // Placeholder, replaced when all p-values are known.
            add(first, metric, RegressionVerdict.CANT_TELL, "");
        }
        if (!any) {
            judgeNothing(base, now);
        }
    }

    /** Adds a cell that reports none of the metrics to judge. */
    private void judgeNothing(List<Measurement> base, List<Measurement> now) {
        Set<String> reported = new LinkedHashSet<>();
        Stream.concat(base.stream(), now.stream())
                .forEach(run -> reported.addAll(run.metrics().keySet()));
        if (chosen && !reported.isEmpty()) {
            unjudged.add(label(now.getFirst()));
            return;
        }
        String reason = reported.isEmpty()
                ? "no values" + why(now)
                : "none of its metrics is judged unless --metric names it: " + Quantities.list(reported);
        add(now.getFirst(), RUNS, RegressionVerdict.CANT_TELL, reason);
    }

    private static String why(List<Measurement> runs) {
        return runs.stream()
                .filter(run -> run.metrics().isEmpty() && run.problem() != null)
                .findFirst()
                .map(run -> ": " + run.problem())
                .orElse("");
    }

    private static double[] finite(List<Measurement> runs, String metric) {
        return runs.stream()
                .mapToDouble(run -> run.metric(metric))
                .filter(Double::isFinite)
                .toArray();
    }

    private void judgeMeasured() {
        int tests = measured.size();
        double[] pValues = new double[tests];
        List<Shift> shifts = new ArrayList<>();
        for (int i = 0; i < tests; i++) {
            Measured it = measured.get(i);
            Shift shift = Shift.between(logarithms(it.base), logarithms(it.now), INTERVAL_LEVEL);
            shifts.add(shift);
            pValues[i] = Double.isNaN(shift.pValue()) ? 1 : shift.pValue();
        }
        double[] adjusted = Holm.adjusted(pValues);
        for (int i = 0; i < tests; i++) {
            Measured it = measured.get(i);
            findings.set(it.place, judge(it, shifts.get(i), adjusted[i], tests));
        }
    }

    private RegressionFinding judge(Measured it, Shift shift, double pValue, int tests) {
        Direction direction = directions.of(it.metric);
        Criteria its = criteria.of(it.metric, it.first.cell().label());
        double matters = its.minShift();
        boolean positive = StatUtils.min(it.base) > 0 && StatUtils.min(it.now) > 0;
        boolean identical = !positive && StatUtils.max(it.base) == 0 && StatUtils.max(it.now) == 0;
        RegressionVerdict verdict;
        String reason = "";
        int moreRuns = 0;
        if (identical) {
            verdict = RegressionVerdict.SAME;
        } else if (!positive) {
            verdict = RegressionVerdict.CANT_TELL;
            reason = Math.min(StatUtils.min(it.base), StatUtils.min(it.now)) < 0
                    ? "some values are negative, so there is no ratio"
                    : "some values are 0, so there is no ratio";
        } else if (pValue < criteria.level() && Math.abs(shift.estimate()) >= matters) {
            verdict = direction.verdict(shift.estimate());
        } else if (shift.low() > -matters && shift.high() < matters) {
            verdict = RegressionVerdict.SAME;
        } else {
            verdict = RegressionVerdict.CANT_TELL;
            double variance = pooledVariance(it);
            if (Double.isNaN(variance)) {
                reason = "one run per side does not show the noise";
                moreRuns = RunsNeeded.of(0, matters, its, criteria.level() / tests, false) - shift.n();
            } else {
                int needed = RunsNeeded.of(variance, shift.estimate(), its, criteria.level() / tests, false);
                moreRuns = Math.max(1, needed - shift.n());
            }
        }
        if (!it.lost.isEmpty() && (verdict == RegressionVerdict.SAME || verdict == RegressionVerdict.BETTER)) {
            verdict = RegressionVerdict.CANT_TELL;
            reason = it.lost;
        }
        double ratio = Math.exp(shift.estimate());
        double base = positive ? shift.middleOfBase(it.base, it.now) : StatUtils.percentile(it.base, 50);
        return new RegressionFinding(
                it.first.scenario(),
                it.first.cell().label(),
                it.metric,
                it.first.kind(),
                direction,
                base,
                positive ? base * ratio : StatUtils.percentile(it.now, 50),
                identical ? 1 : positive ? ratio : Double.NaN,
                identical ? 1 : positive ? Math.exp(shift.low()) : Double.NaN,
                identical ? 1 : positive ? Math.exp(shift.high()) : Double.NaN,
                pValue,
                shift.n(),
                verdict,
                reason,
                moreRuns);
    }

    /** Returns the variance of a difference of logarithms, one value from each side. */
    private static double pooledVariance(Measured it) {
        if (it.base.length < 2 || it.now.length < 2) {
            return Double.NaN;
        }
        return StatUtils.variance(logarithms(it.base)) + StatUtils.variance(logarithms(it.now));
    }

    private static double[] logarithms(double[] values) {
        // Values that are not positive have no logarithm, but an order.
        return Arrays.stream(values)
                .map(value -> value > 0 ? Math.log(value) : -Double.MAX_VALUE / 4)
                .toArray();
    }

    private void add(Measurement run, String metric, RegressionVerdict verdict, String reason) {
        findings.add(new RegressionFinding(
                run.scenario(),
                run.cell().label(),
                metric,
                run.kind(),
                directions.of(metric),
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                Double.NaN,
                0,
                verdict,
                reason,
                0));
    }

    /** Returns a measurement without some keys of its cell, so that runs with different settings form one cell. */
    public static Measurement without(Measurement run, Set<String> keys) {
        return run.in(run.cell()
                .without(key -> keys.contains(key) || keys.contains(key.substring(key.lastIndexOf('.') + 1))));
    }
}
