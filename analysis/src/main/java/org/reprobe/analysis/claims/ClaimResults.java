package org.reprobe.analysis.claims;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.WholeFile;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * File {@code claims.jsonl}: one {@link ClaimResult} per line. Numbers have six significant digits; unknown ones are
 * {@code null}. {@code holds} is true or false; {@code verdict} is the reason for false: {@code missed}, {@code
 * cant-tell}, {@code not-comparable} or {@code not-measured}.
 */
public final class ClaimResults {
    public static final String NAME = "claims.jsonl";

    private static final int SIGNIFICANT_DIGITS = 6;
    private static final String AND = " and ";

    private ClaimResults() {}

    /** Writes the results; an existing file is replaced only after the new one is complete. */
    public static void write(Path file, List<ClaimResult> results) throws IOException {
        StringBuilder text = new StringBuilder();
        results.forEach(result -> text.append(line(result)).append('\n'));
        WholeFile.write(file, text.toString());
    }

    public static String line(ClaimResult result) {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        object.put("id", result.id());
        object.put("source", result.source());
        object.put("published", number(result.published()));
        object.put("reproduced", number(result.reproduced()));
        object.put("difference", number(result.difference()));
        object.put("tolerance", number(result.tolerance()));
        object.put("holds", result.status() == ClaimResult.Status.HOLDS);
        object.put("role", result.role().word());
        object.put("status", result.status().words());
        object.put("verdict", result.status().word());
        object.put("evidence", result.evidence().word());
        object.put("derived", result.derived());
        object.put("relation", result.relation().words());
        object.put("unit", result.unit());
        object.put("interval", number(result.interval()));
        object.put("kind", kind(result.kinds()));
        object.put("text", result.text());
        object.put("cause", result.cause());
        return JsonLine.write(object);
    }

    /**
     * Reads results.
     *
     * @throws InvalidInputException with every damaged line
     */
    public static List<ClaimResult> read(Path file) throws IOException, InvalidInputException {
        List<ClaimResult> results = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        List<String> lines = Document.text(file).lines().toList();
        for (int i = 0; i < lines.size(); i++) {
            try {
                results.add(result(JsonLine.read(lines.get(i))));
            } catch (JacksonException e) {
                problems.add(new Problem(
                        file.toString(), i + 1, 1, "the line is damaged: it is not one whole JSON object", null));
            } catch (IllegalArgumentException e) {
                problems.add(new Problem(file.toString(), i + 1, 1, String.valueOf(e.getMessage()), null));
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return List.copyOf(results);
    }

    private static @Nullable Double number(double value) {
        return Double.isFinite(value) ? JsonLine.rounded(value, SIGNIFICANT_DIGITS) : null;
    }

    private static @Nullable String kind(Set<Kind> kinds) {
        return kinds.isEmpty() ? null : kinds.stream().map(Kind::word).collect(Collectors.joining(AND));
    }

    private static Set<Kind> kinds(JsonNode node) {
        if (!node.isString()) {
            return Set.of();
        }
        return Arrays.stream(node.stringValue().split(AND)).map(Kind::ofWord).collect(Collectors.toSet());
    }

    private static ClaimResult result(JsonNode node) {
        String cause = node.path("cause").isString() ? node.path("cause").stringValue() : null;
        return new ClaimResult(
                text(node, "id"),
                text(node, "source"),
                text(node, "text"),
                number(node, "published"),
                number(node, "reproduced"),
                text(node, "unit"),
                number(node, "tolerance"),
                word(node, "status", ClaimResult.Status.values(), ClaimResult.Status::words),
                word(node, "role", ClaimResult.Role.values(), ClaimResult.Role::word),
                cause,
                number(node, "interval"),
                word(node, "relation", Relation.values(), Relation::words),
                kinds(node.path("kind")),
                node.has("evidence") ? word(node, "evidence", Evidence.values(), Evidence::word) : Evidence.PERFORMANCE,
                node.path("derived").booleanValue(false));
    }

    private static String text(JsonNode node, String key) {
        if (!node.path(key).isString()) {
            throw new IllegalArgumentException("\"" + key + "\" must be text");
        }
        return node.path(key).stringValue();
    }

    private static double number(JsonNode node, String key) {
        JsonNode value = node.path(key);
        if (value.isNull()) {
            return Double.NaN;
        }
        if (!value.isNumber()) {
            throw new IllegalArgumentException("\"" + key + "\" must be a number or null");
        }
        return value.doubleValue();
    }

    private static <E extends Enum<E>> E word(JsonNode node, String key, E[] values, Function<E, String> words) {
        String text = text(node, key);
        for (E value : values) {
            if (words.apply(value).equals(text)) {
                return value;
            }
        }
        throw new IllegalArgumentException("\"" + key + "\" cannot be \"" + text + "\"");
    }
}
