package org.reprobe.analysis.measurement;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * File {@code measurements.jsonl}: one {@link Measurement} per line, in the order in which the runs ended. Metrics that
 * are NaN are omitted; a dot in a metric's name nests. Equal measurements give equal bytes.
 */
public final class MeasurementFile {
    public static final String NAME = "measurements.jsonl";

    private MeasurementFile() {}

    /**
     * Content of a file whose writer may have been interrupted: the intact lines, the damaged last line if any, and the
     * length without it, where {@link Appender#resume} continues.
     */
    public record Recovered(List<Measurement> measurements, List<Problem> ignored, long intactBytes) {
        public Recovered {
            measurements = List.copyOf(measurements);
            ignored = List.copyOf(ignored);
        }
    }

    /**
     * Returns a measurement's line, without the newline. Throws an {@link IllegalArgumentException} for an infinite
     * metric, or if one metric's name is a prefix of another's ({@code a} and {@code a.b}).
     */
    public static String line(Measurement measurement) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("scenario", measurement.scenario());
        object.put("cell", measurement.cell().values());
        object.put("repeat", measurement.repeat());
        object.put("seed", measurement.seed());
        object.put("fabric", measurement.fabric());
        object.put("kind", measurement.kind().word());
        object.put("valid", measurement.valid());
        if (measurement.problem() != null) {
            object.put("problem", measurement.problem());
        }
        if (!measurement.warnings().isEmpty()) {
            object.put("warnings", measurement.warnings());
        }
        object.put("metrics", nested(measurement.metrics()));
        return JsonLine.write(object);
    }

    /**
     * Reads a file whose writer may have been interrupted: a damaged last line is reported in
     * {@link Recovered#ignored}. Throws an {@link InvalidInputException} with every damaged line before the last.
     */
    public static Recovered recover(Path file) throws IOException, InvalidInputException {
        List<Line> lines = lines(file);
        List<Problem> problems = new ArrayList<>();
        List<Problem> ignored = new ArrayList<>();
        List<Measurement> measurements = new ArrayList<>();
        long intactBytes = 0;
        for (int i = 0; i < lines.size(); i++) {
            boolean last = i == lines.size() - 1;
            if (parse(file, lines.get(i), measurements, last ? ignored : problems)) {
                intactBytes = lines.get(i).endBytes();
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return new Recovered(measurements, ignored, intactBytes);
    }

    /**
     * Appends measurements. Each is one write that ends in a newline, so an interrupt damages at most the last line; a
     * failed write is undone. Safe for use by several threads.
     */
    public static final class Appender implements Closeable {
        private final Path file;
        private final FileChannel channel;

        private Appender(Path file, FileChannel channel) {
            this.file = file;
            this.channel = channel;
        }

        /** Creates a new file; throws an {@link IOException} if it exists or cannot be created. */
        public static Appender create(Path file) throws IOException {
            return new Appender(file, FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        }

        /** Continues after the intact part of a file, {@link Recovered#intactBytes} long; the rest is cut off. */
        public static Appender resume(Path file, long intactBytes) throws IOException {
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
            try {
                channel.truncate(intactBytes);
                channel.position(intactBytes);
                if (intactBytes > 0) {
                    ByteBuffer end = ByteBuffer.allocate(1);
                    channel.read(end, intactBytes - 1);
                    if (end.get(0) != '\n') {
                        channel.write(ByteBuffer.wrap(new byte[] {'\n'}));
                    }
                }
            } catch (IOException e) {
                channel.close();
                throw e;
            }
            return new Appender(file, channel);
        }

        /** Appends a line, or throws an {@link IOException}, such as on a full disk; earlier lines are kept. */
        public synchronized void append(Measurement measurement) throws IOException {
            byte[] bytes = (line(measurement) + "\n").getBytes(StandardCharsets.UTF_8);
            long start = channel.position();
            try {
                WholeFile.write(channel, bytes);
            } catch (IOException e) {
                FileSystemException failure = WholeFile.failure(
                        file,
                        "run " + measurement.repeat() + " of " + measurement.scenario() + " could not be stored ("
                                + e.getMessage() + "); the runs before it are kept",
                        e);
                try {
                    channel.truncate(start);
                    channel.position(start);
                } catch (IOException undo) {
                    failure.addSuppressed(undo);
                }
                throw failure;
            }
        }

        /** Waits until every line is on the disk. */
        public synchronized void force() throws IOException {
            channel.force(false);
        }

        @Override
        public synchronized void close() throws IOException {
            channel.close();
        }
    }

    private record Line(int number, ByteBuffer bytes, long endBytes) {}

    private static List<Line> lines(Path file) throws IOException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "is a folder, not a file of measurements");
        }
        byte[] all;
        try {
            all = Files.readAllBytes(file);
        } catch (NoSuchFileException e) {
            throw WholeFile.failure(file, "there is no such file", e);
        }
        List<Line> lines = new ArrayList<>();
        int start = 0;
        while (start < all.length) {
            int end = start;
            while (end < all.length && all[end] != '\n') {
                end++;
            }
            ByteBuffer bytes = ByteBuffer.wrap(all, start, end - start);
            start = Math.min(end + 1, all.length);
            lines.add(new Line(lines.size() + 1, bytes, start));
        }
        return lines;
    }

    /** Adds the line's measurement and returns true, or adds a problem and returns false. */
    private static boolean parse(Path file, Line line, List<Measurement> measurements, List<Problem> problems) {
        try {
            String text =
                    StandardCharsets.UTF_8.newDecoder().decode(line.bytes()).toString();
            if (text.isBlank()) {
                throw new Damage("the line is empty; a measurement is expected");
            }
            measurements.add(measurement(JsonLine.read(text)));
            return true;
        } catch (CharacterCodingException e) {
            problems.add(problem(file, line, 1, "the line is not UTF-8 text"));
        } catch (JacksonException e) {
            int column =
                    e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getColumnNr());
            problems.add(problem(file, line, column, "the line is damaged: it is not one whole JSON object"));
        } catch (Damage e) {
            problems.add(problem(file, line, 1, String.valueOf(e.getMessage())));
        }
        return false;
    }

    private static Problem problem(Path file, Line line, int column, String message) {
        return new Problem(file.toString(), line.number(), column, message, null);
    }

    private static Measurement measurement(JsonNode node) throws Damage {
        if (!node.isObject()) {
            throw new Damage("a measurement in braces is expected");
        }
        String scenario = null;
        Cell cell = null;
        Long repeat = null;
        Long seed = null;
        String fabric = null;
        Kind kind = null;
        Boolean valid = null;
        String problem = null;
        List<String> warnings = new ArrayList<>();
        Map<String, Double> metrics = null;
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String key = field.getKey();
            JsonNode value = field.getValue();
            switch (key) {
                case "scenario" -> scenario = text(key, value);
                case "cell" -> cell = cell(value);
                case "repeat" -> repeat = whole(key, value, 0, Integer.MAX_VALUE);
                case "seed" -> seed = whole(key, value, Long.MIN_VALUE, Long.MAX_VALUE);
                case "fabric" -> fabric = text(key, value);
                case "kind" -> kind = kind(text(key, value));
                case "valid" -> {
                    if (!value.isBoolean()) {
                        throw new Damage("\"valid\" must be true or false, but is " + value);
                    }
                    valid = value.booleanValue();
                }
                case "problem" -> problem = text(key, value);
                case "warnings" -> {
                    if (!value.isArray()) {
                        throw new Damage("\"warnings\" must be a list, but is " + value);
                    }
                    for (JsonNode warning : value) {
                        warnings.add(text(key, warning));
                    }
                }
                case "metrics" -> {
                    metrics = new LinkedHashMap<>();
                    flatten("", value, metrics);
                }
                default -> throw new Damage("unknown field \"" + key + "\"; the file is from another version");
            }
        }
        return new Measurement(
                present("scenario", scenario),
                present("cell", cell),
                Math.toIntExact(present("repeat", repeat)),
                present("seed", seed),
                present("fabric", fabric),
                present("kind", kind),
                present("valid", valid),
                problem,
                present("metrics", metrics),
                warnings);
    }

    private static <T> T present(String key, @Nullable T value) throws Damage {
        if (value == null) {
            throw new Damage("\"" + key + "\" is missing");
        }
        return value;
    }

    private static String text(String key, JsonNode value) throws Damage {
        if (!value.isString()) {
            throw new Damage("\"" + key + "\" must be text, but is " + value);
        }
        return value.stringValue();
    }

    private static long whole(String key, JsonNode value, long min, long max) throws Damage {
        if (!value.isIntegralNumber() || !value.canConvertToLong()) {
            throw new Damage("\"" + key + "\" must be a whole number, but is " + value);
        }
        long number = value.longValue();
        if (number < min || number > max) {
            throw new Damage("\"" + key + "\" must be from " + min + " to " + max + ", but is " + value);
        }
        return number;
    }

    private static Kind kind(String word) throws Damage {
        try {
            return Kind.ofWord(word);
        } catch (IllegalArgumentException e) {
            throw new Damage(String.valueOf(e.getMessage()));
        }
    }

    private static Cell cell(JsonNode node) throws Damage {
        if (!node.isObject()) {
            throw new Damage("\"cell\" must be keys and values in braces, but is " + node);
        }
        Map<String, Object> values = new LinkedHashMap<>();
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            JsonNode value = field.getValue();
            if (value.isString()) {
                values.put(field.getKey(), value.stringValue());
            } else if (value.isBoolean()) {
                values.put(field.getKey(), value.booleanValue());
            } else if (value.isIntegralNumber() && value.canConvertToLong()) {
                values.put(field.getKey(), value.longValue());
            } else if (value.isFloatingPointNumber()) {
                values.put(field.getKey(), finite(field.getKey(), value));
            } else {
                throw new Damage("\"" + field.getKey() + "\" of the cell must be text, a number, true or false, but is "
                        + value);
            }
        }
        return new Cell(values);
    }

    private static double finite(String name, JsonNode number) throws Damage {
        double value = number.asDouble(Double.NaN); // NaN where its type can't hold it
        if (!Double.isFinite(value)) {
            String digits = number.toString();
            throw new Damage("\"" + name + "\" is out of the range of numbers, "
                    + (digits.length() > 40 ? digits.substring(0, 40) + "..." : digits));
        }
        return value;
    }

    private static void flatten(String prefix, JsonNode node, Map<String, Double> metrics) throws Damage {
        if (!node.isObject()) {
            throw new Damage("\"" + (prefix.isEmpty() ? "metrics" : prefix) + "\" must hold numbers, but is " + node);
        }
        for (Map.Entry<String, JsonNode> field : node.properties()) {
            String name = prefix.isEmpty() ? field.getKey() : prefix + "." + field.getKey();
            if (field.getValue().isNumber()) {
                metrics.put(name, finite(name, field.getValue()));
            } else {
                flatten(name, field.getValue(), metrics);
            }
        }
    }

    private static Map<String, Object> nested(Map<String, Double> metrics) {
        Map<String, Object> root = new LinkedHashMap<>();
        metrics.forEach((name, value) -> {
            if (Double.isNaN(value)) {
                return;
            }
            if (Double.isInfinite(value)) {
                throw new IllegalArgumentException(
                        "metric " + name + " is " + value + ", which no result file can hold");
            }
            Map<String, Object> level = root;
            int from = 0;
            for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', from)) {
                Object inner = level.computeIfAbsent(name.substring(from, dot), _ -> new LinkedHashMap<>());
                level = level(name, inner);
                from = dot + 1;
            }
            if (level.put(name.substring(from), value) != null) {
                throw new IllegalArgumentException("metric " + name + " is also the beginning of another's name");
            }
        });
        return root;
    }

    @SuppressWarnings("unchecked") // only nested() itself puts maps into its levels
    private static Map<String, Object> level(String name, Object value) {
        if (value instanceof Map<?, ?>) {
            return (Map<String, Object>) value;
        }
        throw new IllegalArgumentException("metric " + name + " begins with another metric's name");
    }

    /** Error in a line, as shown to the user. */
    private static final class Damage extends Exception {
        Damage(String message) {
            super(message);
        }
    }
}
