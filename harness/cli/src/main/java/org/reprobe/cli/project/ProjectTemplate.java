package org.reprobe.cli.project;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Kinds of project folders, each with an example of {@code harness/examples}, its files and the words to replace in
 * them. Paths of files change as their content does.
 */
@SuppressWarnings("ImmutableEnumChecker") // its lists are
enum ProjectTemplate {
    ARTIFACT(
            "own-artifact",
            "a program in any language, here a shell script, compared with a textbook",
            "own-artifact.md",
            List.of("probing.sh", "scenarios/own-artifact/probing.yaml", "results/published/knuth.yaml"),
            List.of("./run.sh run NAME --project FOLDER")),
    SYSTEM(
            "robin-hood",
            "a hash table in Java, here Robin Hood hashing, compared with a textbook",
            "own-system.md",
            List.of(
                    "build.sh",
                    "pom.xml",
                    "scenarios/robin-hood/early-stop.yaml",
                    "scenarios/nics/my-card.yaml",
                    "results/published/knuth.yaml",
                    "src/main/resources/META-INF/services/org.reprobe.system.SystemUnderTest",
                    "src/main/java/org/example/robinhood/package-info.java",
                    "src/main/java/org/example/robinhood/RobinHoodClient.java",
                    "src/main/java/org/example/robinhood/RobinHoodDeployment.java",
                    "src/main/java/org/example/robinhood/RobinHoodSettings.java",
                    "src/main/java/org/example/robinhood/RobinHoodSystem.java",
                    "src/main/java/org/example/robinhood/RobinHoodTable.java",
                    "src/main/java/org/example/robinhood/PlannedRobinHood.java",
                    "src/test/java/org/example/robinhood/RobinHoodTest.java"),
            List.of("FOLDER/build.sh", "./run.sh run NAME --project FOLDER")),
    PAPER(
            "own-paper",
            "experiments with shipped systems and a paper's claims, here an invented one",
            "own-paper.md",
            List.of("scenarios/queues/figure-1.yaml", "results/published/queues.yaml"),
            List.of("./run.sh run figure-1 --project FOLDER"));

    private final String example;
    private final String meaning;
    private final String page;
    private final List<String> files;
    private final List<String> commands;

    ProjectTemplate(String example, String meaning, String page, List<String> files, List<String> commands) {
        this.example = example;
        this.meaning = meaning;
        this.page = page;
        this.files = files;
        this.commands = commands;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    String example() {
        return example;
    }

    String meaning() {
        return meaning;
    }

    String page() {
        return page;
    }

    List<String> files() {
        return files;
    }

    List<String> commands(String name, String folder) {
        return commands.stream()
                .map(command -> command.replace("NAME", name).replace("FOLDER", folder))
                .toList();
    }

    /** Returns the words to replace, for a project of this name. */
    Map<String, String> replacements(String name, String home) {
        String classes = Arrays.stream(name.split("-"))
                .map(part -> Character.toUpperCase(part.charAt(0)) + part.substring(1))
                .collect(Collectors.joining());
        return switch (this) {
            case ARTIFACT ->
                Map.of(
                        "probing.sh", name + ".sh",
                        "scenarios/own-artifact/probing.yaml", "scenarios/" + name + ".yaml",
                        "scenario: probing", "scenario: " + name);
            case SYSTEM ->
                Map.of(
                        "scenarios/robin-hood/early-stop", "scenarios/" + name,
                        "early-stop", name,
                        "robin-hood", name,
                        "\"Robin Hood\"", "\"" + name + "\"",
                        "robinhood", name.replace("-", ""),
                        "RobinHood", classes,
                        "$here/../../..", home);
            case PAPER -> Map.of("queues", name);
        };
    }
}
