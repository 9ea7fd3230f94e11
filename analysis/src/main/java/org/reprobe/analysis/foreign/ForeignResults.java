package org.reprobe.analysis.foreign;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.Metrics;

/**
 * Results of somebody's benchmark program: a file, or a folder with a file for each time that it was run.
 *
 * @param runs a line a repeat: JMH's forks, Google Benchmark's repetitions, lines of CSV, files of histograms
 * @param settings what each cell was measured with, by {@link #place}; none where the format does not say
 * @param environment where and by what it was measured, as far as the format says
 * @param when the measurements began, or else the first file's date
 * @param notes what the reader should know besides
 */
public record ForeignResults(
        Path path,
        ForeignFormat format,
        List<Measurement> runs,
        Map<String, Map<String, String>> settings,
        Map<String, String> environment,
        OffsetDateTime when,
        List<String> notes) {

    public ForeignResults {
        runs = List.copyOf(runs);
        settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
        notes = List.copyOf(notes);
    }

    /** Whether these are files of another program: a file, or a folder with at least one that is recognised. */
    public static boolean isOne(Path path, ForeignReading reading) throws IOException {
        if (!Files.isDirectory(path)) {
            return Files.isRegularFile(path);
        }
        for (Path file : files(path)) {
            try {
                if (reading.format() != null || format(ForeignText.read(file)) != null) {
                    return true;
                }
            } catch (InvalidInputException e) {
                // Some other file beside them.
            }
        }
        return false;
    }

    /**
     * Reads a file, or all files of a folder as repeats of each other.
     *
     * @throws InvalidInputException with all that is wrong in them
     */
    public static ForeignResults read(Path path, ForeignReading reading) throws InvalidInputException, IOException {
        List<Path> files = Files.isDirectory(path) ? files(path) : List.of(path);
        if (files.isEmpty()) {
            throw new InvalidInputException(Problem.of(path.toString(), "holds no files"));
        }
        List<Problem> problems = new ArrayList<>();
        ForeignFormat common = null;
        ForeignRuns into = null;
        for (Path each : files) {
            try {
                ForeignText file = ForeignText.read(each);
                ForeignFormat format = reading.format() == null ? format(file) : reading.format();
                if (format == null) {
                    problems.add(unknown(file));
                } else if (common != null && common != format) {
                    problems.add(Problem.of(
                            file.name(),
                            "is " + format.meaning() + ", but " + files.getFirst() + " is " + common.meaning()));
                } else {
                    common = format;
                    into = into == null ? new ForeignRuns(format) : into;
                    read(file, format, reading, into);
                }
            } catch (InvalidInputException e) {
                problems.addAll(e.problems());
            }
        }
        if (into != null) {
            problems.addAll(into.problems);
        }
        if (common == null || into == null || !problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        OffsetDateTime when = into.when();
        return new ForeignResults(
                path,
                common,
                into.runs,
                into.settings,
                into.environment,
                when == null
                        ? Files.getLastModifiedTime(files.getFirst())
                                .toInstant()
                                .atOffset(ZoneOffset.UTC)
                        : when,
                List.copyOf(into.notes));
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> Files.isRegularFile(file)
                            && !file.getFileName().toString().startsWith("."))
                    .sorted()
                    .toList();
        }
    }

    private static void read(ForeignText file, ForeignFormat format, ForeignReading reading, ForeignRuns into)
            throws InvalidInputException {
        switch (format) {
            case JMH -> JmhResults.read(file, PlacedValue.parse(file), into);
            case GOOGLE_BENCHMARK -> GoogleBenchmarkResults.read(file, PlacedValue.parse(file), into);
            case CSV -> ColumnResults.read(file, reading, into);
            case HISTOGRAM_LOG -> HistogramResults.read(file, reading, into);
        }
    }

    /** The format that a text looks like; null when it looks like none. */
    private static @Nullable ForeignFormat format(ForeignText file) {
        String first = file.lines().stream()
                .filter(line -> !line.isBlank())
                .findFirst()
                .orElse("")
                .strip();
        String values = file.lines().stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .findFirst()
                .orElse("");
        if (HistogramFile.isLog(first, values)) {
            return ForeignFormat.HISTOGRAM_LOG;
        }
        if (first.startsWith("[") && file.text().contains("\"benchmark\"")) {
            return ForeignFormat.JMH;
        }
        if (first.startsWith("{") && file.text().contains("\"benchmarks\"")) {
            return ForeignFormat.GOOGLE_BENCHMARK;
        }
        return first.startsWith("[") || first.startsWith("{") || !OutputFile.hasColumns(file.text())
                ? null
                : ForeignFormat.CSV;
    }

    private static Problem unknown(ForeignText file) {
        return file.problem(
                1,
                1,
                (file.text().isBlank() ? "is empty" : "is in no format that is known here")
                        + "; expected is "
                        + Stream.of(ForeignFormat.values())
                                .map(ForeignFormat::meaning)
                                .collect(Collectors.joining(", or "))
                        + ". --format says which it is");
    }

    /** Names a cell in {@link #settings}. */
    public static String place(String scenario, Cell cell) {
        return scenario + " " + cell.label();
    }

    /** What a run's cell was measured with; none where the format does not say. */
    public Map<String, String> settingsOf(Measurement run) {
        return settings.getOrDefault(place(run.scenario(), run.cell()), Map.of());
    }

    /** The machine as far as the format says: its name and CPUs; "" where it does not. */
    public String machine() {
        String host = environment.get("host_name");
        return host == null ? "" : host + ", " + environment.getOrDefault("num_cpus", "?") + " CPUs";
    }

    /** Those of some metrics that are judged unless the user names others: times and rates, medians and 99th percentiles. */
    public static List<String> judged(Collection<String> metrics) {
        return metrics.stream()
                .filter(metric -> !metric.startsWith(Metrics.OWN + ".")
                        && (!metric.matches(".*\\.(p[0-9]+|max|mean)") || metric.matches(".*\\.(p50|p99)")))
                .distinct()
                .toList();
    }
}
