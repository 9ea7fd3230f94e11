package org.reprobe.analysis.claims;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;

/** Made-up runs and claims for tests. */
final class SampleRuns {
    final List<Measurement> all = new ArrayList<>();

    /** Adds one run for each value of the metric; the cell is written as {@code key=value,key=value}. */
    SampleRuns add(String scenario, String cell, String metric, double... values) {
        return add(scenario, cell, Kind.SIMULATED, metric, values);
    }

    SampleRuns add(String scenario, String cell, Kind kind, String metric, double... values) {
        for (int repeat = 0; repeat < values.length; repeat++) {
            all.add(new Measurement(
                    scenario, cell(cell), repeat, 1, "sim", kind, true, null, Map.of(metric, values[repeat])));
        }
        return this;
    }

    SampleRuns warned(String scenario, String cell, String metric, String warning, double... values) {
        for (int repeat = 0; repeat < values.length; repeat++) {
            all.add(new Measurement(
                    scenario,
                    cell(cell),
                    repeat,
                    1,
                    "sim",
                    Kind.SIMULATED,
                    true,
                    null,
                    Map.of(metric, values[repeat]),
                    List.of(warning)));
        }
        return this;
    }

    SampleRuns failed(String scenario, String cell, int repeat, String problem) {
        all.add(new Measurement(scenario, cell(cell), repeat, 1, "sim", Kind.SIMULATED, false, problem, Map.of()));
        return this;
    }

    static Cell cell(String text) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (String entry : text.split(",")) {
            String[] pair = entry.split("=");
            Object value = pair[1];
            if (pair[1].matches("-?[0-9]+")) {
                value = Long.valueOf(pair[1]);
            } else if (pair[1].matches("-?[0-9.]+")) {
                value = Double.valueOf(pair[1]);
            } else if (pair[1].equals("true") || pair[1].equals("false")) {
                value = Boolean.valueOf(pair[1]);
            }
            values.put(pair[0], value);
        }
        return new Cell(values);
    }

    /** Returns a file with one claim; {@code body} is all but id, source, text, scenario and unit. */
    static List<Claim> claims(Path folder, String body) throws Exception {
        Path file = folder.resolve("claims.yaml");
        Files.writeString(
                file,
                "paper: p\nclaims:\n  - {id: p/c, source: Table 1, text: words, scenario: s, unit: u,\n"
                        + body.indent(5)
                        + "    }\n");
        return ClaimFile.read(file, null).claims();
    }
}
