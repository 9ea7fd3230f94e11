package org.reprobe.cli.export;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResults;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.RunsCsv;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.analysis.regress.HistoryFile;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.WritableFile;
import org.reprobe.run.StoredRuns;
import org.reprobe.run.archive.ResultArchive;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code export}: results as an archive, a table or OpenMetrics. */
@Command(
        name = "export",
        description = {
            "Writes results for other programs. Formats: zip, an archive for a data repository such as Zenodo, with"
                    + " metadata as an RO-Crate; csv, one line per run; openmetrics, metrics of a result or of a"
                    + " history of \"regress history\"."
        },
        footer = {
            "",
            "Examples:",
            "./run.sh export results/latest --license CC-BY-4.0 --author 'Ada Lovelace'",
            "./run.sh export results/A results/B --format csv --out runs.csv",
            "./run.sh export history.jsonl --format openmetrics --out history.om"
        })
public final class ExportCommand extends CheckedCommand {
    @Parameters(
            paramLabel = "RESULT",
            arity = "0..*",
            description =
                    "Result folders, several only for csv; or a history, for openmetrics (default: results/latest).")
    private List<Path> results = new ArrayList<>();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            converter = ExportFormat.Words.class,
            completionCandidates = ExportFormat.Words.class,
            description = "${COMPLETION-CANDIDATES} (default: zip).")
    private ExportFormat format = ExportFormat.ZIP;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            converter = JsonOption.Target.class,
            description = "File to write (default: for zip, RESULT.zip beside the folder; else standard output, as -).")
    private @Nullable Path out;

    @Option(
            names = "--author",
            paramLabel = "NAME",
            description = "Author of the result, for zip; repeatable. An ORCID may follow: 'Ada Lovelace,"
                    + " 0000-0002-1825-0097'.")
    private List<String> authors = new ArrayList<>();

    @Option(
            names = "--license",
            paramLabel = "ID",
            description = "Licence of the result, for zip, by its SPDX identifier, such as CC-BY-4.0.")
    private String license = "";

    private final List<StoredRuns> stored = new ArrayList<>();

    @Override
    public Integer call() throws InvalidInputException, IOException {
        Library library = Library.current();
        if (results.isEmpty()) {
            results.add(library.results().resolve("latest"));
        }
        if (results.size() > 1 && format != ExportFormat.CSV) {
            addProblem(results.get(1), "several results only with --format csv");
        }
        if (format != ExportFormat.ZIP) {
            refuse("--author", "only with --format zip");
            refuse("--license", "only with --format zip");
        }
        if (!license.matches("[A-Za-z0-9.+-]*")) {
            addProblem("--license " + license, "must be an SPDX identifier, such as CC-BY-4.0");
        }
        List<ResultArchive.Author> named = authors.stream().map(this::author).toList();
        List<HistoryEntry> history = List.of();
        for (Path result : results) {
            if (Files.isRegularFile(result) && format == ExportFormat.OPENMETRICS) {
                List<HistoryEntry> entries = read(() -> HistoryFile.read(result, new ArrayList<>()));
                history = entries == null ? List.of() : entries;
                if (entries != null && entries.isEmpty()) {
                    addProblem(result, "has no results yet");
                }
            } else {
                StoredRuns runs = read(() -> StoredRuns.read(Files.exists(result) ? result.toRealPath() : result));
                if (runs != null) {
                    stored.add(runs);
                }
            }
        }
        if (format == ExportFormat.ZIP && out != null && out.toString().equals("-")) {
            addProblem("--out -", "a zip file needs the name of a file");
        }
        stopOnProblems();
        switch (format) {
            case ZIP -> writeZip(library, stored.getFirst(), named);
            case CSV ->
                writeText(RunsCsv.text(stored.stream().map(ResultArchive::table).toList()));
            case OPENMETRICS ->
                writeText(stored.isEmpty() ? ExportedMetrics.of(history) : ExportedMetrics.of(stored.getFirst()));
        }
        return ExitCode.FINE;
    }

    private ResultArchive.Author author(String text) {
        int comma = text.lastIndexOf(',');
        String id = comma < 0 ? "" : text.substring(comma + 1).strip();
        String orcid = id.replaceFirst("^https://orcid\\.org/", "");
        if (orcid.matches("\\d{4}-\\d{4}-\\d{4}-\\d{3}[\\dX]")) {
            return new ResultArchive.Author(text.substring(0, comma).strip(), "https://orcid.org/" + orcid);
        }
        if (text.isBlank()) {
            addProblem("--author", "must be a name");
        }
        return new ResultArchive.Author(text.strip(), "");
    }

    private void writeZip(Library library, StoredRuns runs, List<ResultArchive.Author> named)
            throws IOException, InvalidInputException {
        Set<String> reproduced = ClaimResults.read(runs.dir()).stream()
                .map(ClaimResults.Stored::paper)
                .collect(Collectors.toSet());
        List<Paper> papers = library.shelf().cited().stream()
                .filter(paper -> reproduced.contains(paper.name()))
                .toList();
        List<String> roots = new ArrayList<>();
        roots.add(runs.dir().toString());
        roots.add(String.valueOf(runs.dir().getParent()));
        for (String property : List.of("reprobe.home", "reprobe.results", "reprobe.project", "user.dir", "user.home")) {
            roots.add(Path.of(System.getProperty(property, ""))
                    .toAbsolutePath()
                    .normalize()
                    .toString());
        }
        byte[] zip = ResultArchive.zip(new ResultArchive.Request(runs, papers, named, license, roots));
        Path file = out == null ? runs.dir().resolveSibling(runs.dir().getFileName() + ".zip") : out;
        Path folder = WholeFile.folder(file);
        if (folder != null) {
            Files.createDirectories(folder);
        }
        WholeFile.write(file, zip);
        out().println(file);
        if (license.isEmpty()) {
            out().println("No licence is stated: --license ID adds it.");
        }
    }

    private void writeText(String text) throws IOException {
        if (out == null || out.toString().equals("-")) {
            out().print(text);
            out().flush();
        } else {
            WritableFile.write(out, text);
        }
    }
}
