package org.reprobe.conformance;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.reprobe.analysis.document.KeyedRecord;
import tools.jackson.databind.JsonNode;

/** Values of a setting to try: its default first, then its words, and widely different numbers within its bounds. */
final class CandidateValues {
    private static final double[] NUMBERS = {1, 2, 3, 8, 16, 64, 256, 1000, 0, 0.05, 0.3, 0.6, 0.9};

    private static final double LARGEST = Arrays.stream(NUMBERS).max().orElseThrow();

    private CandidateValues() {}

    static List<Object> of(KeyedRecord.Entry key) {
        Set<Object> values = new LinkedHashSet<>();
        values.add(plain(key.byDefault()));
        JsonNode schema = key.schema();
        List<JsonNode> kinds = new ArrayList<>();
        if (schema.has("anyOf")) {
            schema.get("anyOf").forEach(kinds::add);
        } else {
            kinds.add(schema);
        }
        for (JsonNode kind : kinds) {
            kind.path("enum").forEach(word -> values.add(plain(word)));
            switch (kind.path("type").asString("")) {
                case "boolean" -> values.addAll(List.of(true, false));
                case "integer", "number" -> addNumbers(kind, key.isWhole(), values);
                default -> {}
            }
        }
        return List.copyOf(values);
    }

    private static void addNumbers(JsonNode kind, boolean whole, Set<Object> values) {
        double least = kind.path("minimum").asDouble(0);
        if (whole && least > LARGEST) {
            values.add((long) least);
        }
        for (double number : NUMBERS) {
            boolean fits = number >= kind.path("minimum").asDouble(Double.NEGATIVE_INFINITY)
                    && number <= kind.path("maximum").asDouble(Double.POSITIVE_INFINITY)
                    && number > kind.path("exclusiveMinimum").asDouble(Double.NEGATIVE_INFINITY)
                    && number < kind.path("exclusiveMaximum").asDouble(Double.POSITIVE_INFINITY);
            if (fits && whole && number == Math.rint(number)) {
                values.add((long) number);
            } else if (fits && !whole) {
                values.add(number);
            }
        }
    }

    private static Object plain(JsonNode node) {
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isIntegralNumber()) {
            return node.longValue();
        }
        return node.isNumber() ? node.doubleValue() : node.asString();
    }
}
