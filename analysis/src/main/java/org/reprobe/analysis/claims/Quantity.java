package org.reprobe.analysis.claims;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A number that can be computed from measurements. */
public sealed interface Quantity {

    /**
     * A metric of one cell, the mean over its repeats.
     *
     * @param scenario the scenario's name
     * @param metric the metric's dotted name
     * @param cell keys and values that single the cell out, together with those of the claim's {@code over}
     * @param without keys of {@code over} that this cell does not have
     * @param scale factor to the claim's unit
     * @param complement one minus the metric, before scaling: for shares
     */
    record Metric(
            String scenario,
            String metric,
            Map<String, Object> cell,
            Set<String> without,
            double scale,
            boolean complement)
            implements Quantity {
        public Metric {
            cell = Map.copyOf(cell);
            without = Set.copyOf(without);
        }
    }

    /** {@code of / to}. */
    record Ratio(Quantity of, Quantity to) implements Quantity {}

    /** {@code of - minus}. */
    record Difference(Quantity of, Quantity minus) implements Quantity {}

    /** {@code of * by}. */
    record Product(Quantity of, Quantity by) implements Quantity {}

    /** By how many percent {@code of} is lower than {@code from}. */
    record DropPercent(Quantity of, Quantity from) implements Quantity {}

    /** By how many percent {@code of} is higher than {@code over}. */
    record RisePercent(Quantity of, Quantity over) implements Quantity {}

    /**
     * {@code of} at one place, relative to its largest (or smallest) value among several: 1 when it is the extreme.
     *
     * @param largest false for the smallest
     * @param at the place
     * @param among the places it is held against, its own included
     */
    record RelativeToExtreme(boolean largest, Quantity of, Map<String, Object> at, Map<String, Axis> among)
            implements Quantity {
        public RelativeToExtreme {
            at = Map.copyOf(at);
            among = new LinkedHashMap<>(among);
        }
    }

    /** The p value of Welch's two-sided t test over the repeats of two cells. */
    record PValue(Metric of, Metric against) implements Quantity {}

    /** Whether it says of every metric which fabric it is of. */
    default boolean namesFabrics() {
        return metrics().stream().allMatch(metric -> metric.cell().containsKey("fabric"));
    }

    /** Every metric in it, left to right. */
    default List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>();
        collect(this, metrics);
        return List.copyOf(metrics);
    }

    /** The scenarios that it needs. */
    default Set<String> scenarios() {
        Set<String> scenarios = new LinkedHashSet<>();
        metrics().forEach(metric -> scenarios.add(metric.scenario()));
        return scenarios;
    }

    private static void collect(Quantity quantity, List<Metric> into) {
        switch (quantity) {
            case Metric metric -> into.add(metric);
            case Ratio ratio -> {
                collect(ratio.of(), into);
                collect(ratio.to(), into);
            }
            case Difference difference -> {
                collect(difference.of(), into);
                collect(difference.minus(), into);
            }
            case Product product -> {
                collect(product.of(), into);
                collect(product.by(), into);
            }
            case DropPercent drop -> {
                collect(drop.of(), into);
                collect(drop.from(), into);
            }
            case RisePercent rise -> {
                collect(rise.of(), into);
                collect(rise.over(), into);
            }
            case RelativeToExtreme extreme -> collect(extreme.of(), into);
            case PValue p -> {
                into.add(p.of());
                into.add(p.against());
            }
        }
    }
}
