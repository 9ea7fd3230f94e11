package org.reprobe.analysis.claims;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.StringJoiner;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.stats.Significance;
import org.reprobe.analysis.stats.Summary;

/** Evaluation of claims against measurements. */
public final class ClaimCheck {
    /** Half width, relative to the number, that is presumed for the interval of a rate or latency of one run. */
    private static final double ONE_RUN = 0.02;

    private final Map<String, Map<Cell, List<Measurement>>> scenarios = new LinkedHashMap<>();
    private final Comparability comparability;

    private ClaimCheck(List<Measurement> measurements, Comparability comparability) {
        this.comparability = comparability;
        for (Measurement run : measurements) {
            scenarios
                    .computeIfAbsent(run.scenario(), _ -> new LinkedHashMap<>())
                    .computeIfAbsent(run.cell(), _ -> new ArrayList<>())
                    .add(run);
        }
        scenarios
                .values()
                .forEach(cells ->
                        cells.values().forEach(runs -> runs.sort(Comparator.comparingInt(Measurement::repeat))));
    }

    /**
     * Returns one result per claim, in the claims' order. A claim whose runs are missing, failed or of different kinds
     * is {@link ClaimResult.Status#NOT_MEASURED}, with the reason as its cause. Only a claim that names the fabric of
     * every metric may combine measured and simulated runs; its result then has both kinds.
     *
     * <p>Intervals: Student's t over the repeats of a cell. Ratios, differences and products are computed repeat by
     * repeat, since the cells of a repeat share their keys and most share their table; the interval is that of the
     * results. If cells have different numbers of repeats, it follows by propagation in quadrature. A rate or latency
     * of one run is judged as if its interval were 2 % of it up and down. A claim on {@link Claim.Take#EACH} cell is
     * missed if any cell misses it, and undecided if none misses it and one is undecided. A claim on a rate or latency
     * of a run with {@link Measurement#intervalWarnings} is undecided.
     */
    public static List<ClaimResult> evaluate(
            List<Claim> claims, List<Measurement> measurements, Comparability comparability) {
        ClaimCheck check = new ClaimCheck(measurements, comparability);
        return claims.stream().map(check::evaluate).toList();
    }

    private ClaimResult evaluate(Claim claim) {
        Uses uses = new Uses(EnumSet.noneOf(Kind.class), new LinkedHashSet<>(), new LinkedHashSet<>(), new TreeSet<>());
        Set<Kind> kinds = uses.kinds;
        try {
            Estimate estimate = taken(claim, uses);
            if (!Double.isFinite(estimate.value())) {
                throw new NotMeasured("the quantity divides by zero");
            }
            boolean mixed = kinds.contains(Kind.MEASURED) && kinds.contains(Kind.SIMULATED);
            if (mixed && !claim.quantity().namesFabrics()) {
                throw new NotMeasured("its runs are partly measured and partly simulated, which are never mixed");
            }
            if (kinds.size() > 1) {
                kinds.remove(Kind.PREDICTED); // a number computed from a run and a formula has the run's kind
            }
            ClaimResult.Status status = judged(claim, estimate);
            String cause = claim.cause();
            if (!uses.differences.isEmpty()) {
                status = ClaimResult.Status.NOT_COMPARABLE;
                cause = String.join("; ", uses.differences);
            } else if (!uses.warnings.isEmpty()) {
                status = ClaimResult.Status.CANT_TELL;
                cause = uses.warnings.iterator().next()
                        + (uses.warnings.size() == 1 ? "" : " (first of " + uses.warnings.size() + " warnings)");
            } else if (status == ClaimResult.Status.CANT_TELL && Double.isNaN(estimate.halfWidth())) {
                cause = "one run, within 2 % of the limit" + (cause == null ? "" : ". " + cause);
            }
            return result(claim, estimate.value(), estimate.halfWidth(), status, cause, kinds, uses.runs.first());
        } catch (NotMeasured e) {
            return result(
                    claim,
                    Double.NaN,
                    Double.NaN,
                    ClaimResult.Status.NOT_MEASURED,
                    String.valueOf(e.getMessage()),
                    Set.of(),
                    0);
        }
    }

    private static ClaimResult.Status judged(Claim claim, Estimate estimate) {
        return claim.relation().judge(estimate.value(), estimate.spread(), claim.published(), claim.tolerance());
    }

    private static ClaimResult result(
            Claim claim,
            double reproduced,
            double interval,
            ClaimResult.Status status,
            @Nullable String cause,
            Set<Kind> kinds,
            int runs) {
        return new ClaimResult(
                claim.id(),
                claim.source(),
                claim.text(),
                claim.published(),
                reproduced,
                claim.unit(),
                claim.tolerance(),
                status,
                claim.role(),
                cause,
                interval,
                claim.relation(),
                kinds,
                claim.evidence(),
                claim.derived(),
                claim.repeats(),
                runs);
    }

    private Estimate taken(Claim claim, Uses uses) throws NotMeasured {
        List<Estimate> values = new ArrayList<>();
        Set<String> reasons = new LinkedHashSet<>();
        for (Map<String, Object> binding : bindings(claim.quantity(), claim.over(), Map.of())) {
            try {
                values.add(estimate(claim.quantity(), binding, uses));
            } catch (NotMeasured e) {
                reasons.add(String.valueOf(e.getMessage()));
            }
        }
        if (!reasons.isEmpty()) {
            throw new NotMeasured(String.join("; ", reasons));
        }
        return switch (claim.take()) {
            case EACH -> {
                Estimate worst = values.getFirst();
                for (Estimate value : values) {
                    // A quotient by zero has no order among the numbers, so it is reported.
                    if (!Double.isFinite(value.value()) || worse(claim, value, worst)) {
                        worst = value;
                    }
                }
                yield worst;
            }
            case LOWEST -> extreme(values, false);
            case HIGHEST -> extreme(values, true);
            case MEAN -> {
                Estimate sum = values.getFirst();
                for (Estimate value : values.subList(1, values.size())) {
                    sum = sum.with(value, Operation.PLUS);
                }
                yield sum.scaled(1.0 / values.size(), 0);
            }
            case SPREAD -> extreme(values, true).with(extreme(values, false), Operation.OVER);
            case LOWEST_OF_FAMILY ->
                Estimate.certain(Math.min(1, extreme(values, false).value() * values.size()));
        };
    }

    /** Returns true if {@code value} contradicts the claim more than {@code than} does. */
    private static boolean worse(Claim claim, Estimate value, Estimate than) {
        int verdict = Integer.compare(severity(judged(claim, value)), severity(judged(claim, than)));
        return verdict > 0 || (verdict == 0 && claim.relation().worse(value.value(), than.value(), claim.published()));
    }

    private static int severity(ClaimResult.Status status) {
        return switch (status) {
            case MISSED -> 2;
            case CANT_TELL -> 1;
            default -> 0;
        };
    }

    private static Estimate extreme(List<Estimate> values, boolean largest) {
        Estimate extreme = values.getFirst();
        for (Estimate value : values) {
            if (largest ? value.value() > extreme.value() : value.value() < extreme.value()) {
                extreme = value;
            }
        }
        return extreme;
    }

    /** Returns every combination of the axes' values, each added to {@code outer}. */
    private List<Map<String, Object>> bindings(
            Quantity quantity, Map<String, CellCondition> axes, Map<String, Object> outer) throws NotMeasured {
        List<Map<String, Object>> bindings = List.of(outer);
        for (Map.Entry<String, CellCondition> axis : axes.entrySet()) {
            List<Object> values = switch (axis.getValue()) {
                case CellCondition.Listed listed -> listed.values();
                case CellCondition.Found found -> found(quantity, axis.getKey(), found, axes, outer);
            };
            List<Map<String, Object>> product = new ArrayList<>();
            for (Map<String, Object> binding : bindings) {
                for (Object value : values) {
                    Map<String, Object> bound = new LinkedHashMap<>(binding);
                    bound.put(axis.getKey(), value);
                    product.add(bound);
                }
            }
            bindings = product;
        }
        return bindings;
    }

    /** Returns a key's values in the cells that match the first metric that leaves this key open. */
    private List<Object> found(
            Quantity quantity,
            String key,
            CellCondition.Found axis,
            Map<String, CellCondition> axes,
            Map<String, Object> outer)
            throws NotMeasured {
        for (Quantity.Metric metric : quantity.metrics()) {
            if (metric.cell().containsKey(key) || metric.without().contains(key)) {
                continue;
            }
            Map<String, Object> fixed = part(metric, outer);
            Set<Object> values = new LinkedHashSet<>();
            for (Cell cell : scenarios.getOrDefault(metric.scenario(), Map.of()).keySet()) {
                Object value = cell.get(key);
                if (value != null && axis.contains(value) && cell.matches(fixed) && within(cell, axes, metric)) {
                    values.add(value);
                }
            }
            if (values.isEmpty()) {
                throw new NotMeasured(
                        "no run of " + metric.scenario() + " with " + words(fixed) + " has an allowed value of " + key);
            }
            return List.copyOf(values);
        }
        throw new NotMeasured("no metric of the claim leaves " + key + " open");
    }

    private static boolean within(Cell cell, Map<String, CellCondition> axes, Quantity.Metric metric) {
        for (Map.Entry<String, CellCondition> axis : axes.entrySet()) {
            Object value = cell.get(axis.getKey());
            if (!metric.cell().containsKey(axis.getKey())
                    && !metric.without().contains(axis.getKey())
                    && (value == null || !axis.getValue().contains(value))) {
                return false;
            }
        }
        return true;
    }

    private Estimate estimate(Quantity quantity, Map<String, Object> binding, Uses uses) throws NotMeasured {
        return switch (quantity) {
            case Quantity.Metric metric -> {
                Estimate estimate = Estimate.of(samples(metric, binding, uses)).presuming(metric.metric());
                yield metric.complement()
                        ? estimate.scaled(-metric.scale(), metric.scale())
                        : estimate.scaled(metric.scale(), 0);
            }
            case Quantity.Ratio ratio -> both(ratio.of(), ratio.to(), Operation.OVER, binding, uses);
            case Quantity.Difference difference ->
                both(difference.of(), difference.minus(), Operation.MINUS, binding, uses);
            case Quantity.Product product -> both(product.of(), product.by(), Operation.TIMES, binding, uses);
            case Quantity.DropPercent drop ->
                both(drop.of(), drop.from(), Operation.OVER, binding, uses).scaled(-100, 100);
            case Quantity.RisePercent rise ->
                both(rise.of(), rise.over(), Operation.OVER, binding, uses).scaled(100, -100);
            case Quantity.RelativeToExtreme relative -> relativeToExtreme(relative, binding, uses);
            case Quantity.Significance p -> {
                double[] of = samples(p.of(), binding, uses);
                double[] against = samples(p.against(), binding, uses);
                if (of.length < 2 || against.length < 2) {
                    throw new NotMeasured("a test of significance needs at least two runs of each cell, but "
                            + words(part(of.length < 2 ? p.of() : p.against(), binding)) + " has one");
                }
                yield Estimate.certain(Significance.welch(of, against));
            }
        };
    }

    private Estimate both(Quantity left, Quantity right, Operation by, Map<String, Object> binding, Uses uses)
            throws NotMeasured {
        return estimate(left, binding, uses).with(estimate(right, binding, uses), by);
    }

    /** Returns the value relative to the best of the other cells: 1 if better. The interval includes doubt of that. */
    private Estimate relativeToExtreme(Quantity.RelativeToExtreme relative, Map<String, Object> binding, Uses uses)
            throws NotMeasured {
        Map<String, Object> place = new LinkedHashMap<>(binding);
        place.putAll(relative.at());
        Estimate at = estimate(relative.of(), place, uses);
        List<Estimate> others = new ArrayList<>();
        for (Map<String, Object> other : bindings(relative.of(), relative.among(), binding)) {
            if (!samePlace(other, place)) {
                others.add(estimate(relative.of(), other, uses));
            }
        }
        if (others.isEmpty()) {
            throw new NotMeasured("there is nothing to compare " + words(relative.at()) + " with");
        }
        boolean largest = relative instanceof Quantity.Largest;
        Estimate ratio = at.with(extreme(others, largest), Operation.OVER);
        double lead = largest ? ratio.value() - 1 : 1 - ratio.value();
        return lead < 0
                ? ratio
                : new Estimate(1, Math.max(0, ratio.halfWidth() - lead), null, Math.max(0, ratio.presumed() - lead));
    }

    private static boolean samePlace(Map<String, Object> left, Map<String, Object> right) {
        return left.keySet().equals(right.keySet())
                && left.entrySet().stream().allMatch(entry -> {
                    Object value = right.get(entry.getKey());
                    return value != null && Cell.equalValues(entry.getValue(), value);
                });
    }

    private double[] samples(Quantity.Metric metric, Map<String, Object> binding, Uses uses) throws NotMeasured {
        Map<String, Object> part = part(metric, binding);
        Map<Cell, List<Measurement>> matching = new LinkedHashMap<>();
        scenarios.getOrDefault(metric.scenario(), Map.of()).forEach((cell, runs) -> {
            if (cell.matches(part)) {
                matching.put(cell, runs);
            }
        });
        if (matching.isEmpty()) {
            throw new NotMeasured("no run of " + metric.scenario() + " with " + words(part));
        }
        if (matching.size() > 1) {
            throw new NotMeasured(matching.size() + " cells of " + metric.scenario() + " have " + words(part)
                    + ": the claim does not identify one of them");
        }
        Cell cell = matching.keySet().iterator().next();
        List<Measurement> runs = matching.values().iterator().next();
        uses.differences.addAll(comparability.differences(metric.scenario(), cell, metric.metric()));
        uses.runs.add(runs.size());
        double[] samples = new double[runs.size()];
        for (int i = 0; i < samples.length; i++) {
            Measurement run = runs.get(i);
            if (!run.valid()) {
                throw new NotMeasured("run " + run.repeat() + " of " + metric.scenario() + " with " + words(part)
                        + " failed" + (run.problem() == null ? "" : ": " + run.problem()));
            }
            samples[i] = run.metric(metric.metric());
            if (Double.isNaN(samples[i])) {
                throw new NotMeasured("run " + run.repeat() + " of " + metric.scenario() + " with " + words(part)
                        + " has no " + metric.metric());
            }
            if (Metrics.isOfTime(metric.metric())) {
                run.intervalWarnings().forEach(warning -> uses.warnings.add(cell.label() + ": " + warning));
            }
            uses.kinds.add(Metrics.isOfFormula(metric.metric()) ? Kind.PREDICTED : run.kind());
        }
        return samples;
    }

    private static Map<String, Object> part(Quantity.Metric metric, Map<String, Object> binding) {
        Map<String, Object> part = new LinkedHashMap<>(metric.cell());
        binding.forEach((key, value) -> {
            if (!metric.without().contains(key)) {
                part.putIfAbsent(key, value);
            }
        });
        return part;
    }

    private static String words(Map<String, Object> part) {
        if (part.isEmpty()) {
            return "any cell";
        }
        StringJoiner words = new StringJoiner(", ");
        part.entrySet().stream()
                .sorted(Map.Entry.comparingByKey())
                .forEach(entry -> words.add(entry.getKey() + " " + entry.getValue()));
        return words.toString();
    }

    /**
     * Kinds of the runs behind a claim's number, differences of their settings from the presumed ones, warnings about
     * their intervals, and numbers of runs of cells.
     */
    private record Uses(Set<Kind> kinds, Set<String> differences, Set<String> warnings, NavigableSet<Integer> runs) {}

    private enum Operation {
        PLUS,
        MINUS,
        TIMES,
        OVER;

        double of(double x, double y) {
            return switch (this) {
                case PLUS -> x + y;
                case MINUS -> x - y;
                case TIMES -> x * y;
                case OVER -> x / y;
            };
        }

        /** Returns the half width of the result's interval for independent operands. */
        double halfWidth(double x, double xHalfWidth, double y, double yHalfWidth) {
            return switch (this) {
                case PLUS, MINUS -> Math.hypot(xHalfWidth, yHalfWidth);
                case TIMES -> Math.hypot(xHalfWidth * y, x * yHalfWidth);
                case OVER -> Math.hypot(xHalfWidth / y, x * yHalfWidth / (y * y));
            };
        }

        /** Returns the half width that is presumed for the result: that of the wider operand. */
        double presumed(double x, double xSpread, double y, double ySpread) {
            return switch (this) {
                case PLUS, MINUS -> Math.max(xSpread, ySpread);
                case TIMES -> Math.max(Math.abs(xSpread * y), Math.abs(x * ySpread));
                case OVER -> Math.max(Math.abs(xSpread / y), Math.abs(x * ySpread / (y * y)));
            };
        }
    }

    /**
     * Number with half the width of its 95 % interval, NaN if unknown; samples by repeat, null if not retained; and the
     * half width that is presumed for an unknown interval.
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Estimate(double value, double halfWidth, double @Nullable [] samples, double presumed) {
        static Estimate of(double[] samples) {
            Summary summary = Summary.of(samples);
            return new Estimate(summary.mean(), summary.halfWidth95(), samples, 0);
        }

        static Estimate certain(double value) {
            return new Estimate(value, Double.NaN, null, 0);
        }

        /** Returns the half width to judge by. */
        double spread() {
            return Double.isNaN(halfWidth) ? presumed : halfWidth;
        }

        Estimate presuming(String metric) {
            return Double.isNaN(halfWidth) && Metrics.isOfTime(metric)
                    ? new Estimate(value, halfWidth, samples, ONE_RUN * Math.abs(value))
                    : this;
        }

        Estimate with(Estimate other, Operation operation) {
            double either = operation.presumed(value, spread(), other.value, other.spread());
            double[] left = samples;
            double[] right = other.samples;
            if (left != null && right != null && left.length == right.length) {
                double[] results = new double[left.length];
                Arrays.setAll(results, i -> operation.of(left[i], right[i]));
                Estimate each = of(results);
                return new Estimate(each.value, each.halfWidth, results, either);
            }
            return new Estimate(
                    operation.of(value, other.value),
                    operation.halfWidth(value, halfWidth, other.value, other.halfWidth),
                    null,
                    either);
        }

        Estimate scaled(double factor, double offset) {
            return new Estimate(
                    value * factor + offset,
                    halfWidth * Math.abs(factor),
                    samples == null
                            ? null
                            : Arrays.stream(samples)
                                    .map(sample -> sample * factor + offset)
                                    .toArray(),
                    presumed * Math.abs(factor));
        }
    }

    /** Reason why a claim has no number, as shown to the user. */
    private static final class NotMeasured extends Exception {
        NotMeasured(String message) {
            super(message);
        }
    }
}
