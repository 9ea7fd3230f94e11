package org.reprobe.cli.base;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;

/**
 * The scenarios that a command line names.
 *
 * @param name of their results
 * @param combined whether they make one folder of several scenarios
 * @param files each scenario's file
 */
public record Scenarios(String name, boolean combined, List<Scenario> scenarios, Map<String, Path> files) {

    /** Reads them with the NIC profiles that come with the program. */
    public static Scenarios read(
            Library library, List<String> words, ScenarioReader.Options options, List<Problem> problems) {
        return read(library, library.nics(), words, options, problems);
    }

    /**
     * Reads them.
     *
     * @param nics the folder of NIC profiles
     * @param problems everything that is wrong is added here
     */
    public static Scenarios read(
            Library library, Path nics, List<String> words, ScenarioReader.Options options, List<Problem> problems) {
        Found found = find(library, words, problems);
        List<Path> files = found.files();
        String name = found.name();
        ScenarioReader reader = library.reader(nics);
        List<Scenario> scenarios = new ArrayList<>();
        Map<String, Path> byName = new LinkedHashMap<>();
        for (Path file : files) {
            try {
                Scenario scenario = reader.read(DocumentKind.SCENARIO.read(file), options);
                scenarios.add(scenario);
                byName.put(scenario.name(), file);
            } catch (InvalidInputException e) {
                // The same wrong option is wrong for every file: said once.
                e.problems().stream()
                        .filter(problem -> !problems.contains(problem))
                        .forEach(problems::add);
            }
        }
        if (words.size() > 1 && files.size() > 1) {
            name = name + "-and-more";
        }
        return new Scenarios(name, found.combined() || files.size() > 1, scenarios, byName);
    }

    /** What the scenarios are called that words name: of no interest is whether they could be run as they are. */
    public static List<String> names(Library library, List<String> words, List<Problem> problems) {
        List<String> names = new ArrayList<>();
        for (Path file : find(library, words, problems).files()) {
            try {
                names.add(DocumentKind.SCENARIO.read(file).root().path("name").asString(Library.name(file)));
            } catch (InvalidInputException e) {
                problems.addAll(e.problems());
            }
        }
        return names;
    }

    /** Files, whether a folder was among what was named, and the name of the first. */
    private record Found(String name, boolean combined, List<Path> files) {}

    private static Found find(Library library, List<String> words, List<Problem> problems) {
        List<Path> files = new ArrayList<>();
        String name = "";
        boolean combined = false;
        for (String word : words) {
            Path path = library.find(word, problems);
            if (path == null) {
                continue;
            }
            List<Path> named = List.of(path);
            if (Files.isDirectory(path) && !DocumentKind.isResults(path)) {
                combined = true;
                named = library.scenariosIn(path);
                if (named.isEmpty()) {
                    problems.add(Problem.of(word, "this folder holds no scenario files (*.yaml or *.json)"));
                }
            }
            if (name.isEmpty()) {
                name = Library.name(path.toAbsolutePath().normalize());
            }
            for (Path file : named) {
                if (!files.contains(file)) {
                    files.add(file);
                }
            }
        }
        return new Found(name, combined, files);
    }
}
