package org.reprobe.analysis.regress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
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
import org.reprobe.analysis.measurement.SharedFile;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** History as newline-delimited JSON: one {@link HistoryEntry} per line, in the order of addition. */
public final class HistoryFile {
    private static final long FORMAT = 1;

    /** Limit of reasons reported for a damaged line. */
    private static final int MAX_REASONS = 3;

    private static final Binder<Line> LINES = Binder.of(Line.class);

    private HistoryFile() {}

    public static Binder<?> lines() {
        return LINES;
    }

    /** Reads a history. Notes receive omissions: a last line cut off by a killed process, and duplicate lines. */
    public static List<HistoryEntry> read(Path file, List<String> notes) throws IOException, InvalidInputException {
        if (!Files.exists(file)) {
            return new ArrayList<>();
        }
        if (!Files.isRegularFile(file)) {
            throw new InvalidInputException(
                    file, Files.isDirectory(file) ? "is a folder; a history is a file" : "is not a regular file");
        }
        byte[] bytes;
        try (SharedFile shared = SharedFile.reading(file)) {
            bytes = shared.read();
        }
        return entries(file, bytes, intactBytes(bytes), notes);
    }

    /**
     * Returns the length of a file without an incomplete last line. Such a line has no newline and no end of its JSON
     * (left by a killed process), or ends in zeros (left by a power failure).
     */
    private static int intactBytes(byte[] bytes) {
        int start = bytes.length;
        while (start > 0 && bytes[start - 1] != '\n') {
            start--;
        }
        int end = bytes.length;
        while (end > start && bytes[end - 1] == 0) {
            end--;
        }
        String last = new String(bytes, start, end - start, StandardCharsets.UTF_8);
        return (last.isBlank() && end < bytes.length) || isCutOff(last) ? start : bytes.length;
    }

    private static boolean isCutOff(String text) {
        int depth = 0;
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            switch (text.charAt(i)) {
                case '"' -> quoted = !quoted;
                case '\\' -> i += quoted ? 1 : 0;
                case '{', '[' -> depth += quoted ? 0 : 1;
                case '}', ']' -> depth -= quoted ? 0 : 1;
                default -> {
                    // No structure.
                }
            }
        }
        return depth > 0 && text.stripLeading().startsWith("{");
    }

    private static List<HistoryEntry> entries(Path file, byte[] bytes, int intactBytes, List<String> notes)
            throws InvalidInputException {
        List<String> lines;
        try {
            lines = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes, 0, intactBytes))
                    .toString()
                    .lines()
                    .toList();
        } catch (CharacterCodingException e) {
            throw new InvalidInputException(file, "is not a text file in UTF-8");
        }
        if (intactBytes < bytes.length) {
            notes.add(file + ":" + (lines.size() + 1)
                    + ": the last line is incomplete, probably since its writer was killed, and is ignored");
        }
        List<Problem> problems = new ArrayList<>();
        Map<HistoryEntry, Integer> entries = new LinkedHashMap<>();
        for (int i = 0; i < lines.size(); i++) {
            if (!lines.get(i).isBlank()) {
                List<Problem> reasons = new ArrayList<>();
                HistoryEntry entry = entry(file.toString(), i + 1, lines.get(i), reasons);
                if (entry != null) {
                    Integer before = entries.putIfAbsent(entry, i + 1);
                    if (before != null) {
                        notes.add(file + ":" + (i + 1) + ": duplicate of line " + before + "; it counts once");
                    }
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
                            "is not a result of a history (" + all + "); remove the line to continue without it",
                            first.excerpt()));
                }
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        List<HistoryEntry> sorted = new ArrayList<>(entries.keySet());
        sorted.sort((a, b) -> a.when().compareTo(b.when()));
        return sorted;
    }

    /**
     * Adds results; returns the number of those that are not yet present. Safe for concurrent use by processes and
     * threads. The entries become the file's content; notes receive omissions, and the reason if the file cannot be
     * locked. Throws every damaged line, or a cell that has other numbers of the same run, as an
     * {@link InvalidInputException}.
     */
    public static int append(Path file, List<HistoryEntry> entries, List<HistoryEntry> additions, List<String> notes)
            throws IOException, InvalidInputException {
        Path parent = file.toAbsolutePath().getParent();
        if (parent != null) {
            Files.createDirectories(parent);
        }
        int fresh = 0;
        List<HistoryEntry> all;
        try (SharedFile shared = SharedFile.appending(file)) {
            byte[] bytes = shared.read();
            int intactBytes = intactBytes(bytes);
            all = entries(file, bytes, intactBytes, notes);
            StringBuilder lines = new StringBuilder(intactBytes > 0 && bytes[intactBytes - 1] != '\n' ? "\n" : "");
            for (HistoryEntry entry : additions) {
                HistoryEntry added = withoutKnownCells(file, entry, all);
                if (!added.cells().isEmpty()) {
                    lines.append(line(added)).append('\n');
                    all.add(added);
                    fresh++;
                }
            }
            if (fresh > 0) {
                shared.append(intactBytes, lines.toString().getBytes(StandardCharsets.UTF_8));
            }
            if (shared.unlocked() != null) {
                notes.add(file + " can't be locked here (" + shared.unlocked()
                        + "): let one process at a time add to it");
            }
        }
        entries.clear();
        entries.addAll(all);
        entries.sort((a, b) -> a.when().compareTo(b.when()));
        return fresh;
    }

    /** Adds a result; returns false if it is already present. */
    public static boolean append(Path file, List<HistoryEntry> entries, HistoryEntry entry, List<String> notes)
            throws IOException, InvalidInputException {
        return append(file, entries, List.of(entry), notes) > 0;
    }

    /** Returns a result without cells that the history has of the same run: a folder may be added in parts. */
    private static HistoryEntry withoutKnownCells(Path file, HistoryEntry entry, List<HistoryEntry> all)
            throws InvalidInputException {
        Map<HistoryEntry.Place, HistoryEntry.Values> known = new HashMap<>();
        all.stream()
                .filter(entry::isOfSameRun)
                .forEach(other -> other.cells().forEach(values -> known.put(values.place(), values)));
        List<HistoryEntry.Values> added = new ArrayList<>();
        for (HistoryEntry.Values values : entry.cells()) {
            HistoryEntry.Values before = known.get(values.place());
            if (before == null) {
                added.add(values);
            } else if (values.metrics().entrySet().stream()
                    .anyMatch(metric -> !before.metrics()
                            .getOrDefault(metric.getKey(), metric.getValue()) // earlier versions left some out
                            .equals(metric.getValue()))) {
                throw new InvalidInputException(
                        file,
                        "has other numbers of " + (values.scenario() + " " + values.cell()).strip() + " for commit "
                                + entry.shortCommit() + " at " + entry.when() + " on this machine: the result is not"
                                + " added. Remove that line if this result replaces it, or distinguish the two by"
                                + " --when or --commit");
            }
        }
        return new HistoryEntry(
                entry.when(), entry.commit(), entry.modified(), entry.machine(), entry.environment(), added);
    }

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

    /** Binds a line; returns null with at least one reason if it is invalid. */
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

    @Section(open = true, meaning = "A result in a history: one line of JSON.")
    record Line(
            @Key(min = FORMAT, max = FORMAT, allowed = "" + FORMAT, meaning = "The format's version.")
            long format,

            @Key(meaning = "Start of the runs.") OffsetDateTime when,
            @Key(meaning = "The measured commit.") String commit,

            @Key(byDefault = "false", meaning = "True if the checkout had uncommitted changes.")
            boolean uncommittedChanges,

            @Key(meaning = "Identity of the machine.") String machine,

            @Key(byDefault = "{}", meaning = "Environment of the runs, by name.")
            Map<String, String> environment,

            @Key(byDefault = "[]", meaning = "Settings shared by cells, beyond those in the cells' names.")
            List<Map<String, String>> settings,

            @Key(byDefault = "[]", meaning = "Results by cell.")
            List<CellLine> cells) {}

    @Section(open = true, meaning = "A cell's result.")
    record CellLine(
            @Key(meaning = "The scenario.") String scenario,
            @Key(meaning = "The cell's label.") String cell,
            @Key(meaning = "The fabric.") String fabric,
            @Key(meaning = "Kind of its numbers.") Kind kind,

            @Key(byDefault = "1", min = 0, max = Integer.MAX_VALUE, meaning = "Valid runs.")
            int runs,

            @Key(
                    min = 0,
                    max = Integer.MAX_VALUE,
                    meaning = "Index of its settings in the line's list; without it they are unknown.")
            OptionalInt settings,

            @Key(byDefault = "{}", meaning = "Medians of its runs' metrics, by dotted name.")
            Map<String, Double> metrics) {}
}
