package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.regress.ChangePoints;
import org.reprobe.analysis.regress.History;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.analysis.regress.HistoryFile;
import org.reprobe.analysis.regress.HistoryNote;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.StoredRuns;
import org.reprobe.scenario.StoredSettings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regress history}: adds the newest result to a history and looks for changes. */
@Command(
        name = "history",
        description = {
            "Adds a result to a history, one line of JSON each, and finds when a metric changed for good. Measurements"
                    + " of other machines and results of other settings are left out."
        },
        footer = {
            "",
            "Exit codes: 0 same or better, 1 worse, 2 bad input, 3 can't tell.",
            "JSON: " + RegressOutputs.JSON_FIELDS
        })
final class RegressHistoryCommand extends CheckedCommand {
    @Parameters(paramLabel = "FILE", description = "The history; made when it is not there.")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    @Option(
            names = "--result",
            paramLabel = "DIR",
            description = "The result folder to add (default: results/latest). One that is there is not added again.")
    private @Nullable Path result;

    @Option(names = "--no-add", description = "Add nothing, only look.")
    private boolean noAdd;

    @Option(
            names = "--notes",
            paramLabel = "FILE",
            description =
                    "What explains changes: \"notes: [{date: 2026-11-30, text: new kernel, series: figure-07}]\".")
    private @Nullable Path notes;

    @Option(
            names = "--machine",
            paramLabel = "NAME",
            description = "What this machine is called (default: its CPU, cores, memory and architecture).")
    private String machine = "";

    @Range(min = 2, max = 999_999)
    @Option(
            names = "--min-segment",
            paramLabel = "N",
            description = "Fewest results between two changes; fewer are outliers (default: 5).")
    private int minSegment = ChangePoints.Options.DEFAULT.minSegment();

    @Range(min = 1, max = 999_999)
    @Option(
            names = "--recent",
            paramLabel = "N",
            description = "Only changes that begin in the newest N results count for the verdict (default: 30).")
    private int recent = 30;

    @Mixin
    private RegressCriteria criteria = new RegressCriteria();

    @Mixin
    private RegressOutputs outputs = new RegressOutputs();

    @Override
    public Integer call() throws InvalidInputException, IOException {
        List<Problem> problems = problems();
        List<HistoryNote> known = List.of();
        if (notes != null) {
            try {
                known = HistoryNote.read(notes);
            } catch (InvalidInputException e) {
                problems.addAll(e.problems());
            }
        }
        List<HistoryEntry> entries = new ArrayList<>();
        try {
            entries = HistoryFile.read(file);
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
        }
        HistoryEntry added = added(problems);
        Path parent = file.toAbsolutePath().getParent();
        String unwritable = added == null || parent == null ? null : ResultFolder.unwritable(parent);
        if (unwritable != null) {
            problems.add(Problem.of(file.toString(), unwritable));
        }
        if (noAdd && entries.isEmpty() && problems.isEmpty()) {
            problems.add(Problem.of(file.toString(), "holds no results yet"));
        }
        Set<String> reported = new LinkedHashSet<>();
        List<HistoryEntry> all = new ArrayList<>(entries);
        if (added != null) {
            all.add(added);
        }
        all.forEach(entry ->
                entry.cells().forEach(cell -> reported.addAll(cell.metrics().keySet())));
        if (!reported.isEmpty()) {
            criteria.check(reported, problems);
        }
        stopOnProblems();
        PrintWriter console = outputs.text();
        if (added != null) {
            boolean fresh = HistoryFile.append(file, entries, added);
            console.println((fresh ? "added: " : "already there: ") + added.shortCommit() + ", " + added.when());
        }
        entries.replaceAll(entry -> entry.completed(StoredSettings.defaults()));
        console.println(file + ": " + Quantities.count(entries.size(), "result"));
        History history = History.of(
                entries,
                known,
                new History.Options(
                        new ChangePoints.Options(
                                minSegment,
                                ChangePoints.Options.DEFAULT.level(),
                                criteria.criteria().minEffect()),
                        recent,
                        criteria.metrics()));
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("history", file + ", " + Quantities.count(entries.size(), "result"));
        environment.put("machine", history.machine());
        environment.putAll(entries.getLast().environment());
        return outputs.give(
                "History: " + file.getFileName(),
                Reprobe.typed(List.of("regress", "history", file.toString(), "--no-add")),
                environment,
                history);
    }

    private @Nullable HistoryEntry added(List<Problem> problems) throws IOException {
        if (noAdd) {
            if (result != null) {
                problems.add(Problem.of("--result " + result, "is to be added, but --no-add says not to"));
            }
            return null;
        }
        Path dir = result == null ? Library.here().results().resolve("latest") : result;
        if (result == null && !Files.exists(dir)) {
            problems.add(Problem.of(
                    dir.toString(),
                    "there is no newest result: run something first, name one with --result DIR, or only look with"
                            + " --no-add"));
            return null;
        }
        try {
            StoredRuns runs = StoredRuns.read(dir);
            HistoryEntry entry =
                    HistoryEntry.of(runs.started(), runs.environment(), machine, runs.runs(), runs::exactSettings);
            if (entry.cells().isEmpty()) {
                problems.add(Problem.of(dir.toString(), "holds no run that succeeded"));
                return null;
            }
            return entry;
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
            return null;
        }
    }
}
