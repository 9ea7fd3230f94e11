package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.run.Plan;
import org.reprobe.run.Published;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code validate}: every error of every file. */
@Command(name = "validate", description = "Checks scenario files; shows all errors of all of them.")
final class ValidateCommand implements Callable<Integer> {
    @Parameters(paramLabel = "FILE", arity = "1..*", description = "Scenario files, folders of them, or shipped names.")
    private List<String> words = new ArrayList<>();

    @Option(
            names = "--nic",
            paramLabel = "N",
            description = "A NIC profile of scenarios/nics/, or a file with one, in place of the files'.")
    private @Nullable String nic;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter err = spec.commandLine().getErr();
        Shipped shipped = Shipped.here();
        List<Problem> ofOption = new ArrayList<>();
        NicOption given = NicOption.of(nic, shipped, ofOption);
        ofOption.forEach(err::println);
        int wrong = ofOption.size();
        int files = 0;
        for (String word : words) {
            List<Problem> problems = new ArrayList<>();
            Path path = shipped.find(word, problems);
            problems.forEach(err::println);
            wrong += problems.size();
            if (path == null) {
                continue;
            }
            List<Path> found =
                    Files.isDirectory(path) && !DocumentKind.isResults(path) ? Shipped.files(path) : List.of(path);
            if (found.isEmpty()) {
                err.println(Problem.of(word, "this folder holds no scenario files (*.yaml or *.json)"));
                wrong++;
            }
            for (Path file : found) {
                files++;
                List<Problem> inFile = check(shipped, given, file, out);
                inFile.forEach(err::println);
                wrong += inFile.size();
            }
        }
        err.flush();
        if (wrong > 0) {
            err.println(Quantities.count(wrong, "error") + " in "
                    + Quantities.count(Math.max(files, words.size()), "file"));
        }
        return wrong > 0 ? Reprobe.BAD_INPUT : Reprobe.FINE;
    }

    /** A file must be good at both scales; what is wrong at both is said once. */
    private static List<Problem> check(Shipped shipped, NicOption nic, Path file, PrintWriter out) {
        Problem other = DocumentKind.other(file, DocumentKind.SCENARIO);
        if (other != null) {
            return List.of(other);
        }
        List<Problem> problems = new ArrayList<>();
        String cells = "";
        for (Scale scale : Scale.values()) {
            try {
                Scenario scenario = shipped.reader(nic.folder())
                        .read(file, new ScenarioReader.Options(List.of(), null, nic.name(), scale));
                int runs = Plan.of(List.of(scenario), nic.folder()).units().size();
                Published.of(List.of(scenario), shipped.shelf());
                cells += (cells.isEmpty() ? "" : "; ") + scale.key() + ": "
                        + Quantities.count(scenario.cells().size(), "cell") + ", " + Quantities.count(runs, "run");
            } catch (InvalidInputException e) {
                e.problems().stream()
                        .filter(problem -> !problems.contains(problem))
                        .forEach(problems::add);
            }
        }
        if (problems.isEmpty()) {
            out.println(file + ": ok (" + cells + ")");
            out.flush();
        }
        return problems;
    }
}
