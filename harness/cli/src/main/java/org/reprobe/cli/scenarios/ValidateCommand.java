package org.reprobe.cli.scenarios;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.DocumentKind;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.NicOption;
import org.reprobe.cli.options.ScenarioOptions;
import org.reprobe.run.Published;
import org.reprobe.run.RunPlan;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

@Command(
        name = "validate",
        description = "Checks scenario files, and the claims and NIC profiles of --project, and prints all errors.",
        footer = {
            "",
            "JSON: files (file, valid, cells and runs by scale), problems (file, line, column, message, excerpt); line"
                    + " and column are null if a problem has no position."
        })
public final class ValidateCommand extends CheckedCommand {
    @Parameters(
            paramLabel = "FILE",
            arity = "1..*",
            completionCandidates = ScenarioOptions.Names.class,
            description = "Scenario files, folders of them, or shipped names.")
    private List<String> words = new ArrayList<>();

    @Mixin
    private NicOption nic = new NicOption();

    @Mixin
    private JsonOption json = new JsonOption();

    private final Library library = Library.current();

    /** A checked file, with its numbers of cells and runs by scale if it is valid. */
    record Checked(String file, boolean valid, Map<String, Integer> cells, Map<String, Integer> runs) {}

    /** A problem; line and column count from 1, and are null without a position. */
    record Found(
            String file,
            @Nullable Integer line,
            @Nullable Integer column,
            String message,
            @Nullable String excerpt) {
        static Found of(Problem problem) {
            boolean placed = problem.line() > 0;
            return new Found(
                    problem.file(),
                    placed ? (Integer) problem.line() : null,
                    placed ? (Integer) problem.column() : null,
                    problem.message(),
                    problem.excerpt());
        }
    }

    record Json(List<Checked> files, List<Found> problems) {}

    @Override
    public Integer call() throws IOException {
        NicOption.Profile profile = nic.profile(library, problems());
        List<Path> files = new ArrayList<>();
        for (String word : words) {
            Path path = library.find(word, problems());
            if (path == null) {
                continue;
            }
            List<Path> found =
                    Files.isDirectory(path) && !DocumentKind.isResults(path) ? Library.files(path) : List.of(path);
            if (found.isEmpty()) {
                addProblem(word, "the folder contains no scenario files (*.yaml or *.json)");
            }
            files.addAll(found);
        }
        List<Checked> checked = files.stream().map(file -> check(profile, file)).toList();
        library.checkProject(problems());
        checked.stream()
                .filter(Checked::valid)
                .forEach(file -> json.text().println(file.file() + ": ok (" + words(file) + ")"));
        problems().forEach(err()::println);
        if (!problems().isEmpty()) {
            long wrong = problems().stream().map(Problem::file).distinct().count();
            err().println(Quantities.count(problems().size(), "error") + " in "
                    + Quantities.count(Math.max(wrong, Math.max(files.size(), words.size())), "file"));
        }
        json.write(new Json(checked, problems().stream().map(Found::of).toList()));
        return problems().isEmpty() ? ExitCode.FINE : ExitCode.BAD_INPUT;
    }

    private static String words(Checked file) {
        List<String> scales = new ArrayList<>();
        file.cells()
                .forEach((scale, cells) -> scales.add(scale + ": " + Quantities.count(cells, "cell") + ", "
                        + Quantities.count(file.runs().getOrDefault(scale, 0), "run")));
        return String.join("; ", scales);
    }

    /** Checks a file at both scales; a problem of both is reported once. */
    private Checked check(NicOption.Profile profile, Path file) {
        ScenarioReader reader = library.reader(profile.folder());
        Set<Problem> wrong = new LinkedHashSet<>();
        Map<String, Integer> cells = new LinkedHashMap<>();
        Map<String, Integer> runs = new LinkedHashMap<>();
        try {
            Document document = DocumentKind.SCENARIO.read(file);
            for (Scale scale : Scale.values()) {
                try {
                    Scenario scenario =
                            reader.read(document, new ScenarioReader.Options(List.of(), null, profile.name(), scale));
                    Published.of(List.of(scenario), library.shelf());
                    cells.put(scale.key(), scenario.cells().size());
                    runs.put(
                            scale.key(),
                            RunPlan.of(List.of(scenario), profile.folder())
                                    .units()
                                    .size());
                } catch (InvalidInputException e) {
                    wrong.addAll(e.problems());
                }
            }
        } catch (InvalidInputException e) {
            wrong.addAll(e.problems());
        }
        problems().addAll(wrong);
        return new Checked(file.toString(), wrong.isEmpty(), cells, runs);
    }
}
