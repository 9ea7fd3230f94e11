package org.reprobe.analysis.regress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Binder;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Kind;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** A history: newline-JSON, one {@link HistoryEntry} a line, in the order in which they were added. */
public final class HistoryFile {
    private static final long FORMAT = 1;

    /** Of a damaged line, of which more would tell nothing. */
    private static final int MAX_REASONS = 3;

    private static final Binder<Line> LINES = Binder.of(Line.class);

    private HistoryFile() {}

    /** The lines of the files. */
    public static Binder<?> lines() {
        return LINES;
    }

    /**
     * Reads a history; none where there is no file yet. The entries come in the order of their dates.
     *
     * @throws InvalidInputException with every damaged line
     * @throws IOException when the file cannot be read
     */
    public static List<HistoryEntry> read(Path file) throws IOException, InvalidInputException {
        List<HistoryEntry> entries = new ArrayList<>();
        if (!Files.exists(file)) {
            return entries;
        }
        if (Files.isDirectory(file)) {
            throw new InvalidInputException(Problem.of(file.toString(), "is a folder; a history is a file"));
        }
        List<String> lines;
        try {
            lines = Files.readAllLines(file);
        } catch (MalformedInputException e) {
            throw new InvalidInputException(Problem.of(file.toString(), "is not a text file in UTF-8"));
        }
        List<Problem> problems = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).isBlank()) {
                List<Problem> reasons = new ArrayList<>();
                HistoryEntry entry = entry(file.toString(), i + 1, lines.get(i), reasons);
                if (entry != null) {
                    entries.add(entry);
                } else {
                    Problem first = reasons.getFirst();
                    String all = reasons.stream()
                            .map(Problem::message)
                            .distinct()
                            .limit(MAX_REASONS)
                            .collect(Collectors.joining("; "));
                    problems.add(new Problem(
                            first.file(),
                            first.line(),
                            first.column(),
                            "is no result of a history (" + all + "); take the line out to go on without it",
                            first.excerpt()));
                }
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        entries.sort((a, b) -> a.when().compareTo(b.when()));
        return entries;
    }

    /**
     * Adds a result, unless it is there already.
     *
     * @param entries what the file holds; the result is added here as well
     * @return false when it is there already
     */
    public static boolean append(Path file, List<HistoryEntry> entries, HistoryEntry entry) throws IOException {
        if (entries.stream().anyMatch(entry::isSameResult)) {
            return false;
        }
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            long end = channel.size();
            ByteBuffer last = ByteBuffer.allocate(1);
            boolean broken = end > 0 && channel.read(last, end - 1) == 1 && last.get(0) != '\n';
            ByteBuffer bytes =
                    ByteBuffer.wrap(((broken ? "\n" : "") + line(entry) + "\n").getBytes(StandardCharsets.UTF_8));
            for (long at = end; bytes.hasRemaining(); ) {
                at += channel.write(bytes, at);
            }
            channel.force(true);
        }
        entries.add(entry);
        entries.sort((a, b) -> a.when().compareTo(b.when()));
        return true;
    }

    /** An entry as its line, without the newline. */
    static String line(HistoryEntry entry) {
        List<Object> cells = new ArrayList<>();
        List<Object> settings = new ArrayList<>(); // each once: most cells share theirs
        for (HistoryEntry.Values values : entry.cells()) {
            Map<String, Object> object = new LinkedHashMap<>();
            object.put("scenario", values.scenario());
            object.put("cell", values.cell());
            object.put("fabric", values.fabric());
            object.put("kind", values.kind().word());
            object.put("runs", values.runs());
            if (!values.settings().isEmpty()) {
                if (!settings.contains(values.settings())) {
                    settings.add(values.settings());
                }
                object.put("settings", settings.indexOf(values.settings()));
            }
            object.put("metrics", values.metrics());
            cells.add(object);
        }
        Map<String, Object> object = new LinkedHashMap<>();
        object.put("format", FORMAT);
        object.put("when", entry.when().toString());
        object.put("commit", entry.commit());
        object.put("uncommitted-changes", entry.modified());
        object.put("machine", entry.machine());
        object.put("environment", entry.environment());
        object.put("settings", settings);
        object.put("cells", cells);
        return JsonLine.write(object);
    }

    /** Binds a line; null when it can't be, with at least one reason. */
    private static @Nullable HistoryEntry entry(String file, int number, String text, List<Problem> reasons) {
        JsonNode root;
        try {
            root = JsonLine.read(text);
        } catch (JacksonException e) {
            reasons.add(Document.line(file, number, text, JsonNodeFactory.instance.objectNode())
                    .problem("", "damaged JSON"));
            return null;
        }
        Document document = Document.line(file, number, text, root);
        LINES.violations(document).forEach(violation -> reasons.add(violation.problem()));
        Line line = reasons.isEmpty() ? LINES.bind(document, "", root, Line.class, reasons) : null;
        if (line == null) {
            return null;
        }
        List<HistoryEntry.Values> cells = new ArrayList<>();
        for (CellLine cell : line.cells) {
            int settings = cell.settings.orElse(-1);
            if (settings >= line.settings.size()) {
                reasons.add(document.problem("", "settings of a cell are missing"));
                return null;
            }
            cells.add(new HistoryEntry.Values(
                    cell.scenario,
                    cell.cell,
                    cell.fabric,
                    cell.kind,
                    cell.runs,
                    cell.metrics,
                    settings < 0 ? Map.of() : line.settings.get(settings)));
        }
        return new HistoryEntry(line.when, line.commit, line.uncommittedChanges, line.machine, line.environment, cells);
    }

    /** A line's keys. */
    @Section(open = true, meaning = "A result in a history: one line of JSON.")
    record Line(
            @Key(min = FORMAT, max = FORMAT, allowed = "" + FORMAT, meaning = "The form of the line.")
            long format,

            @Key(meaning = "When the runs started.") OffsetDateTime when,
            @Key(meaning = "The commit that was run.") String commit,

            @Key(byDefault = "false", meaning = "Whether the checkout had uncommitted changes.")
            boolean uncommittedChanges,

            @Key(meaning = "What tells the machine from others.")
            String machine,

            @Key(byDefault = "{}", meaning = "Where it ran, by name.")
            Map<String, String> environment,

            @Key(
                    byDefault = "[]",
                    meaning = "Settings that cells share: what each cell was run with beside what its name says.")
            List<Map<String, String>> settings,

            @Key(byDefault = "[]", meaning = "What was found.")
            List<CellLine> cells) {}

    @Section(open = true, meaning = "A cell's result.")
    record CellLine(
            @Key(meaning = "The scenario.") String scenario,
            @Key(meaning = "The cell's label.") String cell,
            @Key(meaning = "The fabric.") String fabric,
            @Key(meaning = "Where its numbers come from.") Kind kind,

            @Key(byDefault = "1", min = 0, max = Integer.MAX_VALUE, meaning = "Valid runs.")
            int runs,

            @Key(
                    min = 0,
                    max = Integer.MAX_VALUE,
                    meaning = "Number of its settings among the line's; unknown without.")
            OptionalInt settings,

            @Key(byDefault = "{}", meaning = "Medians of its runs' metrics, by dotted name.")
            Map<String, Double> metrics) {}
}
