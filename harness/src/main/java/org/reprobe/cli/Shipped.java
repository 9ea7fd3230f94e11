package org.reprobe.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.run.Published;
import org.reprobe.scenario.ScenarioReader;

/** The folders that come with the program, and what a user's words name in them. */
final class Shipped {
    private static final String NICS = "nics";

    private final Path home;

    /** @param home the folder with {@code scenarios/} and {@code results/} in it */
    Shipped(Path home) {
        this.home = home;
    }

    /** Where the program was unpacked: {@code -Dreprobe.home}, or else the working directory. */
    static Shipped here() {
        return new Shipped(Path.of(System.getProperty("reprobe.home", "")));
    }

    Path home() {
        return home;
    }

    Path scenarios() {
        return home.resolve("scenarios");
    }

    Path nics() {
        return scenarios().resolve(NICS);
    }

    /** What a folder means: all scenarios in it, but not the one that only shows what keys there are. */
    List<Path> scenariosIn(Path folder) {
        Path reference = scenarios().resolve("reference.yaml").toAbsolutePath().normalize();
        return files(folder).stream()
                .filter(file -> !file.toAbsolutePath().normalize().equals(reference))
                .toList();
    }

    Path results() {
        return home.resolve("results");
    }

    /** The papers, and the scenarios that reproduce them. */
    Published.Shelf shelf() {
        return new Published.Shelf(results().resolve("published"), scenarios());
    }

    /** A reader of scenarios that refuses to reproduce what no paper here has. */
    ScenarioReader reader() {
        return reader(nics());
    }

    /** The same with NIC profiles of another folder. */
    ScenarioReader reader(Path nics) {
        return new ScenarioReader(nics, () -> shelf().reproducible());
    }

    /** All scenarios by folder and name: {@code linear-probing/figure-07}. */
    Map<String, Path> all() {
        TreeMap<String, Path> all = new TreeMap<>();
        for (Path folder : list(scenarios())) {
            if (Files.isDirectory(folder) && !folder.getFileName().toString().equals(NICS)) {
                for (Path file : directFiles(folder)) {
                    all.put(folder.getFileName() + "/" + name(file), file);
                }
            }
        }
        return all;
    }

    /** The scenario files in a folder, sorted, then those in the folders in it; NIC profiles are none. */
    static List<Path> files(Path folder) {
        List<Path> files = new ArrayList<>(directFiles(folder));
        for (Path inner : list(folder)) {
            String name = inner.getFileName().toString();
            if (Files.isDirectory(inner, LinkOption.NOFOLLOW_LINKS) && !name.equals(NICS) && !name.startsWith(".")) {
                files.addAll(files(inner));
            }
        }
        return files;
    }

    private static List<Path> directFiles(Path folder) {
        return list(folder).stream()
                .filter(file -> {
                    String name = file.getFileName().toString();
                    return Files.isRegularFile(file)
                            && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"))
                            && !name.startsWith(".")
                            && !name.equals("schema.json");
                })
                .toList();
    }

    /** A file's name without its extension. */
    static String name(Path file) {
        return file.getFileName().toString().replaceFirst("\\.(yaml|yml|json)$", "");
    }

    /**
     * The file or folder that a word names: a path, or the name of a shipped scenario or folder of scenarios.
     *
     * @return null when it names none; then {@code problems} says so
     */
    @Nullable
    Path find(String word, List<Problem> problems) {
        try {
            for (Path path :
                    List.of(Path.of(word), home.resolve(word), scenarios().resolve(word))) {
                if (!word.isEmpty() && Files.exists(path)) {
                    return path;
                }
            }
        } catch (InvalidPathException e) {
            problems.add(Problem.of(word, "can't be the name of a file"));
            return null;
        }
        Map<String, Path> all = all();
        String plain = word.replaceFirst("\\.(yaml|yml|json)$", "");
        List<String> names = new ArrayList<>();
        for (var entry : all.entrySet()) {
            String name = name(entry.getValue());
            if (entry.getKey().equals(plain) || name.equals(plain)) {
                return entry.getValue();
            }
            names.add(name);
            names.add(entry.getKey());
        }
        all.keySet().forEach(key -> {
            String folder = key.substring(0, key.indexOf('/'));
            if (!names.contains(folder)) {
                names.add(folder);
            }
        });
        String last = plain.substring(plain.lastIndexOf('/') + 1);
        String hint = Spelling.hint(plain, names);
        problems.add(Problem.of(
                word,
                "there is no such scenario or file" + (hint.isEmpty() ? Spelling.hint(last, names) : hint)
                        + (hint.isEmpty() && Spelling.hint(last, names).isEmpty()
                                ? "; \"list\" shows the scenarios that there are"
                                : "")));
        return null;
    }

    private static List<Path> list(Path folder) {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }
}
