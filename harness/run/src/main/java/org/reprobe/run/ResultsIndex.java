package org.reprobe.run;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.reprobe.analysis.claims.ClaimResults;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.SharedFile;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.plots.report.ResultsPage;
import org.reprobe.plots.report.RunData;
import org.reprobe.scenario.StoredSettings;
import tools.jackson.core.JacksonException;

/** {@code index.html} of a folder with result folders, from their status files. */
final class ResultsIndex {
    static final String NAME = "index.html";

    private static final String LOCK = ".index.lock";

    private static final String REPORT = "report.html";
    private static final String POINTS = ".data.csv";
    private static final String DATA = ".page.json";
    /** Total size of the data in a page, for the newest results. */
    private static final int MAX_CHARACTERS = 4_000_000;

    private ResultsIndex() {}

    /** Updates the page after a run, whose success does not depend on it. */
    static void update(Path results, Consumer<String> note) {
        // Locked: otherwise the page of a concurrent run could replace a newer one.
        try (SharedFile _ = SharedFile.appending(results.resolve(LOCK))) {
            write(results);
        } catch (IOException e) {
            note.accept("The page of all results can't be written: " + e.getMessage());
        }
    }

    /** Writes the page; folders that are not results, or can't be read, are omitted. */
    static void write(Path results) throws IOException {
        List<Path> newestFirst = new ArrayList<>();
        Map<Path, String> started = new HashMap<>();
        try (DirectoryStream<Path> folders =
                Files.newDirectoryStream(results, folder -> Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))) {
            for (Path folder : folders) {
                if (Files.exists(folder.resolve(Status.NAME))) {
                    try {
                        started.put(folder, Environment.read(folder).getOrDefault("started", ""));
                        newestFirst.add(folder);
                    } catch (InvalidInputException e) {
                        // Of another version, or damaged: "report" gives the reason.
                    }
                }
            }
        }
        newestFirst.sort(Comparator.comparing((Path folder) -> started.getOrDefault(folder, ""))
                .thenComparing(folder -> String.valueOf(folder.getFileName()))
                .reversed());
        int space = MAX_CHARACTERS;
        List<ResultsPage.Row> rows = new ArrayList<>();
        for (Path folder : newestFirst) {
            try {
                ResultsPage.Row row = row(folder, space);
                rows.add(row);
                space -= row.data().length();
            } catch (InvalidInputException | JacksonException e) {
                // As above.
            }
        }
        Path real = results.toRealPath();
        new ResultsPage(String.valueOf(real.getFileName()), rows).write(results.resolve(NAME));
    }

    /**
     * Returns the data of a result that the page compares; "" if it has none. They are kept beside the result, since
     * the page is written after every run, and reading all results again would take seconds.
     */
    private static String data(Path folder, Status status) throws IOException {
        Path kept = folder.resolve(DATA);
        try {
            if (Files.exists(kept)
                    && Files.getLastModifiedTime(kept).compareTo(Files.getLastModifiedTime(folder.resolve(Status.NAME)))
                            >= 0) {
                String data = Document.text(kept);
                if (data.startsWith(RunData.START)) {
                    return data;
                }
            }
            StoredRuns stored = StoredRuns.read(folder);
            String data = RunData.of(new RunData.Result(stored.runs(), figures(folder, status), run -> {
                StoredSettings recorded = stored.settings().get(run.scenario());
                return recorded == null ? Map.of() : recorded.comparable(run.cell(), run.kind());
            }));
            if (status.state() != Status.State.RUNNING && Files.isWritable(folder)) {
                WholeFile.write(kept, data);
            }
            return data;
        } catch (InvalidInputException | JacksonException e) {
            return ""; // it has a row nevertheless
        }
    }

    /** Returns the points of all figures by scenario and name. */
    private static Map<String, String> figures(Path folder, Status status) throws InvalidInputException, IOException {
        Map<String, String> figures = new TreeMap<>();
        for (String scenario : status.scenarios()) {
            Path part = status.combined() ? folder.resolve(scenario) : folder;
            if (!Files.isDirectory(part)) {
                continue;
            }
            try (DirectoryStream<Path> files = Files.newDirectoryStream(part, "*" + POINTS)) {
                for (Path file : files) {
                    String name = String.valueOf(file.getFileName());
                    figures.put(
                            scenario + "/" + name.substring(0, name.length() - POINTS.length()), Document.text(file));
                }
            }
        }
        return figures;
    }

    private static ResultsPage.Row row(Path folder, int space) throws InvalidInputException, IOException {
        Status status = Status.read(folder);
        Map<String, String> environment = Environment.read(folder);
        List<ClaimResults.Stored> claims = ClaimResults.read(folder);
        String data = space <= 0 ? "" : data(folder, status);
        String name = String.valueOf(folder.getFileName());
        String commit = HistoryEntry.shortVersion(HistoryEntry.version(environment))
                + (HistoryEntry.isModified(environment) ? ", changed" : "");
        boolean complete = status.state() == Status.State.COMPLETE;
        return new ResultsPage.Row(
                name,
                Files.exists(folder.resolve(REPORT)) ? link(name, REPORT) : "",
                figure(folder, status),
                String.join(", ", status.scenarios()),
                environment.getOrDefault("fabric", ""),
                environment.getOrDefault("kind", ""),
                claims.stream().map(ClaimResults.Stored::paper).distinct().collect(Collectors.joining(", ")),
                environment.getOrDefault("nic", ""),
                environment.containsKey("cpu") ? HistoryEntry.fingerprint(environment) : "",
                commit,
                environment.getOrDefault("started", "").replace('T', ' ').replace("Z", ""),
                status.words(),
                complete && status.failed() == 0,
                ClaimResults.count(claims),
                data.length() <= space ? data : "");
    }

    /** Returns the first picture of its first scenario that has one. */
    private static String figure(Path folder, Status status) throws IOException {
        String name = String.valueOf(folder.getFileName());
        for (String scenario : status.scenarios()) {
            Path part = status.combined() ? folder.resolve(scenario) : folder;
            if (Files.isDirectory(part)) {
                try (Stream<Path> files = Files.list(part)) {
                    List<String> pictures = files.map(file -> String.valueOf(file.getFileName()))
                            .filter(file -> file.endsWith(".png"))
                            .sorted()
                            .toList();
                    if (!pictures.isEmpty()) {
                        return status.combined()
                                ? link(name, scenario, pictures.getFirst())
                                : link(name, pictures.getFirst());
                    }
                }
            }
        }
        return "";
    }

    private static String link(String... names) {
        try {
            return new URI(null, null, "./" + String.join("/", names), null).getRawPath();
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException(e); // impossible for a path
        }
    }
}
