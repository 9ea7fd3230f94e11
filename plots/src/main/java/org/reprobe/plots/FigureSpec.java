package org.reprobe.plots;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.measurement.Metrics;

/** What to draw: an entry of a scenario's {@code figures}. */
@Section(meaning = "What to draw.")
public record FigureSpec(
        @Key(
                pattern = FigureSpec.FILE_NAME,
                allowed = FigureSpec.FILE_NAMES,
                example = "reference",
                meaning = "File name without extension.")
        String name,

        @Key(byDefault = "", meaning = "The caption's first sentence.")
        String title,

        @Key(allowed = "a swept key, percentile, phase, kind or time-ms", example = "load-factor", meaning = """
                A swept key, scheme or load-factor; percentile draws latency percentiles, phase how long transactions are in each of theirs, kind how long operations on a graph take, time-ms the course of runs.""")
        String x,

        @Key(example = "throughput", meaning = "What is drawn.")
        FigureQuantity y,

        @Key(
                byDefault = "scheme",
                orOne = true,
                allowed = "a swept key",
                meaning = "One key, or a list of keys whose values together name a line.")
        List<String> series,

        @Key(byDefault = "", meaning = "A swept key: a small panel for each value; empty for one panel.")
        String panels,

        @Key(byDefault = "line", meaning = "line or bar.") Shape shape,

        @Key(byDefault = "false", meaning = "Logarithmic x axis.")
        boolean logX,

        @Key(byDefault = "false", meaning = "Logarithmic y axis.")
        boolean logY,

        @Key(
                byDefault = "{}",
                fullNames = true,
                example = "where: {scheme: linear-variable}",
                meaning = "Only cells with these values.")
        Map<String, Object> where) {

    /** What files are named after: short enough for every file system, with what is put behind it. */
    public static final String FILE_NAME = "^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$";

    /** {@link #FILE_NAME} in words. */
    public static final String FILE_NAMES = "up to 100 letters, digits, hyphens and dots";

    /** Characters that no label can have: control characters, line separators, halves of surrogate pairs, noncharacters. */
    public static final String UNDRAWABLE = "[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\uFFFE\uFFFF]";

    /** The x of figures that show the course of runs, and what cells of their slices call their middle. */
    public static final String TIME = "time-ms";

    /** The x of figures that show percentiles of latency. */
    public static final String PERCENTILE = "percentile";

    /** The x of figures that show how long transactions are in each of their phases. */
    public static final String PHASE = "phase";

    /** The x of figures that show how long operations on a graph take by their kind. */
    public static final String KIND = "kind";

    /** What stands behind the metric of such a figure's y, one after the other; none of others. */
    List<String> parts() {
        return switch (x) {
            case PHASE -> Metrics.phases();
            case KIND -> Metrics.kinds();
            default -> List.of();
        };
    }

    /** Whether it shows the course of runs. */
    public boolean isOverTime() {
        return x.equals(TIME);
    }

    public FigureSpec {
        series = List.copyOf(series);
        where = Collections.unmodifiableMap(new LinkedHashMap<>(where));
    }

    /** How values are drawn. */
    public enum Shape {
        LINE,
        BAR
    }
}
