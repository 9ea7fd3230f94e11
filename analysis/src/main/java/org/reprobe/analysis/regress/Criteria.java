package org.reprobe.analysis.regress;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;

/**
 * Criteria for a difference: the probability of any false alarm without a change, over all cells and metrics together,
 * and the smallest relevant relative change, 0.05 for 5 %. Both are in (0, 1). The smallest change of some series is in
 * {@code minEffects}, by the metric's name or a part of the cell's label; of several that apply, the last.
 */
public record Criteria(double level, double minEffect, Map<String, Double> minEffects) {
    public static final Criteria DEFAULT = new Criteria(0.05, 0.05);

    public Criteria(double level, double minEffect) {
        this(level, minEffect, Map.of());
    }

    public Criteria {
        minEffects = Collections.unmodifiableMap(new LinkedHashMap<>(minEffects));
        if (!(level > 0 && level < 1 && minEffect > 0 && minEffect < 1)) {
            throw new IllegalArgumentException("level " + level + ", minimum effect " + minEffect);
        }
    }

    /** Returns the criteria for a metric of the cell with a label. */
    Criteria of(String metric, String label) {
        double effect = minEffect;
        for (Map.Entry<String, Double> each : minEffects.entrySet()) {
            if (metric.equals(each.getKey()) || label.contains(each.getKey())) {
                effect = each.getValue();
            }
        }
        return new Criteria(level, effect);
    }

    /** Returns the names of {@link #minEffects} that apply to no series, as bad values of {@code --min-effect}. */
    public List<Problem> unmatched(Set<String> reported, Collection<String> labels) {
        List<Problem> problems = new ArrayList<>();
        for (String name : minEffects.keySet()) {
            if (!reported.contains(name) && labels.stream().noneMatch(label -> label.contains(name))) {
                problems.add(Problem.of(
                        "--min-effect " + name,
                        "is neither a metric of these results nor a part of a cell's label"
                                + Spelling.hint(name, reported)));
            }
        }
        return problems;
    }

    /** Returns the smallest relevant change as a difference of logarithms: a rise of 5 % and a fall by 1 / 1.05. */
    double minShift() {
        return Math.log1p(minEffect);
    }
}
