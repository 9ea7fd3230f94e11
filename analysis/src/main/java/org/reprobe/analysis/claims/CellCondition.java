package org.reprobe.analysis.claims;

import java.util.List;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.OneOf;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.measurement.Cell;

/** Condition of a claim on one cell key. */
@OneOf(value = OneOf.By.SHAPE, meaning = "Values of a cell's key.")
public sealed interface CellCondition {

    /** Exactly these values; a claim is not measured if one of them is missing. */
    @Section(alone = "values", meaning = "Exactly these values.")
    record Listed(@Key(meaning = "Exactly these values.") List<Object> values) implements CellCondition {
        public Listed {
            values = List.copyOf(values);
        }
    }

    /** All values found in the measurements, within inclusive bounds. */
    @Section(meaning = "All values in the measurements, within bounds.")
    record Found(
            @Key(byDefault = "-Infinity", meaning = "Smallest value.")
            double atLeast,

            @Key(byDefault = "Infinity", meaning = "Largest value.")
            double atMost)
            implements CellCondition {
        /** Accepts any value, text too, without bounds; only numbers with bounds. */
        boolean accepts(Object value) {
            double number = Parameter.number(value);
            return Double.isNaN(number)
                    ? atLeast == Double.NEGATIVE_INFINITY && atMost == Double.POSITIVE_INFINITY
                    : number >= atLeast && number <= atMost;
        }
    }

    default boolean contains(Object value) {
        return switch (this) {
            case Listed listed -> listed.values().stream().anyMatch(each -> Cell.equalValues(each, value));
            case Found found -> found.accepts(value);
        };
    }
}
