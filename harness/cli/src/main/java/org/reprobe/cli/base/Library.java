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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.run.FolderLock;
import org.reprobe.run.OwnNics;
import org.reprobe.run.Published;
import org.reprobe.run.ResultFolder;
import org.reprobe.scenario.ScenarioReader;

/** Scenarios, NIC profiles and published numbers of the program and of a user's project, found by path or by name. */
public final class Library {
    private static final String NICS = "nics";
    private static final String EXTENSION = "\\.(yaml|yml|json)$";
    /** Short names of figures, such as fig7 and figure-7. */
    private static final Pattern FIGURE = Pattern.compile("fig(?:ure)?[-. ]?0*(\\d{1,3})");

    private static final String REFERENCE = "reference";
    private static final Set<String> NO_SCENARIOS = Set.of(NICS, "plans");

    private final Path home;
    /** Roots to search; the project's folder first. */
    private final List<Path> roots;

    private @Nullable Path allNics;
    private Published.@Nullable Shelf shelf;

    /** @param project a folder of the same layout; null for none */
    public Library(Path home, @Nullable Path project) {
        this.home = home;
        this.roots = project == null ? List.of(home) : List.of(project, home);
    }

    /** Library in {@code -Dreprobe.home}, else the working directory, with the project in {@code -Dreprobe.project}. */
    public static Library current() {
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

    /** Returns the folder of NIC profiles; with a project, a temporary folder with the profiles of both. */
    public synchronized Path nics() {
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

    /** Returns the folder for new NIC profiles: the project's, if there is one. */
    public Path newNics() {
        return roots.getFirst().resolve("scenarios").resolve(NICS);
    }

    /** Returns all scenarios in a folder except the reference scenario. */
    public List<Path> scenariosIn(Path folder) {
        Path reference =
                scenarios().resolve(REFERENCE + ".yaml").toAbsolutePath().normalize();
        return files(folder).stream()
                .filter(file -> !file.toAbsolutePath().normalize().equals(reference))
                .toList();
    }

    /** Returns the default folder for results: {@code -Dreprobe.results}, or {@code results/} of the program. */
    public Path results() {
        String elsewhere = System.getProperty("reprobe.results", "");
        return elsewhere.isEmpty() ? home.resolve("results") : Path.of(elsewhere);
    }

    /** Checks the folder of {@code --out}; null for a new one. */
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

    public synchronized Published.Shelf shelf() {
        Published.Shelf current = shelf;
        if (current == null) {
            current = new Published.Shelf(
                    roots.stream()
                            .map(root -> root.resolve("results").resolve("published"))
                            .toList(),
                    roots.stream().map(root -> root.resolve("scenarios")).toList(),
                    nics());
            shelf = current;
        }
        return current;
    }

    /** Returns a reader that refuses to reproduce unknown papers. */
    public ScenarioReader reader() {
        return reader(nics());
    }

    public ScenarioReader reader(Path nics) {
        return new ScenarioReader(nics, shelf());
    }

    /** Adds the problems of the project's claims and NIC profiles, whichever of them a scenario uses. */
    public void checkProject(List<Problem> problems) {
        if (roots.size() == 1) {
            return;
        }
        String copies = nics().toString();
        problems.removeIf(problem -> problem.file().startsWith(copies));
        Set<Problem> found = new LinkedHashSet<>();
        Path own = roots.getFirst().toAbsolutePath().normalize();
        for (Path paper : shelf().papers()) {
            if (paper.toAbsolutePath().normalize().startsWith(own)) {
                collect(() -> shelf().read(paper), found);
            }
        }
        for (Path nic : directFiles(newNics())) {
            if (!NicProfiles.isPart(name(nic))) {
                collect(() -> NicProfiles.read(nic, name(nic)), found);
            }
        }
        found.removeAll(problems);
        problems.addAll(found);
    }

    @FunctionalInterface
    private interface Reading {
        void read() throws InvalidInputException;
    }

    private static void collect(Reading reading, Set<Problem> problems) {
        try {
            reading.read();
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
        }
    }

    /** Returns all scenarios by folder and name, as {@code linear-probing/figure-07} or {@code scenarios/own}. */
    public Map<String, Path> all() {
        TreeMap<String, Path> all = new TreeMap<>();
        roots.reversed().forEach(root -> all.putAll(all(root)));
        return all;
    }

    private static Map<String, Path> all(Path root) {
        TreeMap<String, Path> all = new TreeMap<>();
        Path scenarios = root.resolve("scenarios");
        directFiles(scenarios).stream()
                .filter(file -> !name(file).equals(REFERENCE))
                .forEach(file -> all.putIfAbsent("scenarios/" + name(file), file));
        for (Path folder : list(scenarios)) {
            if (Files.isDirectory(folder)
                    && !NO_SCENARIOS.contains(folder.getFileName().toString())) {
                directFiles(folder).forEach(file -> all.putIfAbsent(folder.getFileName() + "/" + name(file), file));
            }
        }
        return all;
    }

    /** Returns the scenario files in a folder, sorted, then those in its subfolders, without NIC profiles and plans. */
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

    public static String name(Path file) {
        return file.getFileName().toString().replaceFirst(EXTENSION, "");
    }

    /**
     * Finds a file or folder by path, or by its shipped name; null, with a problem, if there is none. A scenario
     * precedes a folder, and a file of another kind, of its name.
     */
    public @Nullable Path find(String word, List<Problem> problems) {
        String plain = word.replaceFirst(EXTENSION, "");
        Path other = null;
        try {
            List<Path> paths = new ArrayList<>(List.of(Path.of(word)));
            roots.forEach(root -> paths.addAll(
                    List.of(root.resolve(word), root.resolve("scenarios").resolve(word))));
            other = word.isEmpty()
                    ? null
                    : paths.stream().filter(Files::exists).findFirst().orElse(null);
        } catch (InvalidPathException e) {
            problems.add(Problem.of(word, "can't be the name of a file"));
            return null;
        }
        if (other != null && (!word.equals(plain) || word.startsWith(".") || word.endsWith("/"))) {
            return other;
        }
        for (Path root : roots) { // the project's scenario hides a shipped one of its name
            for (var entry : all(root).entrySet()) {
                if (entry.getKey().equals(plain) || name(entry.getValue()).equals(plain)) {
                    return entry.getValue();
                }
            }
        }
        if (other != null) {
            return other;
        }
        Matcher figure = FIGURE.matcher(plain);
        if (figure.matches()) {
            String full = "figure-%02d".formatted(Integer.parseInt(figure.group(1)));
            if (!full.equals(plain)) {
                return find(full, problems);
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
            hint = "; \"list\" shows all scenarios";
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
