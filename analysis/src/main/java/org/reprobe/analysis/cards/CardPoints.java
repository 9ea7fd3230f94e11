package org.reprobe.analysis.cards;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.reprobe.analysis.claims.Claim;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.document.Spelling;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.MappingIterator;
import tools.jackson.dataformat.csv.CsvMapper;
import tools.jackson.dataformat.csv.CsvReadFeature;

/**
 * Reader of measurements of cards, {@code results/published/cards/NAME.csv}; {@code README.md} there describes the
 * columns.
 */
public final class CardPoints {
    private static final String SUFFIX = ".csv";
    private static final long MAX_BYTES = 4L << 20;

    private static final List<String> FIRST = List.of("id", "source", "place", "card", "profile", "kind", "used");
    private static final List<String> LAST = List.of("metric", "value", "unit", "obstacle");
    private static final List<String> USED = List.of("fitted", "held-out");
    private static final List<String> KINDS =
            Arrays.stream(CardPoint.Kind.values()).map(CardPoint.Kind::words).toList();
    private static final List<String> RATES = List.of("M/s", "M/s per machine", "M/s both ways", "M/s of two cards");

    /** Scenario keys that have a column. */
    private static final List<String> KEYS = List.of(
            "scheme",
            "clients.machines",
            "clients.threads",
            "verb.kind",
            "verb.bytes",
            "verb.exchange",
            "verb.queue-pairs",
            "verb.sharing",
            "verb.doorbells",
            "verb.in-flight",
            "verb.signal-every",
            "verb.inline-bytes",
            "verb.refill",
            "farm-reads.read-bytes",
            "farm-reads.in-flight",
            "connection.outstanding-reads",
            "connection.timeout",
            "connection.retry-count",
            "connection.timeout-floor");

    /** Metrics with their units. */
    private static final Map<String, List<String>> METRICS = Map.of(
            "latency_ns.p50", List.of("us"),
            "latency_ns.p99", List.of("us"),
            "latency_ns.mean", List.of("us"),
            "throughput_ops_per_s", RATES,
            "connect_ms", List.of("ms"),
            "detect_ms", List.of("ms"),
            "recover_ms", List.of("ms"));

    private static final Pattern ID = Pattern.compile("[a-z0-9.-]+");
    private static final Pattern WHOLE = Pattern.compile("[0-9]{1,18}");
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}(\\.[0-9]{1,18})?");

    private final Path file;
    private final String name;
    private final List<Problem> problems = new ArrayList<>();
    private final Set<String> ids = new HashSet<>();
    private List<String> columns = List.of();

    private CardPoints(Path file) {
        this.file = file;
        this.name = name(file);
    }

    /** Returns the measurement files of a folder of published numbers, sorted. */
    public static List<Path> files(Path published) {
        Path folder = published.resolve(CardPoint.CLAIMS);
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns a file's name without its extension. */
    public static String name(Path file) {
        String name = String.valueOf(file.getFileName());
        return name.endsWith(SUFFIX) ? name.substring(0, name.length() - SUFFIX.length()) : name;
    }

    /** Returns the claims that cells have the measured values; rows without a cell have none. */
    public static List<Claim> claims(Collection<CardPoint> points) {
        return points.stream()
                .filter(CardPoint::isExpressible)
                .map(CardPoint::claim)
                .toList();
    }

    /**
     * Reads a file.
     *
     * @throws InvalidInputException with every problem of the file
     */
    public static List<CardPoint> read(Path file) throws InvalidInputException {
        return new CardPoints(file).points();
    }

    private List<CardPoint> points() throws InvalidInputException {
        String text = Document.text(file, MAX_BYTES, "a file of measurements");
        List<String> lines = text.lines().toList();
        List<CardPoint> points = new ArrayList<>();
        try (MappingIterator<List<String>> rows = CsvMapper.builder()
                .enable(CsvReadFeature.WRAP_AS_ARRAY)
                .build()
                .readerForListOf(String.class)
                .readValues(text)) {
            while (rows.hasNextValue()) {
                int line = rows.currentLocation().getLineNr();
                Row row = new Row(line, lines.get(Math.min(line, lines.size()) - 1), rows.nextValue());
                if (columns.isEmpty()) {
                    columns = row.fields;
                    checkColumns(row);
                    if (!problems.isEmpty()) {
                        break; // all rows would be reported
                    }
                } else if (row.fields.size() != columns.size()) {
                    row.refuse(
                            0,
                            Quantities.count(row.fields.size(), "field") + " for "
                                    + Quantities.count(columns.size(), "column"));
                } else {
                    points.add(point(row));
                }
            }
        } catch (JacksonException e) {
            throw new InvalidInputException(file, "is not a CSV file: " + e.getOriginalMessage());
        }
        if (columns.isEmpty()) {
            throw new InvalidInputException(file, "is empty");
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return List.copyOf(points);
    }

    private void checkColumns(Row header) {
        Set<String> known = new TreeSet<>(KEYS);
        known.addAll(FIRST);
        known.addAll(LAST);
        Set<String> seen = new HashSet<>();
        for (int i = 0; i < columns.size(); i++) {
            String column = columns.get(i);
            if (!known.contains(column)) {
                String hint = Spelling.hint(column, known);
                header.refuse(
                        i,
                        "unknown column \"" + column + "\""
                                + (hint.isEmpty() ? "; columns: " + String.join(", ", known) : hint));
            } else if (!seen.add(column)) {
                header.refuse(i, "column \"" + column + "\" occurs twice");
            }
        }
        Stream.of(FIRST, LAST)
                .flatMap(List::stream)
                .filter(column -> !seen.contains(column))
                .forEach(column -> header.refuse(0, "column \"" + column + "\" is missing"));
    }

    private CardPoint point(Row row) {
        String id = row.text("id");
        if (!ID.matcher(id).matches()) {
            row.refuse("id", "an id has lower-case letters, digits, - and . only");
        } else if (!ids.add(id)) {
            row.refuse("id", "duplicate id \"" + id + "\"");
        }
        for (String column : List.of("source", "place", "card")) {
            if (row.text(column).isBlank()) {
                row.refuse(column, column + " is empty");
            }
        }
        row.check("kind", KINDS);
        row.check("used", USED);
        if (row.check("metric", METRICS.keySet())) {
            row.check("unit", METRICS.getOrDefault(row.text("metric"), List.of()));
        }
        String value = row.text("value");
        boolean number = NUMBER.matcher(value).matches() && Double.parseDouble(value) > 0;
        if (!number) {
            row.refuse("value", "a number above 0 is expected");
        }
        if (row.text("profile").isEmpty() && row.text("obstacle").isEmpty()) {
            row.refuse("profile", "a row without a profile needs an obstacle: the reason");
        }
        Map<String, Object> settings = new LinkedHashMap<>();
        for (String key : KEYS) {
            String text = columns.contains(key) ? row.text(key) : "";
            if (!text.isEmpty()) {
                settings.put(key, WHOLE.matcher(text).matches() ? (Object) Long.valueOf(text) : text);
            }
        }
        return new CardPoint(
                name,
                id,
                row.text("source"),
                row.text("place"),
                row.text("card"),
                row.text("profile"),
                kind(row.text("kind")),
                row.text("used").equals("fitted"),
                settings,
                row.text("metric"),
                number ? Double.parseDouble(value) : 1,
                row.text("unit"),
                row.text("obstacle"));
    }

    /** Returns any kind for unknown words, which have been reported. */
    private static CardPoint.Kind kind(String words) {
        return Arrays.stream(CardPoint.Kind.values())
                .filter(kind -> kind.words().equals(words))
                .findFirst()
                .orElse(CardPoint.Kind.LATENCY_BY_SIZE);
    }

    private final class Row {
        private final int line;
        private final String excerpt;
        private final List<String> fields;

        Row(int line, String excerpt, List<String> fields) {
            this.line = line;
            this.excerpt = excerpt;
            this.fields = fields;
        }

        String text(String column) {
            return fields.get(columns.indexOf(column));
        }

        /** Returns true if the field is one of the words, else adds a problem. */
        boolean check(String column, Collection<String> words) {
            String word = text(column);
            if (words.contains(word)) {
                return true;
            }
            String hint = Spelling.hint(word, words);
            refuse(
                    column,
                    "unknown " + column + " \"" + word + "\""
                            + (hint.isEmpty() ? "; allowed: " + String.join(", ", new TreeSet<>(words)) : hint));
            return false;
        }

        void refuse(String column, String message) {
            refuse(columns.indexOf(column), message);
        }

        /** Adds a problem with a field, whose position is searched behind those of the fields before it. */
        void refuse(int field, String message) {
            int at = 0;
            for (int i = 0; i <= field; i++) {
                int found = excerpt.indexOf(fields.get(i), at);
                at = found < 0 ? at : found + (i < field ? fields.get(i).length() + 1 : 0);
            }
            problems.add(new Problem(file.toString(), line, Math.min(at, excerpt.length()) + 1, message, excerpt));
        }
    }
}
