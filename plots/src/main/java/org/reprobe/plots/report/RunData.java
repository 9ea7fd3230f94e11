package org.reprobe.plots.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.Direction;
import org.reprobe.analysis.regress.Shift;
import org.reprobe.plots.Labels;

/**
 * Data of results that the page of all results compares, as JSON in the page, since a page of a file may not read
 * others. A result has the values of the judged metrics, run by run, the points of its figures as in their CSV files,
 * and the settings that its cells do not name. The newest results have data, up to a total size.
 */
public final class RunData {
    /** Confidence of intervals as in {@code regress compare}. */
    private static final double INTERVAL_LEVEL = 0.05;

    /** Total size of the data in a page. */
    private static final int MAX_CHARACTERS = 4_000_000;

    private final Map<String, Integer> settings = new LinkedHashMap<>();
    private final Set<Integer> sizes = new TreeSet<>();
    private final Map<String, String> titles = new TreeMap<>();
    private int characters;

    /** Content of a result. Figures are CSV texts by scenario and name; settings are those of a run's cell. */
    public record Result(
            List<Measurement> runs, Map<String, String> figures, Function<Measurement, Map<String, String>> settings) {}

    /** Returns a result's data as JSON; "" if the page has no space left. Newer results are added first. */
    public String add(Result result) {
        Map<List<Object>, List<Measurement>> cells = new LinkedHashMap<>();
        for (Measurement run : result.runs()) {
            cells.computeIfAbsent(
                            List.of(run.scenario(), run.cell().label(), run.kind(), run.fabric()),
                            _ -> new ArrayList<>())
                    .add(run);
        }
        List<Object> rows = new ArrayList<>();
        cells.values().forEach(runs -> rows.add(cell(runs, result)));
        String json = JsonLine.write(Map.of("cells", rows, "figures", result.figures()));
        if (characters + json.length() > MAX_CHARACTERS) {
            return "";
        }
        characters += json.length();
        return embedded(json);
    }

    private Map<String, Object> cell(List<Measurement> all, Result result) {
        Measurement first = all.getFirst();
        List<Measurement> runs = all.stream().filter(Measurement::valid).toList();
        Map<String, Object> metrics = new LinkedHashMap<>();
        for (String metric : Direction.JUDGED) {
            List<Object> values = new ArrayList<>();
            for (Measurement run : runs) {
                double value = run.metric(metric);
                values.add(Double.isFinite(value) ? (Object) value : "");
            }
            if (values.stream().anyMatch(Double.class::isInstance)) {
                metrics.put(metric, values);
                sizes.add((int) values.stream().filter(Double.class::isInstance).count());
            }
        }
        first.cell().values().forEach((key, value) -> {
            String text = Labels.value(value);
            String title = Labels.entry(key, value);
            if (key.endsWith("scheme") && !title.equals(text)) {
                titles.put(text, title);
            }
        });
        Map<String, Object> cell = new LinkedHashMap<>();
        cell.put("scenario", first.scenario());
        cell.put("cell", first.cell().label());
        cell.put("kind", first.kind().word());
        cell.put("failed", all.size() - runs.size());
        cell.put(
                "ids", runs.stream().map(run -> run.repeat() + ":" + run.seed()).toList());
        cell.put(
                "settings",
                result.settings().apply(first).entrySet().stream()
                        .map(entry -> settings.computeIfAbsent(
                                entry.getKey() + ": " + entry.getValue(), _ -> settings.size()))
                        .sorted()
                        .toList());
        cell.put("metrics", metrics);
        return cell;
    }

    /**
     * Returns what results share, after all were added: the texts of settings by number, titles of schemes, directions
     * of metrics, and the ranks of the ends of intervals by the numbers of runs.
     */
    public String shared() {
        Map<String, Object> cuts = new HashMap<>();
        for (int m : sizes) {
            for (int n : sizes) {
                cuts.put(m + "," + n, Shift.cut(m, n, INTERVAL_LEVEL));
            }
        }
        Map<String, Object> better = new LinkedHashMap<>();
        Direction.JUDGED.forEach(metric -> better.put(metric, Direction.of(metric) == Direction.HIGHER_IS_BETTER));
        return embedded(JsonLine.write(Map.of(
                "settings",
                List.copyOf(settings.keySet()),
                "titles",
                titles,
                "higher",
                better,
                "cuts",
                new TreeMap<>(cuts))));
    }

    /** Returns JSON that can't end the element that contains it. */
    private static String embedded(String json) {
        return json.replace("<", "\\u003c");
    }
}
