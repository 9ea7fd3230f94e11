package org.reprobe.run.archive;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimCount;
import org.reprobe.analysis.claims.ClaimResults;
import org.reprobe.analysis.claims.Paper;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.RunsCsv;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.run.Status;
import org.reprobe.run.StoredRuns;

/**
 * Result folder as a zip file for a data repository: its files, all runs as one table, a README and the description of
 * an RO-Crate. Equal folders give equal bytes. Paths of the machine are replaced; recordings of the JVM, which contain
 * its environment variables, are left out.
 */
public final class ResultArchive {
    private static final String README = "README.md";
    private static final String RECORDINGS = "profiles";

    /** File formats with their media types and descriptions, by the end of the name. */
    private static final Map<String, List<String>> FORMATS = formats();

    private ResultArchive() {}

    /** Author of a result; the address of an ORCID record is "" if unknown. */
    public record Author(String name, String orcid) {}

    /**
     * Content of an archive.
     *
     * @param papers reproduced papers
     * @param license SPDX identifier; "" if not chosen
     * @param roots folders of this machine, whose paths are replaced
     */
    public record Request(
            StoredRuns runs, List<Paper> papers, List<Author> authors, String license, List<String> roots) {
        public Request {
            papers = List.copyOf(papers);
            authors = List.copyOf(authors);
            roots = List.copyOf(roots);
        }
    }

    /** Returns the runs of a result as rows of a table. */
    public static RunsCsv.Result table(StoredRuns runs) {
        return new RunsCsv.Result(
                String.valueOf(runs.dir().getFileName()),
                runs.environment().getOrDefault("started", ""),
                HistoryEntry.version(runs.environment()),
                runs.runs());
    }

    /** Returns the zip file of a result. */
    public static byte[] zip(Request request) throws IOException, InvalidInputException {
        Path dir = request.runs().dir();
        Map<String, byte[]> files = new TreeMap<>();
        try (Stream<Path> all = Files.walk(dir)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                String name = dir.relativize(file).toString();
                if (Stream.of(name.split("/")).noneMatch(part -> part.startsWith(".") || part.equals(RECORDINGS))) {
                    files.put(name, Files.readAllBytes(file));
                }
            }
        } catch (UncheckedIOException e) { // a folder that may not be read
            throw e.getCause();
        }
        files.put(RunsCsv.NAME, RunsCsv.text(List.of(table(request.runs()))).getBytes(StandardCharsets.UTF_8));
        List<String> data = files.entrySet().stream()
                .filter(file -> !file.getKey().matches(".*\\.(html|svg|tex)"))
                .map(file -> text(file.getValue()))
                .filter(text -> text != null)
                .toList();
        MachinePaths paths = new MachinePaths(request.roots(), data);
        files.replaceAll((_, bytes) -> {
            String text = text(bytes);
            return text == null ? bytes : paths.without(text).getBytes(StandardCharsets.UTF_8);
        });
        String title = title(request);
        String description = description(request);
        String readme = paths.without(readme(request, title, description, files));
        files.put(README, readme.getBytes(StandardCharsets.UTF_8));
        List<CrateMetadata.Part> parts = new ArrayList<>();
        files.forEach((name, bytes) -> {
            List<String> format = format(name);
            parts.add(new CrateMetadata.Part(name, format.get(1), format.get(0), bytes.length));
        });
        String metadata = paths.without(CrateMetadata.text(request, title, description, parts));
        files.put(CrateMetadata.NAME, metadata.getBytes(StandardCharsets.UTF_8));
        return zip(files, started(request.runs()));
    }

    private static byte[] zip(Map<String, byte[]> files, OffsetDateTime when) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(bytes, StandardCharsets.UTF_8)) {
            zip.setLevel(Deflater.BEST_COMPRESSION);
            for (Map.Entry<String, byte[]> file : files.entrySet()) {
                ZipEntry entry = new ZipEntry(file.getKey());
                entry.setTimeLocal(when.toLocalDateTime());
                zip.putNextEntry(entry);
                zip.write(file.getValue());
                zip.closeEntry();
            }
        }
        return bytes.toByteArray();
    }

    static OffsetDateTime started(StoredRuns runs) {
        try {
            return runs.started().withOffsetSameInstant(ZoneOffset.UTC);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a file's text; null if it is none. */
    private static @Nullable String text(byte[] bytes) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return text.indexOf('\0') < 0 ? text : null;
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    private static String title(Request request) {
        StoredRuns runs = request.runs();
        String papers = request.papers().stream()
                .map(paper -> String.valueOf(paper.title()))
                .collect(Collectors.joining("; "));
        String scenarios = runs.environment()
                .getOrDefault("title", String.join(", ", runs.status().scenarios()));
        return (papers.isEmpty() ? "Measurements" : "Reproduction of " + papers) + ": " + scenarios;
    }

    private static String description(Request request) throws InvalidInputException {
        StoredRuns runs = request.runs();
        ClaimCount claims = ClaimResults.count(ClaimResults.read(runs.dir()));
        Map<String, String> environment = runs.environment();
        String kind = environment.getOrDefault("kind", "");
        return "Result of " + runs.status().command() + ". "
                + (kind.isEmpty() ? "" : "Kind of numbers: " + kind + ". ")
                + (claims.judged() == 0 ? "" : claims.score() + " claims of the paper hold. ")
                + (runs.status().state() == Status.State.COMPLETE
                        ? ""
                        : "INCOMPLETE: " + runs.status().words() + ". ")
                + "Commit " + environment.getOrDefault("commit", "unknown") + ".";
    }

    private static String readme(Request request, String title, String description, Map<String, byte[]> files) {
        StoredRuns runs = request.runs();
        StringBuilder text = new StringBuilder("# " + title + "\n\n" + description + "\n\n");
        if (files.containsKey("report.html")) {
            text.append("Open `report.html` for figures, claims and causes of misses.\n\n");
        }
        text.append("Again, at that commit of Reprobe:\n\n    ")
                .append(runs.status().command())
                .append("\n\n## Papers\n\n");
        text.append(
                request.papers().isEmpty()
                        ? "None is reproduced.\n"
                        : request.papers().stream()
                                .map(paper -> "- " + paper.citation() + "\n")
                                .collect(Collectors.joining()));
        text.append("\n## Authors and licence\n\n")
                .append(
                        request.authors().isEmpty()
                                ? "Authors: not stated.\n"
                                : request.authors().stream()
                                        .map(author -> "- " + author.name()
                                                + (author.orcid().isEmpty() ? "" : ", " + author.orcid()) + "\n")
                                        .collect(Collectors.joining()))
                .append("\nLicence: ")
                .append(request.license().isEmpty() ? "not stated" : request.license())
                .append(".\n\n## Files\n\n| file | content |\n|---|---|\n");
        files.keySet()
                .forEach(name -> text.append("| `")
                        .append(name)
                        .append("` | ")
                        .append(format(name).get(1))
                        .append(" |\n"));
        return text.append("\n## Machine and build\n\n")
                .append(runs.environment().entrySet().stream()
                        .filter(fact -> !fact.getKey().startsWith("command"))
                        .map(fact -> "- " + fact.getKey() + ": " + fact.getValue() + "\n")
                        .collect(Collectors.joining()))
                .toString();
    }

    private static List<String> format(String name) {
        return FORMATS.entrySet().stream()
                .filter(format -> name.endsWith(format.getKey()))
                .findFirst()
                .map(Map.Entry::getValue)
                .orElse(List.of("application/octet-stream", "output of a measured program"));
    }

    private static Map<String, List<String>> formats() {
        Map<String, List<String>> formats = new LinkedHashMap<>();
        formats.put(README, List.of("text/markdown", "this description"));
        formats.put("report.html", List.of("text/html", "report: figures, claims, causes of misses"));
        formats.put("scenario.yaml", List.of("application/yaml", "the scenario with all defaults"));
        formats.put("status.json", List.of("application/json", "state and numbers of runs"));
        formats.put("environment.json", List.of("application/json", "command, machine, build"));
        formats.put(RunsCsv.NAME, List.of("text/csv", "one line per run: keys and metrics"));
        formats.put("measurements.jsonl", List.of("application/jsonl", "one object per run"));
        formats.put("drawn.jsonl", List.of("application/jsonl", "one object per cell and drawn NIC profile"));
        formats.put("series.jsonl", List.of("application/jsonl", "each run over time"));
        formats.put("claims.jsonl", List.of("application/jsonl", "published and reproduced numbers"));
        formats.put("histograms.hlog", List.of("text/plain", "latencies of each run, HdrHistogram's log format"));
        formats.put("summary.csv", List.of("text/csv", "one line per cell: means and intervals"));
        formats.put("model-errors.csv", List.of("text/csv", "estimate of the model's own error"));
        formats.put(".data.csv", List.of("text/csv", "points of a figure"));
        formats.put(".svg", List.of("image/svg+xml", "figure"));
        formats.put(".png", List.of("image/png", "figure"));
        formats.put(".pdf", List.of("application/pdf", "figure"));
        formats.put(".tex", List.of("application/x-tex", "figure for pgfplots"));
        formats.put(".yaml", List.of("application/yaml", "NIC profile"));
        return formats;
    }
}
