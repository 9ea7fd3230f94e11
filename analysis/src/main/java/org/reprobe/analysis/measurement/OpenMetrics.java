package org.reprobe.analysis.measurement;

import java.math.BigDecimal;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Metrics as <a href="https://prometheus.io/docs/specs/om/open_metrics_spec/">OpenMetrics 1.0</a> text. A metric is the
 * gauge {@code reprobe_NAME}; the part behind a dot is the label {@code part}; times are in seconds. A series has one
 * value per time, the one added last.
 */
public final class OpenMetrics {
    private static final String PREFIX = "reprobe_";

    private final Map<String, Family> families = new LinkedHashMap<>();

    private record Family(String type, String unit, String help, Map<String, TreeMap<Instant, Double>> series) {}

    /** Adds a metric by its name in {@code measurements.jsonl}; NaN and infinities are omitted. */
    public void addMetric(
            String metric, String statistic, Map<String, String> labels, double value, @Nullable Instant when) {
        if (!Double.isFinite(value)) {
            return;
        }
        int dot = metric.indexOf('.', metric.startsWith(Metrics.OWN + ".") ? Metrics.OWN.length() + 1 : 0);
        String base = dot < 0 ? metric : metric.substring(0, dot);
        Map<String, String> all = new LinkedHashMap<>(labels);
        if (dot >= 0) {
            all.put("part", metric.substring(dot + 1));
        }
        String meaning = Metrics.meanings().get(base);
        String suffix = statistic.isEmpty() ? "" : "_" + statistic;
        Time time = Time.of(base);
        String name = time == null
                ? base + suffix
                : base.substring(0, base.length() - time.suffix.length()) + suffix + "_seconds";
        add(
                name,
                "gauge",
                time == null ? "" : "seconds",
                (meaning == null ? base : meaning)
                        + (statistic.isEmpty() ? "" : " Half the width of the mean's 95 % interval."),
                all,
                time == null ? value : value / time.perSecond,
                when);
    }

    /** Adds a gauge of another quantity. */
    public void add(String name, String help, Map<String, String> labels, double value) {
        add(name, "gauge", "", help, labels, value, null);
    }

    /** Adds facts as labels of an info metric. */
    public void addInfo(String name, String help, Map<String, String> facts, @Nullable Instant when) {
        add(name, "info", "", help, facts, 1, when);
    }

    private void add(
            String name,
            String type,
            String unit,
            String help,
            Map<String, String> labels,
            double value,
            @Nullable Instant when) {
        families.computeIfAbsent(
                        PREFIX + name.replaceAll("[^A-Za-z0-9_]", "_"),
                        _ -> new Family(type, unit, help, new LinkedHashMap<>()))
                .series()
                .computeIfAbsent(text(labels), _ -> new TreeMap<>())
                .put(when == null ? Instant.MIN : when, value);
    }

    /** Returns labels in braces. Names have no other characters than letters, digits and underscores. */
    private static String text(Map<String, String> labels) {
        Map<String, String> named = new LinkedHashMap<>();
        labels.forEach((key, value) -> {
            String name = key.replaceAll("[^A-Za-z0-9_]", "_");
            String free = name.matches("[A-Za-z].*") ? name : "key_" + name;
            while (named.containsKey(free)) {
                free = "key_" + free;
            }
            if (!value.isEmpty()) { // an empty label is the same as none
                named.put(free, value);
            }
        });
        List<String> parts = new ArrayList<>();
        named.forEach((key, value) -> parts.add(key + "=\"" + escaped(value) + "\""));
        return parts.isEmpty() ? "" : "{" + String.join(",", parts) + "}";
    }

    private static String escaped(String text) {
        return text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }

    /** Returns the exposition, whose last line is {@code # EOF}. */
    public String text() {
        StringBuilder text = new StringBuilder();
        families.forEach((name, family) -> {
            text.append("# TYPE ").append(name).append(' ').append(family.type).append('\n');
            if (!family.unit.isEmpty()) {
                text.append("# UNIT ")
                        .append(name)
                        .append(' ')
                        .append(family.unit)
                        .append('\n');
            }
            text.append("# HELP ")
                    .append(name)
                    .append(' ')
                    .append(escaped(family.help))
                    .append('\n');
            String sample = name + (family.type.equals("info") ? "_info" : "");
            family.series.forEach((labels, values) -> values.forEach((when, value) -> {
                text.append(sample).append(labels).append(' ').append(JsonLine.number(value));
                if (!when.equals(Instant.MIN)) {
                    text.append(' ').append(seconds(when));
                }
                text.append('\n');
            }));
        });
        return text.append("# EOF\n").toString();
    }

    private static String seconds(Instant when) {
        return BigDecimal.valueOf(when.getEpochSecond())
                .add(BigDecimal.valueOf(when.getNano(), 9))
                .stripTrailingZeros()
                .toPlainString();
    }

    /** Unit of time at the end of a metric's name. */
    private record Time(String suffix, double perSecond) {
        private static final List<Time> ALL = List.of(new Time("_ns", 1e9), new Time("_us", 1e6), new Time("_ms", 1e3));

        static @Nullable Time of(String base) {
            return ALL.stream()
                    .filter(time -> base.endsWith(time.suffix))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** Returns the labels of a cell: scenario, the cell's label, fabric, kind, and its keys. */
    public static Map<String, String> labels(Measurement run) {
        Map<String, String> labels = labels(run.scenario(), run.cell().label(), run.fabric(), run.kind());
        run.cell().values().forEach((key, value) -> labels.put(key, Csv.text(value)));
        return labels;
    }

    /** Returns the labels that runs and histories have in common. */
    public static Map<String, String> labels(String scenario, String cell, String fabric, Kind kind) {
        Map<String, String> labels = new LinkedHashMap<>();
        labels.put("scenario", scenario);
        labels.put("cell", cell);
        labels.put("fabric", fabric);
        labels.put("kind", kind.word());
        return labels;
    }
}
