package org.reprobe.analysis.regress;

import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.measurement.JsonLine;

/**
 * A history as Apache Otava (once Hunter) reads it: CSV with the columns time, commit and a metric each, and its
 * {@code otava.yaml} with a test for every file. Otava takes no empty field, so metrics share a file only where they were all
 * measured each time.
 */
public final class OtavaFiles {
    /** Otava's configuration. */
    public static final String CONFIGURATION = "otava.yaml";

    private static final int MAX_NAME = 120;

    private OtavaFiles() {}

    private record Group(String scenario, String cell, List<String> times) {}

    /** All files: their names in one folder, and their text. */
    public static Map<String, String> of(RunHistory history) {
        Map<Group, List<SeriesHistory>> groups = new LinkedHashMap<>();
        for (SeriesHistory series : history.series()) {
            List<String> times = series.points().stream().map(OtavaFiles::time).toList();
            groups.computeIfAbsent(new Group(series.scenario(), series.cell(), times), _ -> new ArrayList<>())
                    .add(series);
        }
        Map<String, String> files = new LinkedHashMap<>();
        StringBuilder configuration =
                new StringBuilder("# For Apache Otava: OTAVA_CONFIG=otava.yaml otava analyze TEST\n");
        configuration.append(groups.isEmpty() ? "tests: {}\n" : "tests:\n");
        Set<String> names = new LinkedHashSet<>();
        groups.forEach((group, series) -> {
            String name = name(group, names);
            files.put(name + ".csv", csv(series));
            configuration
                    .append("  \"")
                    .append(name)
                    .append("\":\n")
                    .append("    type: csv\n")
                    .append("    file: \"")
                    .append(name)
                    .append(".csv\"\n")
                    .append("    time_column: time\n")
                    .append("    attributes: [commit]\n")
                    .append("    metrics:\n");
            for (SeriesHistory metric : series) {
                int direction = metric.direction() == Direction.LOWER_IS_BETTER ? -1 : 1;
                configuration
                        .append("      \"")
                        .append(plain(metric.metric()))
                        .append("\": {direction: ")
                        .append(direction)
                        .append(", scale: 1}\n");
            }
            configuration.append("    csv_options: {delimiter: \",\", quote_char: '\"'}\n");
        });
        files.put(CONFIGURATION, configuration.toString());
        return files;
    }

    private static String time(SeriesHistory.Point point) {
        return point.when().format(DateTimeFormatter.ISO_OFFSET_DATE_TIME);
    }

    /** The test's name, which is typed, and its file's. */
    private static String name(Group group, Set<String> taken) {
        String plain = plain(group.scenario + (group.cell.isEmpty() ? "" : "." + group.cell));
        String name = plain.length() > MAX_NAME ? plain.substring(0, MAX_NAME) : plain;
        String free = name;
        for (int i = 2; !taken.add(free); i++) {
            free = name + "-" + i;
        }
        return free;
    }

    /** Nothing that a shell, YAML or CSV takes for more than a letter. */
    private static String plain(String text) {
        return text.replaceAll("[^A-Za-z0-9._=-]+", "-").replaceFirst("^[.-]+", "");
    }

    private static String csv(List<SeriesHistory> metrics) {
        StringBuilder csv = new StringBuilder("time,commit");
        metrics.forEach(metric -> csv.append(',').append(plain(metric.metric())));
        csv.append('\n');
        List<SeriesHistory.Point> first = metrics.getFirst().points();
        for (int i = 0; i < first.size(); i++) {
            csv.append(time(first.get(i)))
                    .append(',')
                    .append(plain(first.get(i).commit().replace('+', '-')));
            for (SeriesHistory metric : metrics) {
                csv.append(',').append(JsonLine.number(metric.points().get(i).value()));
            }
            csv.append('\n');
        }
        return csv.toString();
    }
}
