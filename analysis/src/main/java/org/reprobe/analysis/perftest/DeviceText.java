package org.reprobe.analysis.perftest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.foreign.ForeignText;
import org.reprobe.analysis.perftest.Device.Fact;
import org.reprobe.analysis.perftest.Device.Program;

/**
 * Reader of one card's lines in the output of {@code ibv_devinfo}, {@code ibstat} or {@code lspci}. A card with several
 * ports has the values of its first active one.
 */
final class DeviceText {
    /** First lines, with the card's name. */
    private static final Map<Program, Pattern> FIRST_LINES = Map.of(
            Program.IBV_DEVINFO, Pattern.compile("^\\s*hca_id:\\s*(\\S+)\\s*$"),
            Program.IBSTAT, Pattern.compile("^\\s*CA '(\\S+)'\\s*$"),
            Program.LSPCI,
                    Pattern.compile("^\\s*(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]"
                            + " ((?:Infiniband|Ethernet|Network) controller.*)$"));

    private static final Pattern OTHER_PCI =
            Pattern.compile("^(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7] \\S.*: .*$");
    private static final Pattern PORT = Pattern.compile("^\\s*(?:port:\\s*|Port )(\\d+):?\\s*$");
    private static final Pattern VALUE = Pattern.compile("^\\s*([A-Za-z][A-Za-z0-9_ ]*):\\s*(\\S.*?)?\\s*$");
    private static final Pattern LINK = Pattern.compile("LnkSta:\\s*Speed ([\\d.]+)GT/s[^,]*, Width x(\\d+)");
    private static final Pattern PAYLOAD = Pattern.compile("MaxPayload (\\d+) bytes, MaxReadReq");
    private static final Set<String> NUMBERS = Set.of(
            "vendor_part_id",
            "max_qp",
            "max_qp_wr",
            "max_qp_rd_atom",
            "max_msg_sz",
            "active_mtu",
            "active_width",
            "active_speed",
            "Rate");

    private final ForeignText text;
    private final List<Problem> problems;
    private final Program program;
    private final String name;
    private final int firstLine;
    private final Map<String, Fact> ofCard = new HashMap<>();
    private final List<Map<String, Fact>> ports = new ArrayList<>();
    private boolean skipped;

    private DeviceText(ForeignText text, List<Problem> problems, Program program, String name, int firstLine) {
        this.text = text;
        this.problems = problems;
        this.program = program;
        this.name = name;
        this.firstLine = firstLine;
    }

    /** Returns the card whose output begins at a line; null if none does. */
    static @Nullable DeviceText at(ForeignText text, String line, int number, List<Problem> problems) {
        for (Map.Entry<Program, Pattern> first : FIRST_LINES.entrySet()) {
            Matcher begin = first.getValue().matcher(line);
            if (begin.matches()) {
                return new DeviceText(text, problems, first.getKey(), begin.group(1), number);
            }
        }
        return null;
    }

    void line(String line, int number) {
        Origin origin = new Origin(text.name(), number);
        if (program == Program.LSPCI) {
            skipped |= OTHER_PCI.matcher(line).matches();
            if (!skipped) {
                pci(line, origin);
            }
            return;
        }
        Matcher port = PORT.matcher(line);
        Matcher value = VALUE.matcher(line);
        if (port.matches()) {
            ports.add(new HashMap<>());
        } else if (value.matches()) {
            String key = value.group(1);
            String given = value.group(2) == null ? "" : value.group(2);
            Fact fact = new Fact(given, origin);
            if (NUMBERS.contains(key) && fact.number() == null) {
                problems.add(text.problem(
                        number,
                        line.length() + 1,
                        key + " needs a number, but " + (given.isEmpty() ? "has none" : "is \"" + given + "\"")));
            }
            (ports.isEmpty() ? ofCard : ports.getLast()).putIfAbsent(key, fact);
        }
    }

    private void pci(String line, Origin origin) {
        Matcher link = LINK.matcher(line);
        Matcher payload = PAYLOAD.matcher(line);
        if (link.find()) {
            ofCard.putIfAbsent("speed", new Fact(link.group(1), origin));
            ofCard.putIfAbsent("width", new Fact(link.group(2), origin));
        } else if (payload.find()) {
            ofCard.putIfAbsent("MaxPayload", new Fact(payload.group(1), origin));
        } else if (line.contains("<access denied>")) {
            problems.add(text.problem(
                    origin.line(),
                    line.indexOf("<access denied>") + 1,
                    "LnkSta is hidden here: run lspci -vv as root"));
        } else if (line.contains("LnkSta:")) {
            problems.add(text.problem(
                    origin.line(),
                    line.indexOf("LnkSta:") + 1,
                    "speed and width of the slot are expected, as \"Speed 16GT/s, Width x16\""));
        }
    }

    /** Returns the card; null if lspci did not print its slot. */
    @Nullable
    Device end() {
        if (program == Program.LSPCI && !ofCard.containsKey("speed")) {
            return null;
        }
        Map<String, Fact> facts = new HashMap<>(ofCard);
        ports.stream()
                .filter(DeviceText::isActive)
                .findFirst()
                .or(() -> ports.stream().findFirst())
                .ifPresent(facts::putAll);
        return new Device(program, name, facts, new Origin(text.name(), firstLine));
    }

    private static boolean isActive(Map<String, Fact> port) {
        Fact lower = port.get("state");
        Fact state = lower == null ? port.get("State") : lower;
        return state != null && state.value().toLowerCase(Locale.ROOT).contains("active");
    }
}
