package org.reprobe.analysis.claims;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.OneOf;
import org.reprobe.analysis.document.Section;

/** Number that can be computed from measurements; in claims files a mapping of one key. */
@OneOf(value = OneOf.By.KEY, meaning = "A number that can be computed from measurements.")
public sealed interface Quantity {

    /** Quantity from which others are computed. */
    @OneOf(
            value = OneOf.By.KEY,
            otherwise = Metric.class,
            meaning = "A quantity, by its key; or a value, without the key.")
    sealed interface Operand extends Quantity {}

    /** Metric of one cell, the mean over its repeats. */
    @Section(name = "value", meaning = "A metric of one cell, the mean over its repeats.")
    record Metric(
            @Key(optional = true, meaning = "Another scenario than the claim's.")
            String scenario,

            @Key(meaning = "The metric's dotted name.") String metric,

            @Key(byDefault = "{}", meaning = """
                    Keys and values that identify the cell, together with those of the claim's over.""") Map<String, Object> cell,

            @Key(byDefault = "[]", meaning = "Keys of over that the cell does not have.")
            List<String> without,

            @Key(byDefault = "1", meaning = "Factor to the claim's unit.")
            double scale,

            @Key(
                    byDefault = "false",
                    meaning = "True for 1 - metric, computed before scaling: the complement of a share.")
            boolean complement)
            implements Operand {
        public Metric {
            cell = Map.copyOf(cell);
            without = List.copyOf(without);
        }
    }

    @Section(name = "ratio", meaning = "of / to.")
    record Ratio(
            @Key(meaning = "The dividend.") Operand of,
            @Key(meaning = "The divisor.") Operand to) implements Operand {}

    @Section(name = "difference", meaning = "of - minus.")
    record Difference(
            @Key(meaning = "The minuend.") Operand of,
            @Key(meaning = "The subtrahend.") Operand minus) implements Operand {}

    @Section(name = "product", meaning = "of * by.")
    record Product(
            @Key(meaning = "A factor.") Operand of,
            @Key(meaning = "A factor.") Operand by) implements Operand {}

    @Section(name = "drop-percent", meaning = "Difference in percent by which of is lower than from.")
    record DropPercent(
            @Key(meaning = "The lower one.") Operand of,
            @Key(meaning = "The higher one.") Operand from) implements Operand {}

    @Section(name = "rise-percent", meaning = "Difference in percent by which of is higher than over.")
    record RisePercent(
            @Key(meaning = "The higher one.") Operand of,
            @Key(meaning = "The lower one.") Operand over) implements Operand {}

    /** Quantity in one cell, relative to its extreme among several: 1 if it is the extreme. */
    sealed interface RelativeToExtreme extends Operand {
        Operand of();

        Map<String, Object> at();

        /** Returns the cells of the comparison, including {@link #at}. */
        Map<String, CellCondition> among();
    }

    @Section(name = "largest", meaning = "Share of the largest of several values: at-least: 1 for the largest.")
    record Largest(
            @Key(meaning = "The quantity to compare.") Operand of,

            @Key(meaning = "The cell whose value should be the largest.")
            Map<String, Object> at,

            @Key(or = "all", allowed = ClaimFile.AN_AXIS, meaning = "The cells of the comparison, by the same keys.")
            Map<String, CellCondition> among)
            implements RelativeToExtreme {
        public Largest {
            at = Map.copyOf(at);
            among = new LinkedHashMap<>(among);
        }
    }

    @Section(name = "smallest", meaning = "Multiple of the smallest of several values: at-most: 1 for the smallest.")
    record Smallest(
            @Key(meaning = "The quantity to compare.") Operand of,

            @Key(meaning = "The cell whose value should be the smallest.")
            Map<String, Object> at,

            @Key(or = "all", allowed = ClaimFile.AN_AXIS, meaning = "The cells of the comparison, by the same keys.")
            Map<String, CellCondition> among)
            implements RelativeToExtreme {
        public Smallest {
            at = Map.copyOf(at);
            among = new LinkedHashMap<>(among);
        }
    }

    /** P value of Welch's two-sided t test over the repeats of two cells. */
    @Section(name = "significance", meaning = "Welch's two-sided t test over the repeats of two cells.")
    record Significance(
            @Key(meaning = "A cell.") Metric of,
            @Key(meaning = "The other cell.") Metric against,

            @Key(
                    words = {"significant", "not significant"},
                    meaning = "Expected significance of the difference.")
            String is,

            @Key(above = 0, below = 1, meaning = "Level of the test.")
            double level)
            implements Quantity {}

    /** Returns true if every metric names its fabric. */
    default boolean namesFabrics() {
        return metrics().stream().allMatch(metric -> metric.cell().containsKey("fabric"));
    }

    default List<Metric> metrics() {
        List<Metric> metrics = new ArrayList<>();
        collect(this, metrics);
        return List.copyOf(metrics);
    }

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
            case Significance test -> {
                into.add(test.of());
                into.add(test.against());
            }
        }
    }
}
