package org.reprobe.analysis.claims;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.stats.Significance;
import org.reprobe.analysis.stats.Summary;

/** Holds claims against measurements. */
public final class ClaimCheck {
    private final Map<String, Map<Cell, List<Measurement>>> scenarios = new LinkedHashMap<>();

    private ClaimCheck(List<Measurement> measurements) {
        for (Measurement run : measurements) {
            scenarios
                    .computeIfAbsent(run.scenario(), _ -> new LinkedHashMap<>())
                    .computeIfAbsent(run.cell(), _ -> new ArrayList<>())
                    .add(run);
        }
    }

    /**
     * One result for each claim, in the claims' order. A claim whose runs are missing, failed or of different kinds is
     * {@link ClaimResult.Status#NOT_MEASURED}, with the reason as its cause. Only a claim that compares fabrics by name, and so
     * says which of its numbers is measured, may have runs of both kinds; its result then has no kind.
     *
     * <p>Intervals: Student's t over the repeats of a cell; those of ratios, differences and products follow by
     * propagation in quadrature, as if their operands were independent.
     */
    public static List<ClaimResult> evaluate(List<Claim> claims, List<Measurement> measurements) {
        ClaimCheck check = new ClaimCheck(measurements);
        return claims.stream().map(check::evaluate).toList();
    }

    private ClaimResult evaluate(Claim claim) {
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        try {
            Estimate estimate = taken(claim, kinds);
            if (!Double.isFinite(estimate.value())) {
                throw new NotMeasured("the quantity divides by zero");
            }
            boolean mixed = kinds.contains(Kind.MEASURED) && kinds.contains(Kind.SIMULATED);
            if (mixed && !claim.quantity().namesFabrics()) {
                throw new NotMeasured("its runs are partly measured and partly simulated, which are never mixed");
            }
            boolean holds = claim.relation().holds(estimate.value(), claim.published(), claim.tolerance());
            return result(
                    claim,
                    estimate.value(),
                    estimate.halfWidth(),
                    holds ? ClaimResult.Status.HOLDS : ClaimResult.Status.MISSED,
                    holds ? null : claim.cause(),
                    mixed ? null : kinds.iterator().next());
        } catch (NotMeasured e) {
            return result(
                    claim,
                    Double.NaN,
                    Double.NaN,
                    ClaimResult.Status.NOT_MEASURED,
                    String.valueOf(e.getMessage()),
                    null);
        }
    }

    private static ClaimResult result(
            Claim claim,
            double reproduced,
            double interval,
            ClaimResult.Status status,
            @Nullable String cause,
            @Nullable Kind kind) {
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
                kind);
    }

    private Estimate taken(Claim claim, Set<Kind> kinds) throws NotMeasured {
        List<Estimate> values = new ArrayList<>();
        Set<String> reasons = new LinkedHashSet<>();
        for (Map<String, Object> binding : bindings(claim.quantity(), claim.over(), Map.of())) {
            try {
                values.add(estimate(claim.quantity(), binding, kinds));
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
                    // a quotient by zero is neither better nor worse than a number: let it be reported
                    if (!Double.isFinite(value.value())
                            || claim.relation().worse(value.value(), worst.value(), claim.published())) {
                        worst = value;
                    }
                }
                yield worst;
            }
            case LOWEST -> extreme(values, false);
            case HIGHEST -> extreme(values, true);
            case MEAN -> {
                double sum = 0;
                double squares = 0;
                for (Estimate value : values) {
                    sum += value.value();
                    squares += value.halfWidth() * value.halfWidth();
                }
                yield new Estimate(sum / values.size(), Math.sqrt(squares) / values.size());
            }
            case SPREAD -> extreme(values, true).dividedBy(extreme(values, false));
            case LOWEST_OF_FAMILY ->
                new Estimate(Math.min(1, extreme(values, false).value() * values.size()), Double.NaN);
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

    /** Every combination of the axes' values, on top of {@code outer}. */
    private List<Map<String, Object>> bindings(Quantity quantity, Map<String, Axis> axes, Map<String, Object> outer)
            throws NotMeasured {
        List<Map<String, Object>> bindings = List.of(outer);
        for (Map.Entry<String, Axis> axis : axes.entrySet()) {
            List<Object> values = switch (axis.getValue()) {
                case Axis.Listed listed -> listed.values();
                case Axis.Found found -> found(quantity, axis.getKey(), found, axes, outer);
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

    /** The values of a key in those cells that the first metric with this key left open may speak of. */
    private List<Object> found(
            Quantity quantity, String key, Axis.Found axis, Map<String, Axis> axes, Map<String, Object> outer)
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
                        "no run of " + metric.scenario() + " with " + words(fixed) + " has a fitting " + key);
            }
            return List.copyOf(values);
        }
        throw new NotMeasured("nothing depends on " + key);
    }

    private static boolean within(Cell cell, Map<String, Axis> axes, Quantity.Metric metric) {
        for (Map.Entry<String, Axis> axis : axes.entrySet()) {
            Object value = cell.get(axis.getKey());
            if (!metric.cell().containsKey(axis.getKey())
                    && !metric.without().contains(axis.getKey())
                    && (value == null || !axis.getValue().contains(value))) {
                return false;
            }
        }
        return true;
    }

    private Estimate estimate(Quantity quantity, Map<String, Object> binding, Set<Kind> kinds) throws NotMeasured {
        return switch (quantity) {
            case Quantity.Metric metric -> {
                Summary summary = Summary.of(samples(metric, binding, kinds));
                double mean = metric.complement() ? 1 - summary.mean() : summary.mean();
                yield new Estimate(mean * metric.scale(), summary.halfWidth95() * Math.abs(metric.scale()));
            }
            case Quantity.Ratio ratio ->
                estimate(ratio.of(), binding, kinds).dividedBy(estimate(ratio.to(), binding, kinds));
            case Quantity.Difference difference -> {
                Estimate of = estimate(difference.of(), binding, kinds);
                Estimate minus = estimate(difference.minus(), binding, kinds);
                yield new Estimate(of.value() - minus.value(), Math.hypot(of.halfWidth(), minus.halfWidth()));
            }
            case Quantity.Product product -> {
                Estimate of = estimate(product.of(), binding, kinds);
                Estimate by = estimate(product.by(), binding, kinds);
                yield new Estimate(
                        of.value() * by.value(), Math.hypot(of.halfWidth() * by.value(), of.value() * by.halfWidth()));
            }
            case Quantity.DropPercent drop -> {
                Estimate ratio = estimate(drop.of(), binding, kinds).dividedBy(estimate(drop.from(), binding, kinds));
                yield new Estimate(100 * (1 - ratio.value()), 100 * ratio.halfWidth());
            }
            case Quantity.RelativeToExtreme relative -> relativeToExtreme(relative, binding, kinds);
            case Quantity.PValue p -> {
                double[] of = samples(p.of(), binding, kinds);
                double[] against = samples(p.against(), binding, kinds);
                if (of.length < 2 || against.length < 2) {
                    throw new NotMeasured("a test of significance needs at least two runs of each cell, but "
                            + words(part(of.length < 2 ? p.of() : p.against(), binding)) + " has one");
                }
                yield new Estimate(Significance.welch(of, against), Double.NaN);
            }
        };
    }

    private Estimate relativeToExtreme(
            Quantity.RelativeToExtreme relative, Map<String, Object> binding, Set<Kind> kinds) throws NotMeasured {
        Map<String, Object> place = new LinkedHashMap<>(binding);
        place.putAll(relative.at());
        Estimate at = estimate(relative.of(), place, kinds);
        List<Estimate> all = new ArrayList<>(List.of(at));
        for (Map<String, Object> other : bindings(relative.of(), relative.among(), binding)) {
            all.add(estimate(relative.of(), other, kinds));
        }
        Estimate extreme = extreme(all, relative.largest());
        return extreme.equals(at) ? new Estimate(1, Double.NaN) : at.dividedBy(extreme);
    }

    /** The metric's value in each run of the one cell that it means. */
    private double[] samples(Quantity.Metric metric, Map<String, Object> binding, Set<Kind> kinds) throws NotMeasured {
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
                    + ", so it is not clear which is meant");
        }
        List<Measurement> runs = matching.values().iterator().next();
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
            kinds.add(run.kind());
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
     * @param halfWidth of the 95 % interval; NaN where there is none
     */
    private record Estimate(double value, double halfWidth) {
        Estimate dividedBy(Estimate by) {
            return new Estimate(
                    value / by.value, Math.hypot(halfWidth / by.value, value * by.halfWidth / (by.value * by.value)));
        }
    }

    /** Why a claim has no number, in the user's words. */
    private static final class NotMeasured extends Exception {
        private static final long serialVersionUID = 1L;

        NotMeasured(String message) {
            super(message);
        }
    }
}
