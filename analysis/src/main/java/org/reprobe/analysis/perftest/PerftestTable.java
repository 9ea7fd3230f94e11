package org.reprobe.analysis.perftest;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.foreign.ForeignText;
import org.reprobe.analysis.perftest.PerftestRun.Row;

/** Reader of the table at the end of a run's output, from the line of column names on. */
final class PerftestTable {
    private static final Pattern COLUMN = Pattern.compile(
            "(#bytes|#sl|#iterations|BW peak|BW average|MsgRate Port\\d|MsgRate|BW Port\\d|t_min|t_max|t_typical|t_avg|t_stdev"
                    + "|99% percentile|99\\.9% percentile|tps average|CPU_Util)(\\[([^\\]]*)\\])?");

    private static final Pattern ROW = Pattern.compile("^[>\\s]*\\d+\\s+\\S.*");
    private static final Pattern TOKEN = Pattern.compile("[^\\s>]\\S*");
    private static final Pattern SAMPLES = Pattern.compile("^[>\\s]*#,\\s*(\\S+)\\s*$");
    private static final Pattern SAMPLE = Pattern.compile("^[>\\s]*(\\d+),\\s*(\\S+)\\s*$");
    private static final Pattern RULE = Pattern.compile("^[>\\s]*-{10,}\\s*$");
    private static final List<String> WITHOUT_UNIT = List.of("#bytes", "#sl", "#iterations", "tps average");
    private static final int DECIMALS = 2;
    private static final int DECIMALS_OF_MESSAGES = 6;

    private final ForeignText text;
    private final List<Problem> problems;
    private final PerftestProgram program;
    private final int headerLine;
    /** Names of columns with their units; "" for none. */
    private final Map<String, String> columns = new LinkedHashMap<>();

    private final Map<Long, Row> rows = new LinkedHashMap<>();
    private final List<Double> samplesNs = new ArrayList<>();
    private boolean sampling;
    private boolean usable = true;
    private boolean ended;
    /** True from the first row on, even a damaged one. */
    private boolean begun;

    PerftestTable(ForeignText text, List<Problem> problems, PerftestProgram program, String header, int line) {
        this.text = text;
        this.problems = problems;
        this.program = program;
        this.headerLine = line;
        Matcher column = COLUMN.matcher(header);
        while (column.find()) {
            String name = column.group(1);
            String unit = column.group(3) == null ? "" : column.group(3);
            columns.put(name, unit);
            if (!isKnown(name, unit)) {
                complain(
                        line,
                        column.start() + 1,
                        unit.isEmpty()
                                ? "the unit of " + name + " is missing: " + units(name) + " is expected in brackets"
                                : "the unit of " + name + " must be " + units(name) + ", but is \"" + unit + "\"");
            }
        }
        String needed = program.isLatency() ? columns.containsKey("t_typical") ? "t_typical" : "t_avg" : "BW average";
        if (usable && !(columns.containsKey(needed) && columns.containsKey("#iterations"))) {
            complain(
                    line,
                    header.indexOf("#bytes") + 1,
                    "columns of " + program.command() + " are expected, among them #iterations and " + needed
                            + ": the line is cut off, or belongs to another program");
        }
    }

    private static boolean isKnown(String name, String unit) {
        return WITHOUT_UNIT.contains(name)
                ? unit.isEmpty()
                : List.of(units(name).split(" or ")).contains(unit);
    }

    private static String units(String name) {
        if (name.startsWith("BW")) {
            return "MB/sec or MiB/sec or Gb/sec";
        }
        return name.startsWith("MsgRate") ? "Mpps" : name.startsWith("CPU") ? "%" : "usec";
    }

    private void complain(int line, int column, String message) {
        usable = false;
        problems.add(text.problem(line, column, message));
    }

    List<Row> rows() {
        return List.copyOf(rows.values());
    }

    void line(String line, int number) {
        if (ended || (!usable && rows.isEmpty())) {
            return;
        }
        Matcher samples = SAMPLES.matcher(line);
        Matcher sample = SAMPLE.matcher(line);
        if (RULE.matcher(line).matches()) {
            ended = true;
        } else if (samples.matches()) {
            sampling = true;
            samplesNs.clear();
            if (!samples.group(1).equals("usec")) {
                complain(
                        number,
                        samples.start(1) + 1,
                        "times must be in usec, but are in " + samples.group(1) + ": run " + program.command()
                                + " without -C");
            }
        } else if (sampling && sample.matches()) {
            sample(sample, number);
        } else if (ROW.matcher(line).matches()) {
            row(line, number);
        }
    }

    private void sample(Matcher sample, int line) {
        int index = samplesNs.size() + 1;
        double us = Parameter.number(sample.group(2));
        if (!sample.group(1).equals(String.valueOf(index))) {
            complain(
                    line,
                    sample.start(1) + 1,
                    "time number " + index + " is expected, but this is number " + sample.group(1)
                            + ": lines are missing");
            sampling = false;
        } else if (!(us >= 0)) {
            complain(line, sample.start(2) + 1, "a time in usec is expected, but it is \"" + sample.group(2) + "\"");
            sampling = false;
        } else {
            samplesNs.add(ns(sample.group(2)));
        }
    }

    private void row(String line, int number) {
        begun = true;
        List<String> words = new ArrayList<>();
        List<Integer> places = new ArrayList<>();
        Matcher token = TOKEN.matcher(line);
        int end = 0;
        while (token.find()) {
            words.add(token.group());
            places.add(token.start() + 1);
            end = token.end();
        }
        if (words.size() != columns.size()) {
            problems.add(text.problem(
                    number,
                    words.size() < columns.size() ? end + 1 : places.get(columns.size()),
                    Quantities.count(columns.size(), "number") + " are expected ("
                            + String.join(", ", columns.keySet()) + "), not " + words.size()
                            + ": the line is cut off, wrapped or has two numbers run together"));
            return;
        }
        Map<String, String> values = new LinkedHashMap<>();
        int before = problems.size();
        int at = 0;
        for (String name : columns.keySet()) {
            values.put(name, words.get(at));
            String problem = problem(name, words.get(at));
            if (problem != null) {
                problems.add(text.problem(number, places.get(at), problem));
            }
            at++;
        }
        if (problems.size() == before) {
            add(number, places.getFirst(), values);
        }
        samplesNs.clear();
        sampling = false;
    }

    /** Returns the reason for which a word is not a number as perftest prints it; null if it is one. */
    private static @Nullable String problem(String name, String word) {
        if (name.startsWith("#")) {
            return word.matches("\\d{1,18}") ? null : name + " must be a whole number, but is \"" + word + "\"";
        }
        if (!(Parameter.number(word) >= 0)) {
            return name + " must be a number of at least 0, but is \"" + word + "\"";
        }
        int decimals = word.length() - 1 - word.indexOf('.');
        int printed = name.startsWith("MsgRate") ? DECIMALS_OF_MESSAGES : DECIMALS;
        return word.indexOf('.') >= 0 && decimals < printed
                ? name + " has " + Quantities.count(decimals, "decimal") + " where perftest prints " + printed
                        + ": the number is cut off"
                : null;
    }

    private void add(int line, int column, Map<String, String> values) {
        long bytes = whole(values, "#bytes");
        Origin origin = new Origin(text.name(), line);
        Row row = program.isLatency() ? latency(bytes, values, origin) : rate(bytes, values, origin, column);
        if (row == null) {
            return;
        }
        Row first = rows.get(bytes);
        if (first == null) {
            rows.put(bytes, row);
        } else if (!first.at(origin).equals(row)) {
            problems.add(text.problem(
                    line,
                    column,
                    bytes + " bytes are twice in this table, with different numbers; the first is in line "
                            + first.origin().line()));
        }
    }

    private static long whole(Map<String, String> values, String column) {
        return Long.parseLong(Objects.requireNonNull(values.get(column)));
    }

    private PerftestRun.Latency latency(long bytes, Map<String, String> values, Origin origin) {
        long iterations = whole(values, "#iterations");
        if (!samplesNs.isEmpty() && (samplesNs.size() < iterations - 1 || samplesNs.size() > iterations)) {
            problems.add(text.problem(
                    origin.line(),
                    1,
                    "this size has " + iterations + " iterations, but " + samplesNs.size() + " times above it"));
        }
        return new PerftestRun.Latency(
                bytes,
                iterations,
                ns(values.get("t_typical")),
                ns(values.get("t_avg")),
                ns(values.get("t_stdev")),
                ns(values.get("99% percentile")),
                samplesNs.stream().sorted().toList(),
                origin);
    }

    private PerftestRun.@Nullable Rate rate(long bytes, Map<String, String> values, Origin origin, int column) {
        double unit = unit(columns.get("BW average"));
        double bytesPerSecond = scaled(values.get("BW average"), new BigDecimal(unit));
        String written = values.get("MsgRate");
        double messages = written == null
                ? bytesPerSecond / bytes
                : new BigDecimal(written).movePointRight(6).doubleValue();
        if (!(messages > 0) || bytes == 0) {
            problems.add(text.problem(
                    origin.line(), column, "the rate of " + bytes + " bytes is 0: more iterations are needed"));
            return null;
        }
        String contradiction = contradiction(bytes, bytesPerSecond, messages, unit);
        if (contradiction != null) {
            problems.add(text.problem(origin.line(), column, contradiction));
            return null;
        }
        return new PerftestRun.Rate(bytes, whole(values, "#iterations"), bytesPerSecond, messages, origin);
    }

    /** Returns the factor of a unit to bytes per second; MB are 2^20 bytes in all versions. */
    static double unit(@Nullable String word) {
        return "Gb/sec".equals(word) ? 1.25e8 : 0x1p20;
    }

    /** Returns the reason for which a bandwidth and a message rate do not belong together; null if they do. */
    static @Nullable String contradiction(long bytes, double bytesPerSecond, double messages, double unit) {
        double product = bytes * messages;
        double rounding = 0.01 * unit + bytes * 1.0 + 0.002 * product;
        return Math.abs(product - bytesPerSecond) <= rounding
                ? null
                : String.format(
                        Locale.ROOT,
                        "MsgRate x %d bytes is %.6g bytes/s, but BW average is %.6g: a digit is wrong, or the unit",
                        bytes,
                        product,
                        bytesPerSecond);
    }

    /** Returns a time in ns; NaN for null. */
    static double ns(@Nullable String us) {
        return us == null ? Double.NaN : new BigDecimal(us).movePointRight(3).doubleValue();
    }

    static double scaled(@Nullable String number, BigDecimal factor) {
        return number == null
                ? Double.NaN
                : new BigDecimal(number).multiply(factor).doubleValue();
    }

    void end() {
        if (usable && !begun) {
            complain(headerLine, 1, "no row follows these columns: the output is cut off, or the run failed");
        }
    }
}
