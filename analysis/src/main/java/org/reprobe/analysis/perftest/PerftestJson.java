package org.reprobe.analysis.perftest;

import java.math.BigDecimal;
import java.util.ArrayList;
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
        int line = 1;
        int start = 0;
        for (int i = content.indexOf('\n'); i >= 0 && i < offset; i = content.indexOf('\n', i + 1)) {
            line++;
            start = i + 1;
        }
        problems.add(text.problem(line, offset - start + 1, message));
    }

    private int line(int offset) {
        return 1
                + (int) content.substring(0, offset)
                        .chars()
                        .filter(c -> c == '\n')
                        .count();
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
        Value device = info.members.get("Device");
        Integer queuePairs = whole(info, "Number_of_qps");
        Integer postList = whole(info, "Post_List");
        PerftestRun.Settings settings = new PerftestRun.Settings(
                device == null ? null : device.word,
                word(info, "Connection_type"),
                word(info, "Link_type"),
                queuePairs == null ? 1 : queuePairs,
                postList == null ? 1 : postList,
                heading.contains("Bidirectional"),
                whole(info, "TX_depth"),
                whole(info, "CQ_Moderation"),
                whole(info, "Mtu"),
                whole(info, "Max_inline_data"),
                whole(info, "Outstand_reads"));
        PerftestRun.Row row = latency ? latency(results) : rate(results);
        boolean software = device != null && device.word.matches("(rxe|siw).*");
        return problems.size() > before
                ? null
                : new PerftestRun(
                        program,
                        settings,
                        List.of(row),
                        software ? List.of(PerftestRun.Warning.SOFTWARE_RDMA) : List.of(),
                        new Origin(text.name(), line(root.offset)));
    }

    private static @Nullable String word(Value object, String name) {
        Value member = object.members.get(name);
        return member == null ? null : member.word;
    }

    private @Nullable Integer whole(Value object, String name) {
        Value member = object.members.get(name);
        if (member == null) {
            return null;
        }
        if (!member.word.matches("\\d{1,9}")) {
            complain(member.offset, name + " must be a whole number, but is \"" + member.word + "\"");
            return null;
        }
        return Integer.valueOf(member.word);
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
