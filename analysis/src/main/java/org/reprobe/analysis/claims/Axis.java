package org.reprobe.analysis.claims;

import java.util.List;
import org.reprobe.analysis.measurement.Cell;

/** The values of one cell key that a claim speaks of. */
public sealed interface Axis {

    /** Exactly these; a claim is not measured when one of them is missing. */
    record Listed(List<Object> values) implements Axis {
        public Listed {
            values = List.copyOf(values);
        }
    }

    /**
     * Whatever the measurements have, within bounds that include their ends.
     *
     * @param least negative infinity for no bound
     * @param most positive infinity for no bound
     */
    record Found(double least, double most) implements Axis {
        /** Without bounds any value is meant, text too; with bounds only numbers. */
        boolean accepts(Object value) {
            if (value instanceof Number number) {
                return number.doubleValue() >= least && number.doubleValue() <= most;
            }
            return least == Double.NEGATIVE_INFINITY && most == Double.POSITIVE_INFINITY;
        }
    }

    /** True when the axis takes this value of a cell. */
    default boolean contains(Object value) {
        return switch (this) {
            case Listed listed -> listed.values().stream().anyMatch(each -> Cell.equalValues(each, value));
            case Found found -> found.accepts(value);
        };
    }
}
