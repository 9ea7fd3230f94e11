package org.reprobe.plots;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Words for a cell's keys and values in figures and reports: the paper's if it has one. */
public final class Labels {
    /** Characters that SVG cannot hold, or that no font has. */
    private static final Pattern UNDRAWABLE = Pattern.compile(FigureSpec.UNDRAWABLE);

    /** Bound up to which a double holds all whole numbers. */
    private static final double EXACT = 0x1p53;

    private static final Map<String, SchemeStyles.Style> SCHEMES = SchemeStyles.all();

    /** Words for Nessie's rules. */
    private static final Map<String, String> RULES =
            Map.of("printed", "as printed", "corrected", "corrected", "rhtm", "remote transactions");

    private static final Map<String, String> KEYS =
            Map.of("uniform", "uniform keys", "zipf", "Zipf keys", "distinct", "distinct keys");

    /** Axes of a plan's figures. */
    private static final Map<String, String> PLAN_AXES = Map.of(
            "overhead-percent", "Memory overhead (% of the records)",
            "load-percent", "Load (% of the server's capacity)",
            "error-percent", "Predicted - simulated (% of simulated)",
            "resource", "");

    static final String WORKLOAD = "workload.name";

    private static final Map<String, String> AXES = Map.ofEntries(
            Map.entry("load-factor", "Load factor"),
            Map.entry("phase", "Phase of a transaction"),
            Map.entry("kind", "Operation"),
            Map.entry("block-bytes", "Block of edges (bytes)"),
            Map.entry("read-objects", "Objects that a transaction reads"),
            Map.entry("percentile", "Percentile"),
            Map.entry(WORKLOAD, "Workload"),
            Map.entry("record-bytes", "Record size (bytes)"),
            Map.entry("small-share", "Share of small records"),
            Map.entry("read-slots", "Read size (slots)"),
            Map.entry("read-bytes", "Read size (bytes)"),
            Map.entry("represents-mib", "Registered memory (MiB)"),
            Map.entry("neighbourhood", "Neighbourhood H (slots)"),
            Map.entry("assumed-load-factor", "Assumed load factor"),
            Map.entry("theta", "Zipf exponent θ"),
            Map.entry("hint-distance", "Start of the read, in slots from the start of the cluster"),
            Map.entry("outstanding-reads", "Outstanding READs per queue pair"),
            Map.entry("threads", "Client threads"),
            Map.entry("writes", "Share of writes"),
            Map.entry("time-ms", "Time (ms)"),
            Map.entry("scheme", "Scheme"));

    private Labels() {}

    private static String scheme(String name) {
        SchemeStyles.Style style = SCHEMES.get(name);
        return style == null ? name : style.title();
    }

    public static String axis(String key) {
        String title = AXES.getOrDefault(key.equals(WORKLOAD) ? key : lastPart(key), PLAN_AXES.get(key));
        if (title == null) {
            title = words(key);
            title = title.isEmpty() ? "" : title.substring(0, 1).toUpperCase(Locale.ROOT) + title.substring(1);
        }
        return title;
    }

    /** Returns a value, with its key if necessary: "Fixed Linear", "4-way", "heap", "load 0.85", "5 % writes". */
    public static String entry(String key, @Nullable Object value) {
        String text = value(value);
        if (key.equals(WORKLOAD)) {
            return text.startsWith("ycsb-") ? text.toUpperCase(Locale.ROOT).replace('-', ' ') : text + " mix";
        }
        return switch (lastPart(key)) {
            case "scheme" -> scheme(text);
            case "replication", "storage", "times", "at", "of", "fabric", "nic", "kind" -> text;
            case "associativity" -> text.equals("1") ? "non-associative" : text + "-way";
            case "load-factor" -> "load " + text;
            case "assumed-load-factor" -> "assumed load " + text;
            case "track" -> text.equals("true") ? "clusters tracked" : "cluster-oblivious";
            case "homes" -> text.equals("random") ? "random homes" : "homes of existing keys";
            case "rules" -> RULES.getOrDefault(text, text);
            case "keys" -> KEYS.getOrDefault(text, text);
            case "growth" -> text.equals("0") ? "no server program" : "growth " + text;
            case "chunk-buckets" -> text.equals("adaptive") ? "adaptive C" : "C = " + text;
            case "writes" -> value instanceof Number share ? value(100 * share.doubleValue()) + " % writes" : text;
            case "machines" -> text.equals("1") ? "1 machine" : text + " machines";
            case "threads" -> text.equals("1") ? "1 thread" : text + " threads";
            case "gather" -> text.equals("1") ? "" : text + " ranges per READ";
            case "server-threads" -> text.equals("1") ? "" : text + " server threads";
            case "sharing" -> (text.equals("1") ? "1 thread" : text + " threads") + " per queue pair";
            case "replicas" -> text.equals("0") ? "no replicas" : text.equals("1") ? "1 replica" : text + " replicas";
            case "ssd-mb-per-s" -> text.equals("memory") ? "logs in memory" : "SSDs of " + text + " MB/s";
            case "part-bytes" -> text.equals("0") ? "without parts" : "parts of " + text + " bytes";
            case "range-limit" -> text.equals("head") ? "ranges of one block" : "ranges of " + text + " edges";
            case "bytes" -> text + " bytes";
            case "record-bytes" -> "records of " + text + " bytes";
            case "inline-bytes" -> text.equals("none") ? "" : "up to " + text + " bytes inline";
            case "records" -> text.equals("1") ? "1 record" : text + " records";
            case "hashes" -> text + " hashes";
            case "outstanding-reads" -> text + " READs outstanding";
            case "read-slots" ->
                text.equals("by-scheme") ? "" : text.equals("1") ? "1 slot per READ" : "READs of " + text + " slots";
            case "theta" -> "θ = " + text;
            case "keys-per-get", "get-keys" -> text.equals("1") ? "single keys" : "multi-gets of " + text;
            case "tail-cutoff" -> text.equals("exact") ? "exact sum" : "cut-off " + text;
            default -> value instanceof Boolean flag ? (flag ? "" : "not ") + words(key) : words(key) + " " + text;
        };
    }

    /** Returns a value in the figure's words, or else in our own. */
    static String entry(FigureSpec spec, String key, @Nullable Object value) {
        String title = spec.titles().get(value(value));
        return title == null ? entry(key, value) : title;
    }

    /** Returns a panel's heading: "Load factor 0.65", "heap". */
    static String panel(FigureSpec spec, @Nullable Object value) {
        String key = spec.panels();
        String entry = entry(spec, key, value);
        return key.endsWith("load-factor") ? axis(key) + " " + value(value) : entry;
    }

    /**
     * Returns the name of a line: the values of all its keys except those of another scheme's section. A system's
     * schemes share the section of the one whose name begins theirs.
     */
    static String series(FigureSpec spec, List<@Nullable Object> values) {
        List<String> keys = spec.series();
        int schemeAt = keys.indexOf("scheme");
        Object scheme = schemeAt < 0 ? null : values.get(schemeAt);
        List<String> parts = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            String section = keys.get(i).substring(0, Math.max(0, keys.get(i).indexOf('.')));
            boolean ofAnother =
                    scheme != null && SCHEMES.containsKey(section) && !(scheme + "-").startsWith(section + "-");
            if (values.get(i) != null && !ofAnother) {
                parts.add(entry(spec, keys.get(i), values.get(i)));
            }
        }
        parts.removeIf(String::isEmpty);
        return String.join(", ", parts);
    }

    /** Returns a cell's value with all digits, so that different values look different: 0.5, 8, 1,048,576. */
    public static String value(@Nullable Object value) {
        if (!(value instanceof Number number)) {
            return UNDRAWABLE
                    .matcher(String.valueOf(value))
                    .replaceAll(
                            found -> "\\\\u%04x".formatted((int) found.group().charAt(0)));
        }
        double real = number.doubleValue();
        boolean rounded = Double.isFinite(real)
                && (number instanceof Long
                        ? Math.abs(real) >= EXACT
                        : new BigDecimal(digits(real)).doubleValue() != real);
        return rounded ? new BigDecimal(number.toString()).toPlainString().replace('-', '−') : number(real);
    }

    /** Returns a number with at most six digits; thousands separated from 10,000 on. */
    static String number(double value) {
        if (!Double.isFinite(value)) {
            return Double.isNaN(value) ? "–" : value > 0 ? "∞" : "−∞";
        }
        String text = Math.abs(value) >= 10_000 ? String.format(Locale.ROOT, "%,.0f", value) : plain(digits(value));
        return text.replace('-', '−');
    }

    private static String digits(double value) {
        return String.format(Locale.ROOT, Math.abs(value) >= 10_000 ? "%.0f" : "%.6f", value);
    }

    private static String plain(String text) {
        String cut = text.replaceAll("0+$", "").replaceAll("\\.$", "");
        return cut.equals("-0") ? "0" : cut;
    }

    private static String words(String key) {
        return lastPart(key).replace('-', ' ');
    }

    private static String lastPart(String key) {
        return key.substring(key.lastIndexOf('.') + 1);
    }
}
