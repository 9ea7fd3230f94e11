package org.reprobe.analysis.perftest;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.foreign.ForeignText;

/**
 * Reader of files that perftest writes by {@code --out_json}. Up to version 4.5 they are not JSON: names have no
 * quotes, and commas come before closing braces. Both forms are read, and files with several objects.
 */
final class PerftestJson {
    private static final String RESULTS = "results";

    private final ForeignText text;
    private final List<Problem> problems;
    private final String content;
    private int at;

    PerftestJson(ForeignText text, List<Problem> problems) {
        this.text = text;
        this.problems = problems;
        this.content = text.text();
    }

    /** Word or object with the offset at which it begins. */
    private record Value(String word, Map<String, Value> members, int offset) {}

    private static final class Damage extends Exception {
        private final int offset;

        Damage(int offset, String message) {
            super(message);
            this.offset = offset;
        }
    }

    List<PerftestRun> runs() {
        List<PerftestRun> runs = new ArrayList<>();
        try {
            for (skip(); at < content.length(); skip()) {
                PerftestRun run = run(object());
                if (run != null) {
                    runs.add(run);
                }
            }
        } catch (Damage damage) {
            complain(damage.offset, String.valueOf(damage.getMessage()));
        }
        return runs;
    }

    private void complain(int offset, String message) {
        int start = content.lastIndexOf('\n', offset - 1) + 1;
        problems.add(text.problem(line(offset), offset - start + 1, message));
    }

    private int line(int offset) {
        return 1 + (int) content.chars().limit(offset).filter(c -> c == '\n').count();
    }

    private void skip() {
        while (at < content.length() && (Character.isWhitespace(content.charAt(at)) || content.charAt(at) == ',')) {
            at++;
        }
    }

    private Value object() throws Damage {
        int start = at;
        expect('{');
        Map<String, Value> members = new LinkedHashMap<>();
        for (skip(); at < content.length() && content.charAt(at) != '}'; skip()) {
            int nameAt = at;
            String name = word(":");
            expect(':');
            skip();
            Value value = at < content.length() && content.charAt(at) == '{' ? object() : scalar();
            if (members.put(name, value) != null) {
                throw new Damage(nameAt, "\"" + name + "\" is twice in this object");
            }
        }
        expect('}');
        return new Value("", members, start);
    }

    private Value scalar() throws Damage {
        int start = at;
        return new Value(word(",}\n"), Map.of(), start);
    }

    private String word(String ends) throws Damage {
        int start = at;
        if (at < content.length() && content.charAt(at) == '"') {
            int end = content.indexOf('"', at + 1);
            if (end < 0) {
                throw new Damage(start, "the closing quote is missing");
            }
            at = end + 1;
            while (at < content.length() && Character.isWhitespace(content.charAt(at)) && ends.indexOf('\n') < 0) {
                at++;
            }
            return content.substring(start + 1, end);
        }
        while (at < content.length() && ends.indexOf(content.charAt(at)) < 0 && content.charAt(at) != '{') {
            at++;
        }
        String word = content.substring(start, at).strip();
        if (word.isEmpty()) {
            throw new Damage(start, "a name or a value is expected");
        }
        return word;
    }

    private void expect(char c) throws Damage {
        if (at >= content.length()) {
            throw new Damage(content.length(), "'" + c + "' is expected, but the file ends: it is cut off");
        }
        if (content.charAt(at) != c) {
            throw new Damage(at, "'" + c + "' is expected here, as in a file of --out_json");
        }
        at++;
    }

    private @Nullable PerftestRun run(Value root) {
        Value info = root.members.get("test_info");
        Value results = root.members.get(RESULTS);
        if (info == null || results == null) {
            complain(
                    root.offset,
                    "\"" + (info == null ? "test_info" : RESULTS) + "\" is missing: expected is a file that perftest"
                            + " wrote by --out_json");
            return null;
        }
        Value test = info.members.get("test");
        String heading = test == null ? "" : test.word.replace('_', ' ').strip();
        boolean latency = heading.contains("Latency");
        PerftestProgram program = PerftestProgram.of(
                heading.startsWith("RDMA ")
                        ? heading.replaceFirst("^RDMA (\\S+).*", "RDMA_$1")
                        : heading.replaceFirst(" .*", ""),
                latency);
        if (program == null) {
            complain(
                    test == null ? info.offset : test.offset,
                    "the test must be one of " + String.join(", ", PerftestProgram.commands()) + ", but is "
                            + (test == null ? "missing" : "\"" + test.word + "\""));
            return null;
        }
        int before = problems.size();
        Map<String, String> words = new HashMap<>();
        Map<String, Integer> numbers = new HashMap<>();
        info.members.forEach((key, value) -> {
            String name = key.replace('_', ' ');
            words.put(name, value.word);
            if (!PerftestRun.Settings.NUMBERS.contains(name)) {
                return;
            }
            if (value.word.matches("\\d{1,9}")) {
                numbers.put(name, Integer.valueOf(value.word));
            } else {
                complain(value.offset, key + " must be a whole number, but is \"" + value.word + "\"");
            }
        });
        PerftestRun.Settings settings = PerftestRun.Settings.of(words, numbers, heading.contains("Bidirectional"));
        PerftestRun.Row row = latency ? latency(results) : rate(results);
        return problems.size() > before
                ? null
                : new PerftestRun(
                        program,
                        settings,
                        List.of(row),
                        settings.isSoftware() ? List.of(PerftestRun.Warning.SOFTWARE_RDMA) : List.of(),
                        new Origin(text.name(), line(root.offset)));
    }

    private @Nullable String number(Value object, String name, boolean needed) {
        Value member = object.members.get(name);
        if (member == null) {
            if (needed) {
                complain(object.offset, "\"" + name + "\" is missing in " + RESULTS);
            }
            return null;
        }
        if (!(Parameter.number(member.word) >= 0)) {
            complain(member.offset, name + " must be a number of at least 0, but is \"" + member.word + "\"");
            return null;
        }
        return member.word;
    }

    private PerftestRun.Latency latency(Value results) {
        boolean hasMedian = results.members.containsKey("t_typical");
        return new PerftestRun.Latency(
                count(results, "MsgSize"),
                count(results, "n_iterations"),
                PerftestTable.ns(number(results, "t_typical", false)),
                PerftestTable.ns(number(results, "t_avg", !hasMedian)),
                PerftestTable.ns(number(results, "t_stdev", false)),
                PerftestTable.ns(number(results, "percentile_99", false)),
                List.of(),
                origin(results, "t_typical"));
    }

    private long count(Value results, String name) {
        String number = number(results, name, true);
        return number == null ? 0 : (long) Double.parseDouble(number);
    }

    /** Bandwidths have no unit in these files; their ratio to the message rate determines it. */
    private PerftestRun.Rate rate(Value results) {
        long bytes = count(results, "MsgSize");
        String bandwidth = number(results, "BW_average", true);
        String messages = number(results, "MsgRate", true);
        double perSecond = messages == null
                ? 1
                : new BigDecimal(messages).movePointRight(6).doubleValue();
        double bytesPerSecond = Double.NaN;
        if (bandwidth != null && messages != null) {
            for (String unit : List.of("MiB/sec", "Gb/sec")) {
                double factor = PerftestTable.unit(unit);
                double candidate = PerftestTable.scaled(bandwidth, new BigDecimal(factor));
                if (Double.isNaN(bytesPerSecond)
                        && PerftestTable.contradiction(bytes, candidate, perSecond, factor) == null) {
                    bytesPerSecond = candidate;
                }
            }
            if (Double.isNaN(bytesPerSecond) || !(perSecond > 0)) {
                complain(
                        results.offset,
                        "MsgRate x MsgSize is " + perSecond * bytes + " bytes/s, but BW_average " + bandwidth
                                + " is neither MiB/s nor Gb/s of that");
            }
        }
        return new PerftestRun.Rate(
                bytes, count(results, "n_iterations"), bytesPerSecond, perSecond, origin(results, "BW_average"));
    }

    private Origin origin(Value results, String name) {
        Value member = results.members.get(name);
        return new Origin(text.name(), line(member == null ? results.offset : member.offset));
    }
}
