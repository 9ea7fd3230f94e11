package org.reprobe.analysis.foreign;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Options for reading another program's results. A null format is detected from the content. For CSV, {@code values}
 * are the measured columns and {@code keys} those that identify the cell; if there are no keys, all other columns do.
 * The unit is that of the values of histograms, null if not given.
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

    public record Column(String name, Unit unit) {
        /** Returns the metric: the column's name followed by the base unit. */
        String metric() {
            String plain = name.strip().replaceAll("\\s+", "-");
            String suffix = unit.measures().suffix();
            return plain.endsWith(suffix) ? plain : plain + suffix;
        }
    }
}
