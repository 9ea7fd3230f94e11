package org.reprobe.analysis.claims;

import java.util.List;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.OneOf;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.measurement.Cell;

/** The values of one cell key that a claim speaks of. */
@OneOf(value = OneOf.By.SHAPE, meaning = "Values of a cell's key.")
public sealed interface CellCondition {

    /** Exactly these; a claim is not measured when one of them is missing. */
    @Section(alone = "values", meaning = "Exactly these values.")
    record Listed(@Key(meaning = "Exactly these values.") List<Object> values) implements CellCondition {
        public Listed {
            values = List.copyOf(values);
        }
    }

    /** Whatever the measurements have, within bounds that include their ends. */
    @Section(meaning = "All values that the measurements have, within bounds.")
    record Found(
            @Key(byDefault = "-Infinity", meaning = "Smallest value.")
            double atLeast,

            @Key(byDefault = "Infinity", meaning = "Largest value.")
            double atMost)
            implements CellCondition {
        /** Without bounds any value is meant, text too; with bounds only numbers. */
        boolean accepts(Object value) {
            double number = Parameter.number(value);
            return Double.isNaN(number)
                    ? atLeast == Double.NEGATIVE_INFINITY && atMost == Double.POSITIVE_INFINITY
                    : number >= atLeast && number <= atMost;
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
