package org.reprobe.analysis.foreign;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.JsonLine;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MappingIterator;
import tools.jackson.dataformat.csv.CsvMapper;
import tools.jackson.dataformat.csv.CsvReadFeature;
import tools.jackson.dataformat.csv.CsvSchema;

/**
 * Output of one program. In objects and columns, fields are found by name. In text, a field is a regular expression
 * that must match; each match counts as a line.
 */
public final class OutputFile {
    /** Limit for the output of one run. */
    private static final long MAX_BYTES = 64 << 20;

    /** Replacement for bytes that are not UTF-8. */
    private static final char UNDECODED = '\uFFFD';

    private static final int SHOWN = 80;
    private static final String BYTE_ORDER_MARK = "\uFEFF";

    /** Control characters except tab and line breaks: the CSV reader would trim them like blanks. */
    private static final Pattern CONTROL = Pattern.compile("[\\x00-\\x08\\x0B\\x0C\\x0E-\\x1F]");

    /** Index in the name of a member of a list. */
    private static final Pattern INDEX = Pattern.compile("\\[\\d+\\]");

    /** Begin of an object or a list, and not of a line such as "[INFO] ready". */
    private static final Pattern DOCUMENT = Pattern.compile("^\\s*[{\\[]\\s*[\"{\\[}\\]]", Pattern.MULTILINE);

    /** Limit of names compared for a suggestion. */
    private static final int COMPARED = 1_000;

    /** Longest name of a column; longer text before a comma is a sentence. */
    private static final int MAX_NAME = 60;

    private final String name;
    private final OutputFormat format;
    private final String text;

    private OutputFile(String name, OutputFormat format, String text) {
        this.name = name;
        this.format = format;
        this.text = text;
    }

    /** Reads a file, called {@code name} in messages. */
    public static OutputFile read(Path file, String name, OutputFormat format)
            throws UnusableOutputException, IOException {
        if (!Files.isRegularFile(file)) {
            throw new UnusableOutputException(name + " does not exist");
        }
        if (Files.size(file) > MAX_BYTES) {
            throw new UnusableOutputException(
                    name + " has " + (Files.size(file) >> 20) + " MiB; at most " + (MAX_BYTES >> 20) + " MiB are read");
        }
        byte[] bytes = Files.readAllBytes(file);
        int mark = bytes.length < 2 ? 0 : ((bytes[0] & 0xff) << Byte.SIZE) | (bytes[1] & 0xff);
        if (mark == 0xFEFF || mark == 0xFFFE) {
            throw new UnusableOutputException(name + " is UTF-16 text; UTF-8 is expected");
        }
        // Bytes that are not UTF-8 become U+FFFD, which is no part of a number, so they matter only inside numbers.
        return of(new String(bytes, StandardCharsets.UTF_8), name, format);
    }

    public static OutputFile of(String text, String name, OutputFormat format) {
        return new OutputFile(name, format, text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text);
    }

    /**
     * Returns all numbers of a field, in the file's order: a name, or in text a regular expression with a group. Throws
     * an {@link UnusableOutputException} if a line is damaged, no line has the field, or its value is not a number.
     */
    public List<Double> numbers(String field) throws UnusableOutputException {
        List<OutputRow> rows = format == OutputFormat.TEXT ? matches(field) : rows();
        List<Double> numbers = new ArrayList<>();
        for (OutputRow row : rows) {
            for (String value : values(row, field)) {
                numbers.add(number(row.place(), field, value));
            }
        }
        if (numbers.isEmpty()) {
            throw new UnusableOutputException(missing(field, rows));
        }
        return numbers;
    }

    private List<String> values(OutputRow row, String field) {
        if (format == OutputFormat.JSON && field.contains("[]")) {
            return row.fields().entrySet().stream()
                    .filter(entry ->
                            INDEX.matcher(entry.getKey()).replaceAll("[]").equals(field))
                    .map(Map.Entry::getValue)
                    .toList();
        }
        String value = row.fields().get(field);
        return value == null ? List.of() : List.of(value);
    }

    private String missing(String field, List<OutputRow> rows) {
        String expected = format == OutputFormat.TEXT
                ? name + " has nothing that matches " + field
                : name + " has no " + (format == OutputFormat.CSV ? "column" : "field") + " \"" + field + "\"";
        if (text.isBlank()) {
            return expected + ": it is empty";
        }
        if (format == OutputFormat.TEXT) {
            return expected + "; its last line is \"" + shown(lastLine()) + "\"";
        }
        if (rows.isEmpty()) {
            return expected + ": "
                    + (format == OutputFormat.CSV ? "no line follows the columns' names" : "no line begins with {")
                    + "; its last line is \"" + shown(lastLine()) + "\""
                    + (field.contains("(") ? "; with format: text, from is a regular expression" : "");
        }
        Set<String> there = new LinkedHashSet<>();
        rows.forEach(row -> there.addAll(row.fields().keySet()));
        List<String> near = there.stream()
                .filter(each -> each.length() <= MAX_NAME)
                .limit(COMPARED)
                .toList();
        return expected + Spelling.hint(field, near) + "; there are " + listed(new TreeSet<>(there));
    }

    private static String listed(Collection<String> names) {
        return Quantities.list(names.stream().map(OutputFile::shown).toList());
    }

    private String lastLine() {
        String stripped = text.strip();
        return stripped.substring(stripped.lastIndexOf('\n') + 1);
    }

    public List<OutputRow> rows() throws UnusableOutputException {
        return switch (format) {
            case JSON_LINES -> objects();
            case JSON -> document();
            case CSV -> columns();
            case TEXT -> throw new IllegalStateException("text has no fields but those that are asked for");
        };
    }

    private static @Nullable String flattenValue(String field, JsonNode value, Map<String, String> fields) {
        if (value.isObject()) {
            return flatten(field, value, fields);
        }
        String twice = null;
        for (int i = 0; i < value.size(); i++) {
            String found = flattenValue(field + "[" + i + "]", value.get(i), fields);
            twice = twice == null ? found : twice;
        }
        String before = fields.put(field, value.isString() ? value.stringValue() : value.toString());
        return before == null ? twice : field;
    }

    /** Lines that do not begin with a brace are other output of the program. */
    private List<OutputRow> objects() throws UnusableOutputException {
        List<OutputRow> rows = new ArrayList<>();
        List<String> lines = text.lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i).strip();
            if (!line.startsWith("{")) {
                continue;
            }
            try {
                Map<String, String> fields = new LinkedHashMap<>();
                String twice = flatten("", JsonLine.read(line), fields);
                if (twice != null) {
                    throw new UnusableOutputException(
                            name, i + 1, "the field \"" + shown(twice) + "\" is twice, once as a member of an object");
                }
                rows.add(new OutputRow(name + ":" + (i + 1), i + 1, fields));
            } catch (JacksonException e) {
                boolean twice = String.valueOf(e.getOriginalMessage()).contains("uplicate");
                throw new UnusableOutputException(
                        name,
                        i + 1,
                        (twice
                                        ? "a field is twice in one object: the line is \""
                                        : "one whole JSON object is expected, but the line is \"")
                                + shown(line) + "\"");
            }
        }
        return rows;
    }

    /** Returns the document that begins in the first line with a brace or bracket; output around it is ignored. */
    private List<OutputRow> document() throws UnusableOutputException {
        Matcher start = DOCUMENT.matcher(text);
        if (!start.find()) {
            return List.of();
        }
        int before = (int) text.substring(0, start.start()).lines().count();
        try {
            Map<String, String> fields = new LinkedHashMap<>();
            JsonNode root = JsonLine.first(text.substring(start.start()));
            String twice = root.isObject() ? flatten("", root, fields) : flattenValue("", root, fields);
            if (twice != null) {
                throw new UnusableOutputException(
                        name, before + 1, "the field \"" + shown(twice) + "\" is twice, once as a member of an object");
            }
            return List.of(new OutputRow(name, before + 1, fields));
        } catch (JacksonException e) {
            int line = e.getLocation() == null ? 1 : Math.max(1, e.getLocation().getLineNr());
            throw new UnusableOutputException(
                    name, before + line, "damaged JSON: " + shown(String.valueOf(e.getOriginalMessage())));
        }
    }

    /** Adds the fields of an object; returns the first duplicate name, null for none. */
    private static @Nullable String flatten(String prefix, JsonNode node, Map<String, String> fields) {
        String twice = null;
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            String field = prefix.isEmpty() ? entry.getKey() : prefix + "." + entry.getKey();
            String found = flattenValue(field, entry.getValue(), fields);
            twice = twice == null ? found : twice;
        }
        return twice;
    }

    private void checkNames(List<String> names, int line) throws UnusableOutputException {
        Set<String> seen = new HashSet<>();
        for (String each : names) {
            if (!seen.add(each)) {
                throw new UnusableOutputException(
                        name,
                        line,
                        "two columns are called \"" + shown(each)
                                + "\", so it is not clear which is meant: give each column" + " a name of its own");
            }
        }
    }

    private void checkCharacters() throws UnusableOutputException {
        Matcher control = CONTROL.matcher(text);
        if (control.find()) {
            int line = 1
                    + (int) text.substring(0, control.start())
                            .chars()
                            .filter(c -> c == '\n')
                            .count();
            throw new UnusableOutputException(
                    name, line, "text is expected, but there is the control character U+%04X".formatted((int)
                                    control.group().charAt(0)));
        }
    }

    private List<OutputRow> columns() throws UnusableOutputException {
        checkCharacters();
        List<OutputRow> rows = new ArrayList<>();
        List<String> names = List.of();
        String header =
                text.lines().filter(line -> !isComment(line)).findFirst().orElse("");
        CsvMapper csv = CsvMapper.builder()
                .enable(CsvReadFeature.WRAP_AS_ARRAY, CsvReadFeature.TRIM_SPACES)
                .build();
        // Only a line that begins with # is a comment: not a row whose first value is quoted, or missing.
        CsvSchema schema =
                CsvSchema.emptySchema().withColumnSeparator(separator(header)).withComments();
        try (MappingIterator<List<String>> lines =
                csv.readerForListOf(String.class).with(schema).readValues(text)) {
            while (lines.hasNextValue()) {
                int line = lines.currentLocation().getLineNr();
                List<String> values = lines.nextValue();
                if (values.stream().allMatch(String::isBlank)) {
                    continue;
                }
                if (names.isEmpty()) {
                    names = values;
                    checkNames(names, line);
                    continue;
                }
                if (values.size() != names.size()) {
                    throw new UnusableOutputException(
                            name,
                            line,
                            Quantities.count(names.size(), "value") + " "
                                    + Quantities.verb(names.size(), "are") + " expected ("
                                    + listed(names) + "), not " + values.size() + ": \""
                                    + shown(String.join(",", values)) + "\"");
                }
                Map<String, String> fields = new LinkedHashMap<>();
                for (int i = 0; i < names.size(); i++) {
                    fields.put(names.get(i), values.get(i));
                }
                rows.add(new OutputRow(name + ":" + line, line, fields));
            }
        } catch (JacksonException e) {
            throw new UnusableOutputException(
                    name,
                    e.getLocation() == null ? 1 : e.getLocation().getLineNr(),
                    "a line of comma-separated values is expected: " + shown(e.getOriginalMessage()));
        }
        return rows;
    }

    private static boolean isComment(String line) {
        return line.isBlank() || line.startsWith("#");
    }

    /** Returns true if a text looks like columns: short names in one line, and fields in the next. */
    static boolean hasColumns(String text) {
        List<String> lines =
                text.lines().filter(line -> !isComment(line)).limit(2).toList();
        if (lines.size() < 2) {
            return false;
        }
        char separator = separator(lines.getFirst());
        String[] names = lines.getFirst().split(Pattern.quote(String.valueOf(separator)), -1);
        long blank = Arrays.stream(names).filter(String::isBlank).count(); // a column of row numbers often has no name
        return names.length - blank > 1
                && blank <= 1
                && lines.getLast().indexOf(separator) >= 0
                && Arrays.stream(names).allMatch(name -> name.length() <= MAX_NAME);
    }

    static char separator(String header) {
        return header.contains(",") ? ',' : header.contains(";") ? ';' : header.contains("\t") ? '\t' : ',';
    }

    private List<OutputRow> matches(String expression) throws UnusableOutputException {
        List<OutputRow> rows = new ArrayList<>();
        OutputPattern pattern = new OutputPattern(expression);
        Matcher matcher = pattern.matcher(text);
        int line = 1;
        int from = 0;
        while (pattern.find(matcher)) {
            if (matcher.group(1) == null) {
                continue; // an alternative without the number
            }
            for (; from < matcher.start(1); from++) {
                line += text.charAt(from) == '\n' ? 1 : 0;
            }
            String place = name + ":" + line;
            String word = word(matcher.start(1), matcher.end(1));
            if (word.indexOf(UNDECODED) >= 0) {
                throw new UnusableOutputException(
                        place + ": a number is expected, but \"" + shown(word) + "\" is not UTF-8 text");
            }
            rows.add(new OutputRow(place, line, Map.of(expression, matcher.group(1))));
        }
        return rows;
    }

    /** Returns a part of the text, extended to the next spaces. */
    private String word(int start, int end) {
        int first = start;
        int last = end;
        while (first > 0 && start - first < SHOWN && !Character.isWhitespace(text.charAt(first - 1))) {
            first--;
        }
        while (last < text.length() && last - end < SHOWN && !Character.isWhitespace(text.charAt(last))) {
            last++;
        }
        return text.substring(first, last);
    }

    private static double number(String place, String field, String value) throws UnusableOutputException {
        double number = WrittenNumber.of(value);
        if (Double.isNaN(number)) {
            throw new UnusableOutputException(
                    place + ": " + shown(field) + " must be a number, but is \"" + shown(value) + "\"");
        }
        return number;
    }

    static String shown(String line) {
        String plain = line.strip();
        return plain.length() > SHOWN ? plain.substring(0, SHOWN) + "..." : plain;
    }
}
