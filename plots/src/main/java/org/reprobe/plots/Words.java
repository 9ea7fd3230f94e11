package org.reprobe.plots;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The words that figures and reports use for a cell's keys and values: the paper's where it has one. */
public final class Words {
    private static final Map<String, String> SCHEMES = Map.of(
            "linear-fixed", "Fixed Linear",
            "linear-variable", "Variable Linear",
            "linear-variable-unconstrained", "Var. Linear (uncons.)",
            "cuckoo-sequential", "Sequential Cuckoo",
            "cuckoo-parallel", "Parallel Cuckoo",
            "hopscotch", "Hopscotch",
            "hopscotch-chained", "Chained Hopscotch");

    /** Axes of a plan's figures. */
    private static final Map<String, String> PLAN_AXES = Map.of(
            "overhead-percent", "Memory beyond the records (% of them)",
            "load-percent", "Load (% of what the server can do)",
            "error-percent", "Predicted less simulated (% of simulated)",
            "resource", "");

    private static final Map<String, String> AXES = Map.of(
            "load-factor", "Load factor",
            "percentile", "Percentile of lookups",
            "record-bytes", "Record size (bytes)",
            "read-slots", "Read size (slots)",
            "assumed-load-factor", "Assumed load factor",
            "theta", "Zipf exponent θ",
            "hint-distance", "Start of the read, in slots from the start of the cluster",
            "outstanding-reads", "Outstanding READs per queue pair",
            "threads", "Client threads",
            "scheme", "Scheme");

    private Words() {}

    /** The title of an axis that shows a cell key. */
    public static String axis(String key) {
        String title = AXES.getOrDefault(key, PLAN_AXES.get(key));
        if (title == null) {
            title = lastPart(key).replace('-', ' ');
            title = title.isEmpty() ? "" : title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1);
        }
        return title;
    }

    /** A value with its key where it needs one: "Fixed Linear", "4-way", "heap", "load 0.85", "theta=0.99". */
    public static String entry(String key, @Nullable Object value) {
        String text = value(value);
        return switch (lastPart(key)) {
            case "scheme" -> SCHEMES.getOrDefault(text, text);
            case "storage", "times", "at", "of", "fabric" -> text;
            case "associativity" -> text.equals("1") ? "non-associative" : text + "-way";
            case "load-factor" -> "load " + text;
            case "assumed-load-factor" -> "assumed load " + text;
            case "track" -> text.equals("true") ? "clusters tracked" : "cluster-oblivious";
            case "homes" -> text.equals("random") ? "random homes" : "homes of existing keys";
            case "tail-cutoff" -> text.equals("exact") ? "exact sum" : "cut-off " + text;
            default -> lastPart(key) + "=" + text;
        };
    }

    /** A panel's heading: "Load factor 0.65", "heap". */
    static String panel(String key, @Nullable Object value) {
        String entry = entry(key, value);
        return entry.contains("=") || key.endsWith("load-factor") ? axis(key) + " " + value(value) : entry;
    }

    /** The name of a line: the values of all its keys. */
    static String series(List<String> keys, List<@Nullable Object> values) {
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            if (values.get(i) != null) {
                parts.add(entry(keys.get(i), values.get(i)));
            }
        }
        return String.join(", ", parts);
    }

    /** A cell's value as a person writes it: 0.5, 8, 1,048,576. */
    public static String value(@Nullable Object value) {
        return value instanceof Number number ? number(number.doubleValue()) : String.valueOf(value);
    }

    /** A number with the digits that it has, at most six; thousands apart from 10,000 on. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
        }
        String text = Math.abs(value) >= 10_000
                ? String.format(Locale.ROOT, "%,.0f", value)
                : plain(String.format(Locale.ROOT, "%.6f", value));
        return text.replace('-', '−');
    }

    private static String plain(String text) {
        String cut = text.replaceAll("0+$", "").replaceAll("\\.$", "");
        return cut.equals("-0") ? "0" : cut;
    }

    private static String lastPart(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }
}
