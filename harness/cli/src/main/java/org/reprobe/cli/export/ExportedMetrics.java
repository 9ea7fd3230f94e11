package org.reprobe.cli.export;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.claims.ClaimResults;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.OpenMetrics;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.analysis.stats.Summary;
import org.reprobe.run.StoredRuns;

/** Results as OpenMetrics. */
final class ExportedMetrics {
    private ExportedMetrics() {}

    /** Returns the means of a result's cells over the repeats, their intervals, numbers of runs and claims. */
    static String of(StoredRuns stored) throws InvalidInputException {
        OpenMetrics metrics = new OpenMetrics();
        metrics.addInfo("result", "Facts of the result.", facts(stored.environment()), null);
        Map<Map<String, String>, List<Measurement>> cells = new LinkedHashMap<>();
        stored.runs()
                .forEach(run -> cells.computeIfAbsent(OpenMetrics.labels(run), _ -> new ArrayList<>())
                        .add(run));
        cells.forEach((labels, runs) -> {
            List<Measurement> valid = runs.stream().filter(Measurement::valid).toList();
            metrics.add("runs", "Valid runs of the cell.", labels, valid.size());
            metrics.add("failed_runs", "Failed runs of the cell.", labels, runs.size() - valid.size());
            Set<String> names = new LinkedHashSet<>();
            valid.forEach(run -> names.addAll(run.metrics().keySet()));
            for (String name : names) {
                double[] values = valid.stream()
                        .mapToDouble(run -> run.metric(name))
                        .filter(Double::isFinite)
                        .toArray();
                if (values.length > 0) {
                    Summary summary = Summary.of(values);
                    metrics.addMetric(name, "", labels, summary.mean(), null);
                    metrics.addMetric(name, "ci95", labels, summary.halfWidth95(), null);
                }
            }
        });
        List<ClaimResults.Stored> claims = ClaimResults.read(stored.dir());
        for (ClaimResult.Status status : ClaimResult.Status.values()) {
            long count =
                    claims.stream().filter(claim -> claim.verdict() == status).count();
            if (!claims.isEmpty()) {
                metrics.add("claims", "Claims by verdict.", Map.of("verdict", status.word()), (double) count);
            }
        }
        return metrics.text();
    }

    /** Returns the medians of each result of a history, with the times of the results. */
    static String of(List<HistoryEntry> history) {
        OpenMetrics metrics = new OpenMetrics();
        for (HistoryEntry entry : history) {
            Map<String, String> facts = facts(entry.environment());
            facts.put("commit", entry.commit());
            facts.put("machine", entry.machine());
            metrics.addInfo(
                    "result", "Facts of the result.", facts, entry.when().toInstant());
            for (HistoryEntry.Values cell : entry.cells()) {
                Map<String, String> labels =
                        OpenMetrics.labels(cell.scenario(), cell.cell(), cell.fabric(), cell.kind());
                labels.put("machine", entry.machine());
                cell.metrics()
                        .forEach((name, value) -> metrics.addMetric(
                                name, "", labels, value, entry.when().toInstant()));
            }
        }
        return metrics.text();
    }

    /** Returns the facts of a result that identify it. */
    private static Map<String, String> facts(Map<String, String> environment) {
        Map<String, String> facts = new LinkedHashMap<>();
        for (String name : List.of("nic", "fabric", "kind", "scale", "seed", "reprobe")) {
            facts.put(name, environment.getOrDefault(name, ""));
        }
        facts.put("commit", HistoryEntry.version(environment));
        facts.put("machine", HistoryEntry.fingerprint(environment));
        return facts;
    }
}
