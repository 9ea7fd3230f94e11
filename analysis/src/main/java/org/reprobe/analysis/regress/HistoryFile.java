package org.reprobe.analysis.regress;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.MalformedInputException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Kind;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** A history: newline-JSON, one {@link HistoryEntry} a line, in the order in which they were added. */
public final class HistoryFile {
    private static final long FORMAT = 1;

    private HistoryFile() {}

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
                try {
                    entries.add(entry(JsonLine.read(lines.get(i))));
                } catch (JacksonException | IllegalArgumentException | DateTimeException e) {
                    String excerpt = lines.get(i);
                    problems.add(new Problem(
                            file.toString(),
                            i + 1,
                            1,
                            "is no result of a history (" + reason(e) + "); take the line out to go on without it",
                            excerpt.length() > 80 ? excerpt.substring(0, 80) + "..." : excerpt));
                }
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        entries.sort((a, b) -> a.when().compareTo(b.when()));
        return entries;
    }

    private static String reason(RuntimeException e) {
        return switch (e) {
            case JacksonException _ -> "damaged JSON";
            case DateTimeException _ -> "\"when\" is no date with time and zone";
            default -> String.valueOf(e.getMessage());
        };
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

    private static HistoryEntry entry(JsonNode line) {
        if (!line.isObject() || line.path("format").asLong(0) != FORMAT) {
            throw new IllegalArgumentException("\"format\" must be " + FORMAT);
        }
        Map<String, String> environment = new LinkedHashMap<>();
        line.path("environment").forEachEntry((key, value) -> environment.put(key, value.asString("")));
        List<HistoryEntry.Values> cells = new ArrayList<>();
        for (JsonNode cell : line.path("cells")) {
            Map<String, Double> metrics = new LinkedHashMap<>();
            cell.path("metrics").forEachEntry((key, value) -> metrics.put(key, value.asDouble()));
            Map<String, String> settings = new LinkedHashMap<>();
            if (cell.has("settings")) {
                JsonNode recorded =
                        line.path("settings").path(cell.get("settings").asInt(-1));
                if (!recorded.isObject() || recorded.isEmpty()) {
                    throw new IllegalArgumentException("\"settings\" of a cell are missing");
                }
                recorded.forEachEntry((key, value) -> settings.put(key, value.asString("")));
            }
            cells.add(new HistoryEntry.Values(
                    text(cell, "scenario"),
                    text(cell, "cell"),
                    text(cell, "fabric"),
                    Kind.ofWord(text(cell, "kind")),
                    cell.path("runs").asInt(1),
                    metrics,
                    settings));
        }
        return new HistoryEntry(
                OffsetDateTime.parse(text(line, "when")),
                text(line, "commit"),
                line.path("uncommitted-changes").asBoolean(false),
                text(line, "machine"),
                environment,
                cells);
    }

    private static String text(JsonNode node, String key) {
        JsonNode value = node.path(key);
        if (!value.isString()) {
            throw new IllegalArgumentException("\"" + key + "\" is missing");
        }
        return value.stringValue();
    }
}
