package org.reprobe.analysis.perftest;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.foreign.ForeignText;

/**
 * Reader of a text file with outputs of perftest, {@code ibv_devinfo}, {@code ibstat} and {@code lspci} in any order,
 * as in a copied terminal session. Other lines are ignored.
 */
final class OutputText {
    private static final Pattern HEADING = Pattern.compile(
            "^\\s*(\\S+)((?:\\s+(?:FETCH_AND_ADD|CMP_AND_SWAP|Bidirectional|Post List))*)\\s+(BW|Latency)\\s+Test\\s*$");
    /** A program's line may begin after its heading in the middle of another's. */
    private static final Pattern OTHER_HEADING = Pattern.compile("^\\s{8,}(\\S.*\\S)\\s+Test\\s*$");

    private static final Pattern TABLE = Pattern.compile("^[>\\s]*#bytes\\b.*");

    private final ForeignText text;
    private final List<Problem> problems;
    private final List<PerftestRun> runs = new ArrayList<>();
    private final List<Device> devices = new ArrayList<>();
    private @Nullable RunText run;
    private @Nullable DeviceText device;
    private boolean recognized;

    OutputText(ForeignText text, List<Problem> problems) {
        this.text = text;
        this.problems = problems;
    }

    List<PerftestRun> runs() {
        return runs;
    }

    List<Device> devices() {
        return devices;
    }

    void read() {
        for (int i = 0; i < text.lines().size(); i++) {
            line(text.lines().get(i), i + 1);
        }
        end();
        if (!recognized) {
            problems.add(text.problem(
                    1,
                    1,
                    "no output of perftest, ibv_devinfo, ibstat or lspci is in this file; expected is all that one of them"
                            + " prints, for perftest from its heading (\"RDMA_Read BW Test\") on: "
                            + String.join(", ", PerftestProgram.commands())));
        }
    }

    private void line(String line, int number) {
        Matcher heading = HEADING.matcher(line);
        if (heading.matches()) {
            end();
            heading(heading, line, number);
            return;
        }
        Matcher other = OTHER_HEADING.matcher(line);
        if (other.matches()) {
            end();
            recognized = true;
            problems.add(text.problem(
                    number,
                    other.start(1) + 1,
                    "\"" + other.group(1) + "\" is not the heading of a known program: one of "
                            + String.join(", ", PerftestProgram.commands())));
            run = RunText.unknown(text, number);
            return;
        }
        DeviceText begun = DeviceText.at(text, line, number, problems);
        if (begun != null) {
            end();
            recognized = true;
            device = begun;
        } else if (run != null) {
            run.line(line, number);
        } else if (device != null) {
            device.line(line, number);
        } else if (TABLE.matcher(line).matches()) {
            recognized = true;
            problems.add(
                    text.problem(
                            number,
                            line.indexOf("#bytes") + 1,
                            "the lines above this table are missing: the heading, as \"RDMA_Read BW Test\", determines the program"));
            run = RunText.unknown(text, number);
            run.line(line, number);
        }
    }

    private void heading(Matcher heading, String line, int number) {
        recognized = true;
        boolean latency = heading.group(3).equals("Latency");
        PerftestProgram program = PerftestProgram.of(heading.group(1), latency);
        if (program == null) {
            problems.add(text.problem(
                    number,
                    heading.start(1) + 1,
                    "\"" + heading.group(1)
                            + "\" is not a known verb of a perftest program: one of RDMA_Read, RDMA_Write,"
                            + " Send, Atomic"));
            run = RunText.unknown(text, number);
        } else {
            run = new RunText(text, problems, program, line.contains("Bidirectional"), number);
        }
    }

    private void end() {
        if (run != null) {
            PerftestRun ended = run.end();
            if (ended != null) {
                runs.add(ended);
            }
        }
        if (device != null) {
            Device ended = device.end();
            if (ended != null) {
                devices.add(ended);
            }
        }
        run = null;
        device = null;
    }
}
