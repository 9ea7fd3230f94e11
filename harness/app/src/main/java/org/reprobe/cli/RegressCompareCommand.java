package org.reprobe.cli;

import java.io.IOException;
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
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.Comparison;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.analysis.regress.ResultComparison;
import org.reprobe.analysis.regress.SettingsDifference;
import org.reprobe.run.Status;
import org.reprobe.run.StoredRuns;
import org.reprobe.scenario.StoredSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regress compare}: two result folders. */
@Command(
        name = "compare",
        description = {
            "Compares two result folders, cell by cell. Simulated results exactly: any difference is a change of"
                    + " behaviour. Measured ones by ranks, with an interval, corrected for the number of cells."
        },
        footer = {
            "",
            "Exit codes: 0 same or better, 1 worse, 2 bad input, 3 can't tell.",
            "JSON: " + RegressOutputs.JSON_FIELDS
        })
final class RegressCompareCommand extends CheckedCommand {
    @Parameters(index = "0", paramLabel = "BASE", description = "Result folder to compare with.")
    @SuppressWarnings("NullAway.Init")
    private Path base;

    @Parameters(index = "1", paramLabel = "NEW", description = "Result folder that may be better or worse.")
    @SuppressWarnings("NullAway.Init")
    private Path now;

    @Option(
            names = "--across-machines",
            description = "Compare measurements of different machines, as when a machine is to be judged.")
    private boolean acrossMachines;

    @Option(
            names = "--across-settings",
            description = "Compare results of different settings, as when a setting is to be judged.")
    private boolean acrossSettings;

    @Option(names = "--strict", description = "Take any change of a simulated metric for worse.")
    private boolean strict;

    @Mixin
    private RegressCriteria criteria = new RegressCriteria();

    @Mixin
    private RegressOutputs outputs = new RegressOutputs();

    @Override
    public Integer call() throws InvalidInputException, IOException {
        List<Problem> problems = problems();
        StoredRuns left = read(base, problems);
        StoredRuns right = read(now, problems);
        if (left != null && right != null) {
            Set<String> reported = new LinkedHashSet<>();
            Stream.concat(left.runs().stream(), right.runs().stream())
                    .forEach(run -> reported.addAll(run.metrics().keySet()));
            criteria.check(reported, problems);
            checkMachines(left, right, problems);
            checkSettings(left, right, problems);
        }
        stopOnProblems();
        if (left == null || right == null) {
            return Reprobe.BAD_INPUT;
        }
        Comparison comparison = ResultComparison.of(left.runs(), right.runs(), criteria.criteria(), criteria.metrics());
        if (strict) {
            comparison = comparison.strict();
        }
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("base", base + ", commit " + left.environment().getOrDefault("commit", "unknown"));
        environment.put("new", now + ", commit " + right.environment().getOrDefault("commit", "unknown"));
        environment.putAll(right.environment());
        return outputs.give(
                "Regression check: " + base + " against " + now,
                TypedCommand.of(parsed()),
                environment,
                comparison.with(notes(left, right)));
    }

    private static @Nullable StoredRuns read(Path dir, List<Problem> problems) throws IOException {
        try {
            return StoredRuns.read(dir);
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
            return null;
        }
    }

    private void checkMachines(StoredRuns left, StoredRuns right, List<Problem> problems) {
        boolean measured = left.runs().stream().anyMatch(run -> run.kind() == Kind.MEASURED)
                && right.runs().stream().anyMatch(run -> run.kind() == Kind.MEASURED);
        String before = HistoryEntry.fingerprint(left.environment());
        String after = HistoryEntry.fingerprint(right.environment());
        if (measured && !acrossMachines && !before.equals(after)) {
            problems.add(Problem.of(
                    now.toString(),
                    "was measured on another machine (" + after + ") than " + base + " (" + before
                            + "): the difference would be that of the machines. --across-machines compares all the"
                            + " same"));
        }
    }

    private List<String> notes(StoredRuns left, StoredRuns right) {
        List<String> notes = new ArrayList<>();
        for (StoredRuns runs : List.of(left, right)) {
            Status status = runs.status();
            if (status.state() != Status.State.COMPLETE) {
                notes.add(runs.dir() + " is not complete: " + status.done() + " of " + status.planned() + " runs ("
                        + status.state().word() + ")");
            }
        }
        List<String> differences = differences(left, right);
        if (!differences.isEmpty()) {
            notes.add("COMPARED ACROSS SETTINGS, in BASE and NEW: " + SettingsDifference.words(differences));
        }
        for (StoredRuns runs : List.of(left, right)) {
            if (!runs.settings().keySet().containsAll(runs.status().scenarios())) {
                notes.add(runs.dir() + " does not say with which settings it was run (it lacks a scenario.yaml)");
            }
        }
        if (right.runs().stream().anyMatch(run -> run.kind() == Kind.MEASURED)) {
            notes.add("measured at different times: what the machine did meanwhile counts as a difference."
                    + " \"regress pair\" does not have that weakness");
        }
        return notes;
    }

    /** Settings of cells that both have. */
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

    private void checkSettings(StoredRuns left, StoredRuns right, List<Problem> problems) {
        List<String> differences = differences(left, right);
        if (!differences.isEmpty() && !acrossSettings) {
            problems.add(Problem.of(
                    now.toString(),
                    "was run with other settings than " + base + ": " + SettingsDifference.words(differences)
                            + ". The difference would be that of the settings. --across-settings compares all"
                            + " the same"));
        }
    }
}
