package org.reprobe.plots;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.measurement.Metrics;

/** Description of a figure: an entry of a scenario's {@code figures}. */
@Section(meaning = "A figure.")
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
                A swept key, scheme or load-factor; percentile for latency percentiles, phase for the time of transactions in each phase, kind for the latency of operations on a graph by kind, time-ms for the course of runs.""")
        String x,

        @Key(example = "throughput", meaning = "The drawn quantity.")
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
        Map<String, Object> where,

        @Key(
                byDefault = "{}",
                example = "titles: {connectx3-farm-4k: 4 KB pages}",
                meaning = "Words for values of keys in the legend and in headings.")
        Map<String, String> titles) {

    /** Pattern of file names: short enough for every file system, including suffixes. */
    public static final String FILE_NAME = "^[A-Za-z0-9][A-Za-z0-9.-]{0,99}$";

    /** {@link #FILE_NAME} in words. */
    public static final String FILE_NAMES = "up to 100 letters, digits, hyphens and dots";

    /** Characters that no label may have: controls, line separators, halves of surrogate pairs, noncharacters. */
    public static final String UNDRAWABLE = "[\\p{Cc}\\p{Zl}\\p{Zp}\\p{Cs}\uFFFE\uFFFF]";

    /** X of figures over time, and cell key of a slice's middle. */
    public static final String TIME = "time-ms";

    /** X of figures with percentiles of latency. */
    public static final String PERCENTILE = "percentile";

    /** X of figures with the time of transactions in each of their phases. */
    public static final String PHASE = "phase";

    /** X of figures with the latency of operations on a graph by their kind. */
    public static final String KIND = "kind";

    /** Returns the suffixes of the metric of such a figure's y, in order; none for others. */
    List<String> parts() {
        return switch (x) {
            case PHASE -> Metrics.phases();
            case KIND -> Metrics.kinds();
            default -> List.of();
        };
    }

    public boolean isOverTime() {
        return x.equals(TIME);
    }

    public FigureSpec {
        series = List.copyOf(series);
        where = Collections.unmodifiableMap(new LinkedHashMap<>(where));
        titles = Collections.unmodifiableMap(new LinkedHashMap<>(titles));
    }

    /** Creates a figure without titles of its own. */
    public FigureSpec(
            String name,
            String title,
            String x,
            FigureQuantity y,
            List<String> series,
            String panels,
            Shape shape,
            boolean logX,
            boolean logY,
            Map<String, Object> where) {
        this(name, title, x, y, series, panels, shape, logX, logY, where, Map.of());
    }

    /** Returns the figure with words for more values; its own prevail. */
    public FigureSpec withTitles(Map<String, String> others) {
        Map<String, String> all = new LinkedHashMap<>(others);
        all.putAll(titles);
        return new FigureSpec(name, title, x, y, series, panels, shape, logX, logY, where, all);
    }

    public enum Shape {
        LINE,
        BAR
    }
}
