package org.reprobe.plots.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.Direction;
import org.reprobe.analysis.regress.Shift;
import org.reprobe.plots.Labels;

/**
 * Data of results that the page of all results compares, as JSON in the page, since a page of a file may not read
 * others. A result has the values of the judged metrics, run by run, the points of its figures as in their CSV files,
 * and the settings that its cells do not name.
 */
public final class RunData {
    /** Start of all data of this version. */
    public static final String START = "{\"format\": 1,";

    /** Confidence of intervals as in {@code regress compare}. */
    private static final double INTERVAL_LEVEL = 0.05;

    /** Numbers of runs, the first field behind the format. */
    private static final Pattern SIZES = Pattern.compile(Pattern.quote(START) + " \"sizes\": \\[ *([0-9][0-9, ]*)]");

    private final Map<String, Integer> settings = new LinkedHashMap<>();
    private final Set<Integer> sizes = new TreeSet<>();
    private final Map<String, String> titles = new TreeMap<>();

    private RunData() {}

    /** Content of a result. Figures are CSV texts by scenario and name; settings are those of a run's cell. */
    public record Result(
            List<Measurement> runs, Map<String, String> figures, Function<Measurement, Map<String, String>> settings) {}

    /**
     * Returns a result's data as JSON: numbers of runs per cell, titles of schemes, the texts of settings, the indices
     * of those that all cells of a scenario have, cells with the indices of their others, and figures.
     */
    public static String of(Result result) {
        RunData data = new RunData();
        Map<List<Object>, List<Measurement>> byCell = new LinkedHashMap<>();
        for (Measurement run : result.runs()) {
            byCell.computeIfAbsent(
                            List.of(run.scenario(), run.cell().label(), run.kind(), run.fabric()),
                            _ -> new ArrayList<>())
                    .add(run);
        }
        Map<String, Set<Integer>> common = new LinkedHashMap<>();
        Map<List<Object>, Set<Integer>> settings = new LinkedHashMap<>();
        byCell.forEach((place, runs) -> {
            Set<Integer> own = data.settings(result.settings().apply(runs.getFirst()));
            settings.put(place, own);
            common.computeIfAbsent(runs.getFirst().scenario(), _ -> new TreeSet<>(own))
                    .retainAll(own);
        });
        List<Object> cells = new ArrayList<>();
        byCell.forEach((place, runs) -> {
            Set<Integer> own = settings.getOrDefault(place, Set.of());
            own.removeAll(common.getOrDefault(runs.getFirst().scenario(), Set.of()));
            cells.add(data.cell(runs, own));
        });
        Map<String, Object> ofScenarios = new LinkedHashMap<>();
        common.forEach((scenario, indices) -> ofScenarios.put(scenario, List.copyOf(indices)));
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("format", 1);
        object.put("sizes", List.copyOf(data.sizes));
        object.put("titles", data.titles);
        object.put("settings", List.copyOf(data.settings.keySet()));
        object.put("common", ofScenarios);
        object.put("cells", cells);
        object.put("figures", result.figures());
        return JsonLine.write(object);
    }

    /** Returns the indices of settings. */
    private Set<Integer> settings(Map<String, String> own) {
        Set<Integer> indices = new TreeSet<>();
        own.forEach((key, value) -> indices.add(settings.computeIfAbsent(key + ": " + value, _ -> settings.size())));
        return indices;
    }

    private Map<String, Object> cell(List<Measurement> all, Set<Integer> ownSettings) {
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
        cell.put("settings", List.copyOf(ownSettings));
        cell.put("metrics", metrics);
        return cell;
    }

    /**
     * Returns what the data of results have in common: directions of metrics, and the ranks of the ends of intervals by
     * the numbers of runs.
     */
    static String shared(List<String> data) {
        Set<Integer> all = new TreeSet<>();
        for (String one : data) {
            Matcher sizes = SIZES.matcher(one);
            if (sizes.lookingAt()) {
                Stream.of(sizes.group(1).strip().split(", *"))
                        .map(Integer::valueOf)
                        .forEach(all::add);
            }
        }
        Map<String, Object> cuts = new TreeMap<>();
        for (int m : all) {
            for (int n : all) {
                cuts.put(m + "," + n, Shift.cut(m, n, INTERVAL_LEVEL));
            }
        }
        Map<String, Object> better = new LinkedHashMap<>();
        Direction.JUDGED.forEach(metric -> better.put(metric, Direction.of(metric) == Direction.HIGHER_IS_BETTER));
        return JsonLine.write(new TreeMap<>(Map.of("higher", better, "cuts", cuts)));
    }

    /** Returns JSON that can't end the element that contains it. */
    static String embedded(String json) {
        return json.replace("<", "\\u003c");
    }
}
