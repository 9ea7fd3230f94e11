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

/** Scenarios named on a command line; {@code combined} if several share one result folder. */
public record Scenarios(String name, boolean combined, List<Scenario> scenarios, Map<String, Path> files) {

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
                // A wrong option is wrong for every file: reported once.
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

    /** Returns the names of scenarios, which need not be valid. */
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
                    problems.add(Problem.of(word, "the folder contains no scenario files (*.yaml or *.json)"));
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
