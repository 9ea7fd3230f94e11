package org.reprobe.analysis.foreign;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Options for reading another program's results. A null format is detected from the content. For CSV, {@code values}
 * are the measured columns and {@code keys} those that identify the cell; if there are no keys, all other columns do.
 * The unit is that of the values of histograms, null if not given.
 *
 * @param time CSV column with the time of each line, null for lines that are repeats of one result
 * @param client word before the number of a client in names of histogram logs, null if each log is a run
 */
public record ForeignReading(
        @Nullable ForeignFormat format,
        List<Column> values,
        List<String> keys,
        @Nullable Unit unit,
        @Nullable String time,
        @Nullable String client) {
    public ForeignReading {
        values = List.copyOf(values);
        keys = List.copyOf(keys);
    }

    public ForeignReading(@Nullable ForeignFormat format, List<Column> values, List<String> keys, @Nullable Unit unit) {
        this(format, values, keys, unit, null, null);
    }

    /** Returns the name of a file without its client: clients of one run have the same. */
    String run(Path file) {
        String name = file.getFileName().toString();
        return client == null
                ? name
                : Pattern.compile(
                                "(?i)(?<![\\p{L}])" + Pattern.quote(client) + "([-_]?\\d[\\p{L}\\d]*|[-_][\\p{L}\\d]+)")
                        .matcher(name)
                        .replaceFirst("");
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
