package org.reprobe.analysis.perftest;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.foreign.ForeignText;
import org.reprobe.analysis.perftest.PerftestRun.Warning;

/** Reader of one run's lines, from the heading on. */
final class RunText {
    /** Two settings may be in one line. The longer of two names that end alike comes first. */
    private static final Pattern SETTING = Pattern.compile(
            "(Recv Post List|Post List|Device|Number of qps|Connection type|TX depth|CQ Moderation|Mtu|Link type"
                    + "|Max inline data|Outstand reads)\\s*:\\s*(\\S+)");

    private static final Pattern ADDRESS = Pattern.compile("^[>\\s]*(local|remote) address:\\s*LID\\s+(\\S+).*");
    private static final Pattern GID = Pattern.compile("^[>\\s]*GID:\\s*(\\S+)\\s*$");
    private static final Pattern WHOLE = Pattern.compile("(\\d{1,9})(\\[B\\])?");
    private static final String CONFLICT = "Conflicting CPU frequency";

    private final ForeignText text;
    private final List<Problem> problems;
    private final @Nullable PerftestProgram program;
    private final boolean bidirectional;
    private final int firstLine;
    private final Map<String, String> settings = new HashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();
    private final Map<String, String> addresses = new HashMap<>();
    private final Set<Warning> warnings = EnumSet.noneOf(Warning.class);
    private String side = "";
    private @Nullable PerftestTable table;

    RunText(
            ForeignText text,
            List<Problem> problems,
            @Nullable PerftestProgram program,
            boolean bidirectional,
            int firstLine) {
        this.text = text;
        this.problems = problems;
        this.program = program;
        this.bidirectional = bidirectional;
        this.firstLine = firstLine;
    }

    /** Run of an unknown program, whose lines are skipped. */
    static RunText unknown(ForeignText text, int firstLine) {
        return new RunText(text, new ArrayList<>(), null, false, firstLine);
    }

    void line(String line, int number) {
        if (line.contains(CONFLICT)) {
            warnings.add(Warning.CPU_FREQUENCY);
            return;
        }
        if (program == null) {
            return;
        }
        if (table != null) {
            table.line(line, number);
            return;
        }
        if (line.contains("#bytes")) {
            table = new PerftestTable(text, problems, program, line, number);
            return;
        }
        Matcher address = ADDRESS.matcher(line);
        Matcher gid = GID.matcher(line);
        if (address.matches()) {
            side = address.group(1);
            addresses.putIfAbsent(side, address.group(2));
        } else if (gid.matches() && !side.isEmpty()) {
            addresses.putIfAbsent(side + " GID", gid.group(1));
        }
        Matcher setting = SETTING.matcher(line);
        while (setting.find()) {
            set(setting.group(1), setting.group(2), number, setting.start(2) + 1);
        }
    }

    private void set(String name, String value, int line, int column) {
        settings.put(name, value);
        if (!PerftestRun.Settings.NUMBERS.contains(name) && !name.equals("Recv Post List")) {
            return;
        }
        Matcher whole = WHOLE.matcher(value);
        if (whole.matches()) {
            numbers.put(name, Integer.valueOf(whole.group(1)));
        } else {
            problems.add(text.problem(line, column, name + " must be a whole number, but is \"" + value + "\""));
        }
    }

    /** Returns the run; null if it printed no results, as the server of a latency test. */
    @Nullable
    PerftestRun end() {
        if (program == null) {
            return null;
        }
        if (table == null) {
            if (settings.containsKey("TX depth")) {
                problems.add(text.problem(
                        firstLine,
                        1,
                        "no results follow this heading: a table that begins with #bytes is expected; the output is cut off, or"
                                + " the run failed"));
            }
            return null;
        }
        table.end();
        PerftestRun.Settings read = PerftestRun.Settings.of(settings, numbers, bidirectional);
        if (read.isSoftware()) {
            warnings.add(Warning.SOFTWARE_RDMA);
        }
        if (isLoopback()) {
            warnings.add(Warning.LOOPBACK);
        }
        return new PerftestRun(program, read, table.rows(), List.copyOf(warnings), new Origin(text.name(), firstLine));
    }

    /** Returns true if both ends have the same GID, or without GIDs the same LID. */
    private boolean isLoopback() {
        String localGid = addresses.get("local GID");
        if (localGid != null) {
            return localGid.equals(addresses.get("remote GID"));
        }
        String lid = addresses.get("local");
        return lid != null && lid.equals(addresses.get("remote")) && !lid.matches("0*(x0*)?");
    }
}
