package org.reprobe.analysis.measurement;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Runs of one or several results as one table: one line per run, one column per key of a cell and per metric. Columns:
 * {@code result}, {@code started}, {@code commit}, {@code scenario}, the keys, {@code fabric}, {@code kind},
 * {@code repeat}, {@code seed}, {@code valid}, {@code problem}, the metrics, {@code warnings}. Fields without content
 * are empty.
 */
public final class RunsCsv {
    /** Name of the table in an archive. */
    public static final String NAME = "runs.csv";

    private RunsCsv() {}

    /** Runs of one result with its facts. */
    public record Result(String name, String started, String commit, List<Measurement> runs) {
        public Result {
            runs = List.copyOf(runs);
        }
    }

    /** Returns the table as {@link Csv lines} with a header. */
    public static String text(List<Result> results) {
        Set<String> keys = new LinkedHashSet<>();
        Set<String> metrics = new LinkedHashSet<>();
        results.stream().flatMap(result -> result.runs().stream()).forEach(run -> {
            keys.addAll(run.cell().values().keySet());
            metrics.addAll(run.metrics().keySet());
        });
        StringBuilder csv = new StringBuilder();
        List<String> header = new ArrayList<>(List.of("result", "started", "commit", "scenario"));
        header.addAll(keys);
        header.addAll(List.of("fabric", "kind", "repeat", "seed", "valid", "problem"));
        header.addAll(metrics);
        header.add("warnings");
        Csv.append(csv, header);
        for (Result result : results) {
            for (Measurement run : result.runs()) {
                List<String> fields =
                        new ArrayList<>(List.of(result.name(), result.started(), result.commit(), run.scenario()));
                Map<String, Object> cell = run.cell().values();
                keys.forEach(key -> fields.add(Csv.text(cell.get(key))));
                fields.addAll(List.of(
                        run.fabric(),
                        run.kind().word(),
                        Integer.toString(run.repeat()),
                        Long.toString(run.seed()),
                        Boolean.toString(run.valid()),
                        Csv.text(run.problem())));
                metrics.forEach(metric -> fields.add(Csv.text(run.metric(metric))));
                fields.add(String.join("; ", run.warnings()));
                Csv.append(csv, fields);
            }
        }
        return csv.toString();
    }
}
