package org.reprobe.cli.base;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.run.FolderLock;
import org.reprobe.run.OwnNics;
import org.reprobe.run.Published;
import org.reprobe.run.ResultFolder;
import org.reprobe.scenario.ScenarioReader;

/** The scenarios, NIC profiles and published numbers of the program and of a user's project, found by path or by name. */
public final class Library {
    private static final String NICS = "nics";
    /** Folders among the scenarios that hold other files. */
    private static final Set<String> NO_SCENARIOS = Set.of(NICS, "plans");

    private final Path home;
    /** The project's folder first. */
    private final List<Path> roots;

    private @Nullable Path allNics;
    private Published.@Nullable Shelf shelf;

    /** @param home the folder with {@code scenarios/} and {@code results/} in it */
    public Library(Path home) {
        this(home, null);
    }

    /** @param project a folder that is laid out alike; null for none */
    public Library(Path home, @Nullable Path project) {
        this.home = home;
        this.roots = project == null ? List.of(home) : List.of(project, home);
    }

    /**
     * Where the program was unpacked, {@code -Dreprobe.home}, or else the working directory; and the project that
     * {@code --project} names, {@code -Dreprobe.project}.
     */
    public static Library here() {
        String project = System.getProperty("reprobe.project", "");
        return new Library(
                Path.of(System.getProperty("reprobe.home", "")), project.isEmpty() ? null : Path.of(project));
    }

    public Path home() {
        return home;
    }

    public Path scenarios() {
        return home.resolve("scenarios");
    }

    /** The NIC profiles: with a project, a folder with its profiles beside the program's, as long as this process lasts. */
    public Path nics() {
        if (roots.size() == 1) {
            return newNics();
        }
        Path merged = allNics;
        if (merged == null) {
            try {
                merged = OwnNics.merged(roots.reversed().stream()
                        .map(root -> root.resolve("scenarios").resolve(NICS))
                        .toList());
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            allNics = merged;
        }
        return merged;
    }

    /** Where a new NIC profile goes: into the project, if there is one. */
    public Path newNics() {
        return roots.getFirst().resolve("scenarios").resolve(NICS);
    }

    /** What a folder means: all scenarios in it, but not the one that only shows what keys there are. */
    public List<Path> scenariosIn(Path folder) {
        Path reference = scenarios().resolve("reference.yaml").toAbsolutePath().normalize();
        return files(folder).stream()
                .filter(file -> !file.toAbsolutePath().normalize().equals(reference))
                .toList();
    }

    /** Where results go unless the user says: {@code -Dreprobe.results}, or among the program's files. */
    public Path results() {
        String elsewhere = System.getProperty("reprobe.results", "");
        return elsewhere.isEmpty() ? home.resolve("results") : Path.of(elsewhere);
    }

    /**
     * Checks where results are to go.
     *
     * @param out what {@code --out} names; null for a new folder among all results
     * @param problems gets why nothing can be written there
     */
    public void checkOut(@Nullable Path out, List<Problem> problems) throws IOException {
        Path dir = out == null ? results() : out;
        String refusal = ResultFolder.unwritable(dir);
        if (refusal == null && out != null) {
            refusal = FolderLock.refusal(dir);
        }
        if (refusal != null) {
            problems.add(Problem.of(out == null ? dir.toString() : "--out " + out, refusal));
        }
    }

    /** The papers, and the scenarios that reproduce them. */
    public Published.Shelf shelf() {
        Published.Shelf here = shelf;
        if (here == null) {
            here = new Published.Shelf(
                    roots.stream()
                            .map(root -> root.resolve("results").resolve("published"))
                            .toList(),
                    roots.stream().map(root -> root.resolve("scenarios")).toList(),
                    nics());
            shelf = here;
        }
        return here;
    }

    /** A reader of scenarios that refuses to reproduce what no paper here has. */
    public ScenarioReader reader() {
        return reader(nics());
    }

    /** The same with NIC profiles of another folder. */
    public ScenarioReader reader(Path nics) {
        return new ScenarioReader(nics, () -> shelf().reproducible());
    }

    /** All scenarios by folder and name: {@code linear-probing/figure-07}. */
    public Map<String, Path> all() {
        TreeMap<String, Path> all = new TreeMap<>();
        roots.reversed().forEach(root -> all.putAll(all(root)));
        return all;
    }

    private static Map<String, Path> all(Path root) {
        TreeMap<String, Path> all = new TreeMap<>();
        for (Path folder : list(root.resolve("scenarios"))) {
            if (Files.isDirectory(folder)
                    && !NO_SCENARIOS.contains(folder.getFileName().toString())) {
                directFiles(folder).forEach(file -> all.putIfAbsent(folder.getFileName() + "/" + name(file), file));
            }
        }
        return all;
    }

    /** The scenario files in a folder, sorted, then those in the folders in it; NIC profiles and plans are none. */
    public static List<Path> files(Path folder) {
        List<Path> files = new ArrayList<>(directFiles(folder));
        for (Path inner : list(folder)) {
            String name = inner.getFileName().toString();
            if (Files.isDirectory(inner, LinkOption.NOFOLLOW_LINKS)
                    && !NO_SCENARIOS.contains(name)
                    && !name.startsWith(".")) {
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
    public static String name(Path file) {
        return file.getFileName().toString().replaceFirst("\\.(yaml|yml|json)$", "");
    }

    /**
     * The file or folder that a word names: a path, or the name of a shipped scenario or folder of scenarios.
     *
     * @return null when it names none; then {@code problems} says so
     */
    public @Nullable Path find(String word, List<Problem> problems) {
        try {
            List<Path> paths = new ArrayList<>(List.of(Path.of(word)));
            roots.forEach(root -> paths.addAll(
                    List.of(root.resolve(word), root.resolve("scenarios").resolve(word))));
            for (Path path : paths) {
                if (!word.isEmpty() && Files.exists(path)) {
                    return path;
                }
            }
        } catch (InvalidPathException e) {
            problems.add(Problem.of(word, "can't be the name of a file"));
            return null;
        }
        String plain = word.replaceFirst("\\.(yaml|yml|json)$", "");
        for (Path root : roots) { // a project's scenario before one of the same name here
            for (var entry : all(root).entrySet()) {
                if (entry.getKey().equals(plain) || name(entry.getValue()).equals(plain)) {
                    return entry.getValue();
                }
            }
        }
        Set<String> names = new LinkedHashSet<>();
        all().forEach((key, file) -> {
            names.add(name(file));
            names.add(key);
            names.add(key.substring(0, key.indexOf('/')));
        });
        String hint = Spelling.hint(plain, names);
        if (hint.isEmpty()) {
            hint = Spelling.hint(name(Path.of(plain)), names);
        }
        if (hint.isEmpty()) {
            hint = "; \"list\" shows the scenarios that there are";
        }
        problems.add(Problem.of(word, "there is no such scenario or file" + hint));
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
