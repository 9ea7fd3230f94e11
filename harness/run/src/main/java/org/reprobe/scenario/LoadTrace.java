package org.reprobe.scenario;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reader of {@code load.trace}: a CSV file of times and rates, as phases of the offered load. */
final class LoadTrace {
    private static final long MAX_BYTES = 16 << 20;
    private static final double LONGEST_MS = 86_400_000;
    private static final double MAX_PER_S = 1e12;

    private final String name;
    private final List<Problem> problems = new ArrayList<>();
    private final List<double[]> rows = new ArrayList<>();

    private LoadTrace(String name) {
        this.name = name;
    }

    /** Returns the phases; fails with every problem of the file. */
    static ArrayNode phases(Path file) throws InvalidInputException {
        LoadTrace trace = new LoadTrace(file.toString());
        List<String> lines = Document.text(file, MAX_BYTES, "a trace").lines().toList();
        if (lines.isEmpty()) {
            throw new InvalidInputException(trace.name, "is empty");
        }
        String header = lines.getFirst().strip().replace(" ", "");
        if (!header.equals("time-ms,rate-per-s") && !header.equals("time-s,rate-per-s")) {
            trace.refuse(1, 1, lines.getFirst(), "the first line must be time-ms,rate-per-s or time-s,rate-per-s");
        } else {
            double ms = header.startsWith("time-s") ? 1e3 : 1;
            for (int i = 1; i < lines.size(); i++) {
                if (!lines.get(i).isBlank()) {
                    trace.read(i + 1, lines.get(i), ms);
                }
            }
            if (trace.rows.isEmpty() && trace.problems.isEmpty()) {
                trace.refuse(1, 1, lines.getFirst(), "there is no row");
            }
        }
        if (!trace.problems.isEmpty()) {
            throw new InvalidInputException(trace.problems);
        }
        return trace.phases();
    }

    private void read(int line, String text, double ms) {
        int comma = text.indexOf(',');
        if (comma < 0 || text.indexOf(',', comma + 1) >= 0) {
            refuse(line, 1, text, "a row must have a time and a rate");
            return;
        }
        double time = number(text.substring(0, comma)) * ms;
        double rate = number(text.substring(comma + 1));
        if (!Double.isFinite(time)) {
            refuse(line, 1, text, "the time must be a number");
        } else if (!rows.isEmpty() && time <= rows.getLast()[0]) {
            refuse(line, 1, text, "the time must be later than that of the row before");
        } else if (!rows.isEmpty() && time - rows.getLast()[0] > LONGEST_MS) {
            refuse(line, 1, text, "the time must be at most a day later than that of the row before");
        } else if (!(rate >= 0 && rate <= MAX_PER_S)) {
            refuse(line, comma + 2, text, "the rate must be a number from 0 to 1e12");
        } else {
            rows.add(new double[] {time, rate});
        }
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text.strip());
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    private void refuse(int line, int column, String text, String message) {
        problems.add(new Problem(name, line, column, message, text));
    }

    private ArrayNode phases() {
        ArrayNode phases = JsonNodeFactory.instance.arrayNode();
        for (int i = 0; i < rows.size(); i++) {
            boolean last = i + 1 == rows.size();
            ObjectNode phase = phases.addObject();
            phase.put("for-ms", last ? LONGEST_MS : rows.get(i + 1)[0] - rows.get(i)[0]);
            phase.put("rate-per-s", rows.get(i)[1]);
        }
        return phases;
    }
}
