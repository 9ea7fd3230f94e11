package org.reprobe.analysis.foreign;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the user says of another program's results.
 *
 * @param format null to tell it by the content
 * @param values of CSV: the columns that were measured
 * @param keys of CSV: the columns that say what was measured; none for all others
 * @param unit of the values of histograms; null when it is not said
 */
public record ForeignReading(
        @Nullable ForeignFormat format,
        List<Column> values,
        List<String> keys,
        @Nullable Unit unit) {
    public ForeignReading {
        values = List.copyOf(values);
        keys = List.copyOf(keys);
    }

    /** A column of CSV and the unit of its numbers. */
    public record Column(String name, Unit unit) {
        /** The metric: the column's name, with the base unit at its end. */
        String metric() {
            String plain = name.strip().replaceAll("\\s+", "-");
            String suffix = unit.measures().suffix();
            return plain.endsWith(suffix) ? plain : plain + suffix;
        }
    }
}
