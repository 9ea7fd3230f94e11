package org.reprobe.cli.regress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.foreign.ForeignResults;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.Comparison;
import org.reprobe.analysis.regress.GeometricMean;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.analysis.regress.RatioTable;
import org.reprobe.analysis.regress.ResultComparison;
import org.reprobe.analysis.regress.SettingsDifference;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.run.Status;
import org.reprobe.run.StoredRuns;
import org.reprobe.scenario.StoredSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regress compare}: two results of Reprobe or of other programs. */
@Command(
        name = "compare",
        description = {
            "Compares two results cell by cell. Simulated results must be equal: any difference is a change of"
                    + " behaviour. Measured ones are compared by ranks with an interval, corrected for the number of cells. A result is "
                    + ForeignOptions.FILES + "."
        },
        footer = {
            "",
            "Examples:",
            "./run.sh regress compare old.json new.json --rows benchmark --columns size --geometric-mean",
            "./run.sh regress compare old.csv new.csv --value latency=us --key scheme --key size",
            "Exit codes: 0 same or better, 1 worse, 2 bad input, 3 can't tell.",
            "JSON: " + RegressOutputs.JSON_FIELDS
        })
final class RegressCompareCommand extends CheckedCommand {
    private static final String DIFFERENT_TIMES =
            "measured at different times: other load on the machine may appear as a difference";

    @Parameters(index = "0", paramLabel = "BASE", description = "Baseline result.")
    @SuppressWarnings("NullAway.Init")
    private Path base;

    @Parameters(index = "1", paramLabel = "NEW", description = "Result to judge.")
    @SuppressWarnings("NullAway.Init")
    private Path now;

    @Option(
            names = "--across-machines",
            description = "Allow measurements of different machines, to compare the machines.")
    private boolean acrossMachines;

    @Option(names = "--across-settings", description = "Allow results of different settings, to compare the settings.")
    private boolean acrossSettings;

    @Option(names = "--strict", description = "Count any change of a simulated metric as worse.")
    private boolean strict;

    @Option(
            names = "--rows",
            paramLabel = "KEY",
            description = "Print the changes as a table with a row per value of a key, or per metric, scenario or cell"
                    + " (default with --columns: cell).")
    private @Nullable String rows;

    @Option(
            names = "--columns",
            paramLabel = "KEY",
            description =
                    "Print the changes as a table with a column per value of a key, or per metric, scenario or cell"
                            + " (default with --rows: metric).")
    private @Nullable String columns;

    @Option(
            names = "--geometric-mean",
            description =
                    "Print the geometric mean of each metric's ratios over all cells, with warnings if it is misleading.")
    private boolean geometricMean;

    @Mixin
    private ForeignOptions foreign = new ForeignOptions();

    @Mixin
    private RegressCriteria criteria = new RegressCriteria();

    @Mixin
    private RegressOutputs outputs = new RegressOutputs();

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        boolean foreignBase = foreign.areAt(base);
        boolean foreignNow = foreign.areAt(now);
        return foreignBase || foreignNow ? compareForeign(foreignBase, foreignNow) : compareOwn();
    }

    private Integer compareOwn() throws InvalidInputException, IOException, InterruptedException {
        StoredRuns left = read(() -> StoredRuns.read(base));
        StoredRuns right = read(() -> StoredRuns.read(now));
        foreign.refuseForOwn(this);
        if (left != null && right != null) {
            checkNames(left.runs(), right.runs());
            checkMachines(
                    measured(left.runs()) && measured(right.runs()),
                    HistoryEntry.fingerprint(left.environment()),
                    HistoryEntry.fingerprint(right.environment()));
            checkSettings(differences(left, right));
        }
        stopOnProblems();
        if (left == null || right == null) {
            return ExitCode.BAD_INPUT;
        }
        Comparison comparison = ResultComparison.of(
                left.runs(), right.runs(), criteria.criteria(), criteria.metrics(), foreign.directions());
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("base", base + ", " + version(left.environment()));
        environment.put("new", now + ", " + version(right.environment()));
        environment.putAll(right.environment());
        return write(comparison.with(notes(left, right)), environment, left.runs(), right.runs());
    }

    private static String version(Map<String, String> environment) {
        String artifact = ArtifactVersion.words(environment);
        return artifact.isEmpty() ? "commit " + environment.getOrDefault("commit", "unknown") : artifact;
    }

    private Integer compareForeign(boolean foreignBase, boolean foreignNow)
            throws InvalidInputException, IOException, InterruptedException {
        ForeignResults readBase = foreignBase ? read(() -> single(base)) : notForeign(base, now);
        ForeignResults readNow = foreignNow ? read(() -> single(now)) : notForeign(now, base);
        if (readBase == null || readNow == null) {
            stopOnProblems();
            return ExitCode.BAD_INPUT;
        }
        ForeignResults left = readBase.withNamesAs(readNow);
        ForeignResults right = readNow.withNamesAs(readBase);
        if (left.format() != right.format()) {
            addProblem(
                    now,
                    "is " + right.format().meaning() + ", but " + base + " is "
                            + left.format().meaning());
        } else {
            checkNames(left.runs(), right.runs());
            if (!acrossMachines) {
                ForeignOptions.checkMachines(left, problems(), "--across-machines compares them anyway");
                ForeignOptions.checkMachines(right, problems(), "--across-machines compares them anyway");
            }
            if (!acrossSettings) {
                ForeignOptions.checkSettings(left, problems(), ". --across-settings compares them anyway");
                ForeignOptions.checkSettings(right, problems(), ". --across-settings compares them anyway");
            }
            boolean known = left.machines().size() == 1
                    && right.machines().size() == 1
                    && left.machine().isEmpty() == right.machine().isEmpty();
            checkMachines(known, left.machineWords(), right.machineWords());
            checkSettings(differences(left.settings(), right.settings()));
        }
        stopOnProblems();
        List<String> judged = criteria.metrics().isEmpty()
                ? ForeignResults.judged(Stream.concat(left.runs().stream(), right.runs().stream())
                        .map(Measurement::metrics)
                        .toList())
                : criteria.metrics();
        Comparison comparison = ResultComparison.of(
                left.runs(),
                right.runs(),
                criteria.criteria(),
                judged,
                !criteria.metrics().isEmpty(),
                foreign.directions());
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("base", base + ", " + left.format().meaning());
        environment.put("new", now + ", " + right.format().meaning());
        environment.putAll(right.environment());
        return write(comparison.with(notes(left, right)), environment, left.runs(), right.runs());
    }

    private ForeignResults single(Path path) throws InvalidInputException, IOException {
        ForeignResults results = ForeignResults.read(path, foreign.reading(null));
        if (!results.series().isEmpty()) {
            throw new InvalidInputException(path, "has results of many times: regress history reads it");
        }
        return results;
    }

    private int write(
            Comparison found, Map<String, String> environment, List<Measurement> left, List<Measurement> right)
            throws IOException, InterruptedException {
        Comparison comparison = strict ? found.strict() : found;
        if (geometricMean) {
            comparison = comparison.with(GeometricMean.words(comparison.means(), foreign.directions()));
        }
        return outputs.write(
                "Regression check: " + base + " against " + now,
                TypedCommand.of(parsed()),
                environment,
                comparison,
                tables(comparison, left, right));
    }

    private List<RatioTable> tables(Comparison comparison, List<Measurement> left, List<Measurement> right) {
        if (rows == null && columns == null) {
            return List.of();
        }
        Map<List<Object>, Cell> cells = new HashMap<>();
        Stream.concat(left.stream(), right.stream()).forEach(run -> cells.put(key(run), run.cell()));
        return RatioTable.of(
                comparison.findings(),
                finding -> cells.getOrDefault(List.of(finding.scenario(), finding.cell()), new Cell(Map.of())),
                rows == null ? RatioTable.CELL : rows,
                columns == null ? RatioTable.METRIC : columns);
    }

    private static Set<String> metrics(List<Measurement> left, List<Measurement> right) {
        Set<String> reported = new LinkedHashSet<>();
        Stream.concat(left.stream(), right.stream())
                .forEach(run -> reported.addAll(run.metrics().keySet()));
        return reported;
    }

    private void checkNames(List<Measurement> left, List<Measurement> right) {
        Set<String> reported = metrics(left, right);
        List<Cell> cells = Stream.concat(left.stream(), right.stream())
                .map(Measurement::cell)
                .toList();
        criteria.check(reported, cells.stream().map(Cell::label).toList(), problems());
        foreign.check(reported, problems());
        Set<String> keys = RatioTable.keys(cells);
        checkKey("--rows", rows, keys);
        checkKey("--columns", columns, keys);
        if (rows != null && rows.equals(columns)) {
            addProblem("--columns " + columns, "already used for the rows");
        }
    }

    private void checkKey(String option, @Nullable String key, Set<String> keys) {
        if (key != null && !keys.contains(key)) {
            String hint = Spelling.hint(key, keys);
            addProblem(
                    option + " " + key,
                    "no cell has this key" + (hint.isEmpty() ? "; keys: " + String.join(", ", keys) : hint));
        }
    }

    private @Nullable ForeignResults notForeign(Path path, Path other) {
        addProblem(
                path,
                !Files.exists(path)
                        ? "no such file or folder"
                        : "has no results of another program, unlike " + other + ": both must be in the same format");
        return null;
    }

    private static boolean measured(List<Measurement> runs) {
        return runs.stream().anyMatch(run -> run.kind() == Kind.MEASURED);
    }

    private void checkMachines(boolean matters, String before, String after) {
        if (matters && !acrossMachines && !before.equals(after)) {
            addProblem(
                    now,
                    "was measured on another machine (" + after + ") than " + base + " (" + before
                            + "). --across-machines compares them anyway");
        }
    }

    private List<String> notes(StoredRuns left, StoredRuns right) {
        List<String> notes = new ArrayList<>();
        for (StoredRuns runs : List.of(left, right)) {
            Status status = runs.status();
            if (status.state() != Status.State.COMPLETE) {
                notes.add(runs.dir() + " is not complete: " + status.done() + " of "
                        + Quantities.count(status.planned(), "run") + " ("
                        + status.state().word() + ")");
            }
            notes.addAll(runs.failures());
        }
        addAcrossSettings(differences(left, right), notes);
        String artifact = left.environment().getOrDefault(HistoryEntry.ARTIFACT, "");
        if (!artifact.equals(right.environment().getOrDefault(HistoryEntry.ARTIFACT, artifact))
                && !artifact.isEmpty()) {
            notes.add("BASE and NEW are results of different artifacts: " + version(left.environment()) + ", and "
                    + version(right.environment()));
        }
        for (StoredRuns runs : List.of(left, right)) {
            if (!runs.settings().keySet().containsAll(runs.status().scenarios())) {
                notes.add(runs.dir() + " has no scenario.yaml: its settings are unknown");
            }
        }
        if (measured(right.runs())) {
            notes.add(DIFFERENT_TIMES + ". \"regress pair\" avoids this");
        }
        return notes;
    }

    private static void addAcrossSettings(List<String> differences, List<String> notes) {
        if (!differences.isEmpty()) {
            notes.add("COMPARED ACROSS SETTINGS, in BASE and NEW: " + SettingsDifference.words(differences));
        }
    }

    private static List<String> notes(ForeignResults left, ForeignResults right) {
        Set<String> notes = new LinkedHashSet<>(left.notes());
        notes.addAll(right.notes());
        List<String> all = new ArrayList<>(notes);
        addAcrossSettings(differences(left.settings(), right.settings()), all);
        for (ForeignResults side : List.of(left, right)) {
            if (side.machines().size() > 1) {
                all.add("COMPARED ACROSS MACHINES: " + side.path() + " was measured on several machines: "
                        + Quantities.list(side.machines().keySet()));
            }
            if (!side.mixedSettings().isEmpty()) {
                all.add("COMPARED ACROSS SETTINGS: repeats of " + side.path() + " differ in "
                        + SettingsDifference.words(side.mixedSettings()));
            }
        }
        List<String> software = differences(left.software(), right.software());
        if (!software.isEmpty()) {
            all.add("BASE and NEW differ in " + SettingsDifference.words(software));
        }
        left.environment().forEach((name, value) -> {
            String other = right.environment().get(name);
            if (other != null
                    && !other.equals(value)
                    && left.software().values().stream().noneMatch(facts -> facts.containsKey(name))) {
                all.add("BASE and NEW differ in " + name + ": " + value + " and " + other);
            }
        });
        if (left.machine().isEmpty() || right.machine().isEmpty()) {
            all.add(
                    "the files do not name the machine of the measurements: different machines would appear as differences");
        }
        all.add(DIFFERENT_TIMES);
        return all;
    }

    private static List<String> differences(
            Map<ForeignResults.Place, Map<String, String>> left, Map<ForeignResults.Place, Map<String, String>> right) {
        Set<String> differences = new LinkedHashSet<>();
        left.forEach((place, settings) -> {
            Map<String, String> other = right.get(place);
            if (other != null) {
                differences.addAll(SettingsDifference.of(settings, other));
            }
        });
        return List.copyOf(differences);
    }

    private static List<String> differences(StoredRuns left, StoredRuns right) {
        Set<String> differences = new LinkedHashSet<>();
        Map<List<Object>, Measurement> cells = new HashMap<>();
        right.runs().forEach(run -> cells.putIfAbsent(key(run), run));
        Set<List<Object>> seen = new HashSet<>();
        for (Measurement run : left.runs()) {
            Measurement other = cells.get(key(run));
            StoredSettings base = left.settings().get(run.scenario());
            StoredSettings now = right.settings().get(run.scenario());
            if (other != null && base != null && now != null && seen.add(key(run))) {
                differences.addAll(SettingsDifference.of(
                        base.comparable(run.cell(), run.kind()), now.comparable(other.cell(), other.kind())));
            }
        }
        return List.copyOf(differences);
    }

    private static List<Object> key(Measurement run) {
        return List.of(run.scenario(), run.cell().label());
    }

    private void checkSettings(List<String> differences) {
        if (!differences.isEmpty() && !acrossSettings) {
            addProblem(
                    now,
                    "was run with settings other than those of " + base + " (values of BASE and NEW): "
                            + SettingsDifference.words(differences)
                            + ". --across-settings compares them anyway");
        }
    }
}
