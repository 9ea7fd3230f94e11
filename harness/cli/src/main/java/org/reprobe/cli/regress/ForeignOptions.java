package org.reprobe.cli.regress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.foreign.ForeignFormat;
import org.reprobe.analysis.foreign.ForeignReading;
import org.reprobe.analysis.foreign.ForeignResults;
import org.reprobe.analysis.foreign.Unit;
import org.reprobe.analysis.measurement.MeasurementFile;
import org.reprobe.analysis.regress.Direction;
import org.reprobe.analysis.regress.Directions;
import org.reprobe.analysis.regress.SettingsDifference;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.options.Choice;
import org.reprobe.run.ShardFolder;
import org.reprobe.run.Status;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

final class ForeignOptions {
    static final String FILES =
            "a result folder, a file of another program (--format lists them; gzip or not), or a folder of such files,"
                    + " each a repeat";

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            converter = Choice.OfForeignFormat.class,
            completionCandidates = Choice.OfForeignFormat.class,
            description = "Format of another program's files: ${COMPLETION-CANDIDATES} (default: detected).")
    private @Nullable ForeignFormat format;

    @Option(
            names = "--value",
            paramLabel = "COLUMN=UNIT",
            converter = ColumnConverter.class,
            description = "CSV column with measured values and its unit, like latency=us; repeatable.")
    private List<ForeignReading.Column> values = new ArrayList<>();

    @Option(
            names = "--key",
            paramLabel = "COLUMN",
            description =
                    "CSV column that identifies what was measured; lines with equal keys are repeats (default: all but values,"
                            + " repeat, run and seed).")
    private List<String> keys = new ArrayList<>();

    @Option(
            names = "--unit",
            paramLabel = "UNIT",
            converter = TimeUnitConverter.class,
            description = "Unit of the values of HdrHistogram: ns, us, ms or s.")
    private @Nullable Unit unit;

    @Option(
            names = "--more-is-better",
            paramLabel = "METRIC",
            description = "Metric whose larger values are better, if its unit does not determine that; repeatable.")
    private List<String> more = new ArrayList<>();

    @Option(
            names = "--less-is-better",
            paramLabel = "METRIC",
            description = "Metric whose smaller values are better; repeatable.")
    private List<String> less = new ArrayList<>();

    @Option(
            names = "--merge",
            paramLabel = "WORD",
            description =
                    "HdrHistogram logs whose names differ only in what follows WORD are of clients of one run, and are"
                            + " merged: client for run1-client1.hdr and run1-client2.hdr.")
    private @Nullable String client;

    static final class ColumnConverter implements ITypeConverter<ForeignReading.Column> {
        @Override
        public ForeignReading.Column convert(String text) {
            int equals = text.lastIndexOf('=');
            if (equals <= 0) {
                throw new TypeConversionException(
                        "unit missing, like " + text + "=us; one of " + String.join(", ", Unit.words()));
            }
            return new ForeignReading.Column(text.substring(0, equals), unit(text.substring(equals + 1), Unit.words()));
        }
    }

    static final class TimeUnitConverter implements ITypeConverter<Unit> {
        @Override
        public Unit convert(String text) {
            return unit(text, Unit.words(Unit.Measures.TIME));
        }
    }

    private static Unit unit(String word, Iterable<String> allowed) {
        List<String> words = new ArrayList<>();
        allowed.forEach(words::add);
        if (!words.contains(word)) {
            throw new TypeConversionException(
                    "the unit must be one of " + String.join(", ", words) + Spelling.hint(word, words));
        }
        return Unit.of(word);
    }

    /** Returns how to read files; the time is the column of a time series, null for single results. */
    ForeignReading reading(@Nullable String time) {
        return new ForeignReading(format, values, keys, unit, time, client);
    }

    /** Returns true for a file or a folder with files, unless it is a result folder of Reprobe, damaged or not. */
    boolean areAt(Path path) throws IOException {
        boolean ours = Stream.of(Status.NAME, MeasurementFile.NAME).anyMatch(name -> Files.exists(path.resolve(name)))
                || ShardFolder.isOne(path);
        return !ours && ForeignResults.isOne(path);
    }

    static void checkMachines(ForeignResults results, List<Problem> problems, String remedy) {
        if (results.machines().size() > 1) {
            List<String> machines = new ArrayList<>();
            results.machines().forEach((machine, file) -> machines.add(machine + " (" + file + ")"));
            problems.add(Problem.of(
                    results.path().toString(),
                    "was measured on several machines, " + Quantities.list(machines)
                            + ": their results would count as repeats of one machine. Give each machine its own folder. "
                            + remedy));
        }
    }

    static void checkSettings(ForeignResults results, List<Problem> problems, String remedy) {
        if (!results.mixedSettings().isEmpty()) {
            problems.add(Problem.of(
                    results.path().toString(),
                    "has repeats of a cell with different settings: "
                            + SettingsDifference.words(results.mixedSettings()) + remedy));
        }
    }

    Directions directions() {
        Map<String, Direction> directions = new HashMap<>();
        more.forEach(metric -> directions.put(metric, Direction.HIGHER_IS_BETTER));
        less.forEach(metric -> directions.put(metric, Direction.LOWER_IS_BETTER));
        return new Directions(directions);
    }

    void check(Set<String> reported, List<Problem> problems) {
        checkReported("--more-is-better", more, reported, problems);
        checkReported("--less-is-better", less, reported, problems);
        Set<String> both = new LinkedHashSet<>(more);
        both.retainAll(less);
        both.forEach(metric -> problems.add(Problem.of("--less-is-better " + metric, "contradicts --more-is-better")));
    }

    private static void checkReported(
            String option, List<String> metrics, Set<String> reported, List<Problem> problems) {
        for (String metric : new LinkedHashSet<>(metrics)) {
            if (!reported.contains(metric)) {
                String hint = Spelling.hint(metric, reported);
                problems.add(Problem.of(
                        option + " " + metric,
                        "no such metric" + (hint.isEmpty() ? "; metrics: " + String.join(", ", reported) : hint)));
            }
        }
    }

    void refuseForOwn(CheckedCommand command) {
        for (String option : List.of("--format", "--value", "--key", "--unit", "--merge")) {
            command.refuse(option, "only for files of other programs, not for a result folder");
        }
    }
}
