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
 * History in the format of Apache Otava (formerly Hunter): CSV with the columns time, commit and one per metric, and
 * {@code otava.yaml} with a test per file. Otava rejects empty fields, so metrics share a file only if all were
 * measured each time.
 */
public final class OtavaFiles {
    public static final String CONFIGURATION = "otava.yaml";

    private static final int MAX_NAME = 120;

    private OtavaFiles() {}

    private record Group(String scenario, String cell, List<String> times) {}

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

    private static String name(Group group, Set<String> taken) {
        String plain = plain(group.scenario + (group.cell.isEmpty() ? "" : "." + group.cell));
        String name = plain.length() > MAX_NAME ? plain.substring(0, MAX_NAME) : plain;
        String free = name;
        for (int i = 2; !taken.add(free); i++) {
            free = name + "-" + i;
        }
        return free;
    }

    /** Returns a text without special characters of shell, YAML and CSV. */
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
