package org.reprobe.cli.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.options.DetailOptions;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.run.RunSummary;
import org.reprobe.plots.FigureLayout;
import org.reprobe.run.Experiment;
import org.reprobe.run.Findings;
import org.reprobe.run.FolderLock;
import org.reprobe.run.Published;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.Status;
import org.reprobe.scenario.Scenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code report}: figures, claims and report from stored results. */
@Command(
        name = "report",
        description =
                "Makes figures, claims and report from result folders, without running anything. Several folders give one"
                        + " combined report or, if they differ only in the seed, counts of verdicts over the seeds.",
        footer = {"", "JSON: " + RunSummary.JSON_FIELDS, "Over seeds: " + SeedCounts.JSON_FIELDS})
public final class ReportCommand extends CheckedCommand {
    @Parameters(paramLabel = "DIR", arity = "0..*", description = "Result folders (default: results/latest).")
    private List<Path> words = new ArrayList<>();

    @Option(names = "--out", paramLabel = "DIR", description = "Folder of a combined report (default: in results/).")
    private @Nullable Path out;

    @Mixin
    private ColumnOptions column = new ColumnOptions();

    @Mixin
    private OpenOption browser = new OpenOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private DetailOptions detail = new DetailOptions();

    @Override
    public Integer call() throws InvalidInputException, IOException {
        PrintWriter console = json.text();
        Library library = Library.current();
        List<String> notes = new ArrayList<>();
        if (words.isEmpty()) {
            words.add(Path.of("latest"));
        }
        words.replaceAll(word -> word.endsWith("report.html") ? word.resolveSibling("") : word);
        Path latest = library.results().resolve("latest");
        words.replaceAll(word -> word.equals(Path.of("latest")) && Files.notExists(word) ? latest : word);
        if (words.equals(List.of(latest)) && Files.notExists(latest)) {
            addProblem(latest, "no results yet; for example: ./run.sh run figure-07");
            stopOnProblems();
        }
        List<ResultFolder> folders = new ArrayList<>();
        for (Path word : words) {
            try {
                folders.add(ResultFolder.read(word, library.nics(), notes));
            } catch (InvalidInputException e) {
                problems().addAll(e.problems());
            }
        }
        List<Scenario> scenarios = folders.stream()
                .flatMap(folder -> folder.plan().scenarios().stream())
                .toList();
        FigureLayout layout = column.layout(words.size() == 1, problems());
        Map<Long, ResultFolder> bySeed = problems().isEmpty() ? SeedCounts.bySeed(folders) : null;
        Set<String> names = new HashSet<>();
        for (Scenario scenario : bySeed == null ? scenarios : List.<Scenario>of()) {
            String fabrics = SeedCounts.fabrics(scenario);
            if (!names.add(scenario.name() + " on " + fabrics)) {
                addProblem(
                        scenario.name(),
                        "several of the folders have results of this scenario on " + fabrics
                                + "; a combined report needs one folder per fabric, counts over seeds one folder"
                                + " per seed");
            }
        }
        Published published = Published.NOTHING;
        try {
            published = Published.of(scenarios, library.shelf());
        } catch (InvalidInputException e) {
            problems().addAll(e.problems());
        }
        if (bySeed != null && problems().isEmpty()) {
            Map<Long, List<ClaimResult>> claims = new LinkedHashMap<>();
            try (ProgressLine line = detail.progress()) {
                for (Map.Entry<Long, ResultFolder> entry : bySeed.entrySet()) {
                    ResultFolder folder = entry.getValue();
                    line.show(
                            (double) claims.size() / bySeed.size(),
                            claims.size() + "/" + Quantities.count(bySeed.size(), "report"),
                            folder.dir().toString());
                    claims.put(
                            entry.getKey(),
                            Experiment.report(List.of(folder), folder.dir(), published, FigureLayout.FREE)
                                    .claims());
                }
            }
            SeedCounts counts = new SeedCounts(claims);
            counts.print(console);
            json.write(counts.json());
            return ExitCode.FINE;
        }
        boolean single = words.size() == 1;
        Path dir = single && !folders.isEmpty() ? folders.getFirst().dir() : out;
        String unwritable = ResultFolder.unwritable(dir == null ? library.results() : dir);
        if (unwritable != null) {
            addProblem(single ? words.getFirst().toString() : "--out " + dir, unwritable);
        }
        if (single && out != null) {
            addProblem("--out " + out, "only for a report on several folders; that on one folder goes into it");
        }
        stopOnProblems();
        notes.forEach(console::println);
        for (ResultFolder folder : folders) {
            Status status = folder.status();
            if (folder.missing().isEmpty() && !folder.hasValidRuns()) {
                console.println("FAILED: no run of " + folder.dir() + " succeeded; nothing was measured");
                continue;
            }
            if (status.state() != Status.State.COMPLETE || !folder.missing().isEmpty()) {
                console.println("INCOMPLETE: " + folder.dir() + " has " + folder.done() + " of "
                        + Quantities.count(folder.plan().units().size(), "run") + " ("
                        + status.state().word()
                        + "); claims on the others are not measured");
            }
        }
        if (dir == null) {
            // Locked under its own name alone: no other process uses that folder.
            try (FolderLock lock =
                    FolderLock.takeNew(library.results(), "report", LocalDateTime.now(ZoneId.systemDefault()))) {
                dir = lock.dir();
            }
        } else {
            Files.createDirectories(dir);
        }
        detail.progress().info("figures and report of " + Quantities.count(scenarios.size(), "scenario"));
        Findings findings = Experiment.report(folders, dir, published, layout);
        RunSummary summary = new RunSummary(folders, findings);
        summary.print(console, detail);
        json.write(summary.json());
        browser.open(findings.report(), err());
        boolean found = folders.stream().anyMatch(ResultFolder::hasValidRuns);
        return found && findings.problems().isEmpty() ? ExitCode.FINE : ExitCode.FAILED;
    }
}
