package org.reprobe.cli;

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
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.run.Experiment;
import org.reprobe.run.Findings;
import org.reprobe.run.FolderLock;
import org.reprobe.run.Published;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.Status;
import org.reprobe.scenario.Scenario;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code report}: figures, claims and report again, from files alone. */
@Command(
        name = "report",
        description =
                "Figures, claims and report again, from result folders alone; several make one combined report, or a count over"
                        + " seeds where they differ in nothing else.")
final class ReportCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", arity = "1..*", description = "Result folders.")
    private List<String> words = new ArrayList<>();

    @Option(names = "--out", paramLabel = "DIR", description = "Where a combined report goes (default: in results/).")
    private @Nullable Path out;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws InvalidInputException, IOException {
        PrintWriter console = spec.commandLine().getOut();
        Shipped shipped = Shipped.here();
        List<Problem> problems = new ArrayList<>();
        List<String> notes = new ArrayList<>();
        List<ResultFolder> folders = new ArrayList<>();
        for (String word : words) {
            try {
                folders.add(ResultFolder.read(Path.of(word), shipped.nics(), notes));
            } catch (InvalidInputException e) {
                problems.addAll(e.problems());
            }
        }
        List<Scenario> scenarios = folders.stream()
                .flatMap(folder -> folder.plan().scenarios().stream())
                .toList();
        Map<Long, ResultFolder> bySeed = problems.isEmpty() ? SeedCounts.bySeed(folders) : null;
        Set<String> names = new HashSet<>();
        for (Scenario scenario : bySeed == null ? scenarios : List.<Scenario>of()) {
            String fabrics = SeedCounts.fabrics(scenario);
            if (!names.add(scenario.name() + " on " + fabrics)) {
                problems.add(
                        Problem.of(
                                scenario.name(),
                                "more than one of the folders has results of this scenario on " + fabrics
                                        + "; a combined report needs one for each fabric, a count over seeds a seed for each folder"));
            }
        }
        Published published = new Published(List.of());
        try {
            published = Published.of(scenarios, shipped.shelf());
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
        }
        if (bySeed != null && problems.isEmpty()) {
            Map<Long, List<ClaimResult>> claims = new LinkedHashMap<>();
            for (Map.Entry<Long, ResultFolder> entry : bySeed.entrySet()) {
                ResultFolder folder = entry.getValue();
                claims.put(
                        entry.getKey(),
                        Experiment.report(List.of(folder), folder.dir(), published)
                                .claims());
            }
            SeedCounts.print(console, claims);
            return Reprobe.FINE;
        }
        boolean single = words.size() == 1;
        Path dir = single && !folders.isEmpty() ? folders.getFirst().dir() : out;
        String unwritable = ResultFolder.unwritable(dir == null ? shipped.results() : dir);
        if (unwritable != null) {
            problems.add(Problem.of(single ? words.getFirst() : "--out " + dir, unwritable));
        }
        if (single && out != null) {
            problems.add(
                    Problem.of("--out " + out, "is for a report on several folders; one folder's goes into itself"));
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
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
            // Taken for its name alone: nobody else comes by it.
            try (FolderLock lock =
                    FolderLock.takeNew(shipped.results(), "report", LocalDateTime.now(ZoneId.systemDefault()))) {
                dir = lock.dir();
            }
        } else {
            Files.createDirectories(dir);
        }
        Findings findings = Experiment.report(folders, dir, published);
        Closing.print(console, folders, findings);
        boolean found = folders.stream().anyMatch(ResultFolder::hasValidRuns);
        return found && findings.problems().isEmpty() ? Reprobe.FINE : Reprobe.FAILED;
    }
}
