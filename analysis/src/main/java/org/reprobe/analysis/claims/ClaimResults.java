package org.reprobe.analysis.claims;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.JsonLine;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.WholeFile;
import tools.jackson.databind.JsonNode;

/**
 * File {@code claims.jsonl}: one {@link ClaimResult} per line. Numbers have six significant digits; unknown ones are
 * {@code null}. {@code holds} is true or false; {@code verdict} is the reason for false: {@code missed},
 * {@code cant-tell}, {@code not-comparable} or {@code not-measured}.
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

    /** Stored claim: its id, and its verdict, null for one of another version. */
    public record Stored(String id, ClaimResult.@Nullable Status verdict) {
        /** Returns the paper's name, the first part of the id. */
        public String paper() {
            return id.replaceFirst("/.*", "");
        }
    }

    /**
     * Reads the claims of a result folder; none without the file. Throws a {@code JacksonException} if it is damaged.
     */
    public static List<Stored> read(Path folder) throws InvalidInputException {
        Path file = folder.resolve(NAME);
        if (!Files.exists(file)) {
            return List.of();
        }
        return Document.text(file).lines().map(ClaimResults::stored).toList();
    }

    private static Stored stored(String line) {
        JsonNode claim = JsonLine.read(line);
        String word = claim.path("verdict").asString(claim.path("status").asString("")); // the second in old files
        return new Stored(
                claim.path("id").asString(""),
                Arrays.stream(ClaimResult.Status.values())
                        .filter(status -> status.word().equals(word))
                        .findFirst()
                        .orElse(null));
    }

    /** Counts stored claims as reports do. */
    public static ClaimCount count(List<Stored> claims) {
        return ClaimCount.of(
                claims.stream().map(Stored::verdict).filter(Objects::nonNull).toList());
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
        object.put("repeats", result.repeats());
        object.put("relation", result.relation().words());
        object.put("unit", result.unit());
        object.put("interval", number(result.interval()));
        object.put("runs", result.runs());
        object.put("kind", kind(result.kinds()));
        object.put("text", result.text());
        object.put("cause", result.cause());
        return JsonLine.write(object);
    }

    private static @Nullable Double number(double value) {
        return Double.isFinite(value) ? JsonLine.rounded(value, SIGNIFICANT_DIGITS) : null;
    }

    private static @Nullable String kind(Set<Kind> kinds) {
        return kinds.isEmpty() ? null : kinds.stream().map(Kind::word).collect(Collectors.joining(AND));
    }
}
