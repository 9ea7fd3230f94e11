package org.reprobe.analysis.document;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.databind.JsonNode;

/** Values and JSON Schemas in words for messages. */
final class Phrasing {
    private static final int MAX_NUMBER = 24;
    private static final Pattern NUMBERS = Pattern.compile("-?[\\d.]+(\\s*,\\s*-?[\\d.]+)+");

    private static final Pattern WITH_UNIT =
            Pattern.compile("(\\d{1,15}(?:\\.\\d{1,15})?)\\s*([kmgt]i?b?|ns|us|µs|ms|s|%)");
    private static final Map<String, Integer> SECONDS = Map.of("ns", -9, "us", -6, "µs", -6, "ms", -3, "s", 0);

    private Phrasing() {}

    /** Returns {@code "many"}, {@code 5}, {@code a list}. */
    static String shown(JsonNode value) {
        if (value.isObject()) {
            return "a mapping";
        }
        if (value.isArray()) {
            return "a list";
        }
        if (value.isNull()) {
            return "empty";
        }
        if (value.isString()) {
            String text = value.stringValue();
            return '"' + (text.length() > 60 ? text.substring(0, 60) + "..." : text) + '"';
        }
        String text = value.asString();
        return value.isNumber() && text.length() > MAX_NUMBER ? String.valueOf(value.asDouble()) : text;
    }

    /** Returns what to type instead of a number with a unit, or of numbers without brackets; "" for other words. */
    static String written(String key, String text) {
        if (NUMBERS.matcher(text.strip()).matches()) {
            return "; a list is written [" + text.strip() + "]";
        }
        Matcher form = WITH_UNIT.matcher(text.strip().toLowerCase(Locale.ROOT));
        if (!form.matches()) {
            return "";
        }
        BigDecimal number = new BigDecimal(form.group(1));
        String unit = form.group(2);
        if (unit.equals("%")) {
            return "; write " + plain(number.movePointLeft(2));
        }
        Integer exponent = SECONDS.get(unit);
        if (exponent != null) {
            for (Map.Entry<String, Integer> own : SECONDS.entrySet()) {
                if (key.endsWith("-" + own.getKey()) && !key.contains("per-")) {
                    return "; the unit is in the key's name: write "
                            + plain(number.movePointRight(exponent - own.getValue()));
                }
            }
            return "";
        }
        BigDecimal factor = new BigDecimal(Quantities.prefix(unit.replaceFirst("b$", "")));
        return "; numbers have no units: write " + plain(number.multiply(factor));
    }

    private static String plain(BigDecimal number) {
        return number.stripTrailingZeros().toPlainString();
    }

    /** Returns a schema's values in words: {@code a whole number of at least 1}. References point into {@code root}. */
    static String allowed(JsonNode root, JsonNode schema) {
        if (schema.has("x-allowed")) {
            return schema.get("x-allowed").stringValue();
        }
        if (schema.has("$ref")) {
            return allowed(root, root.at(schema.get("$ref").stringValue().substring(1)));
        }
        if (schema.has("anyOf")) {
            List<String> branches = new ArrayList<>();
            schema.get("anyOf").forEach(branch -> branches.add(allowed(root, branch)));
            int last = branches.size() - 1;
            boolean listOfTheSame = last == 1 && branches.get(1).equals("a list, each " + branches.get(0));
            return listOfTheSame ? branches.get(0) + ", or a list of such" : String.join(" or ", branches);
        }
        if (schema.has("enum")) {
            List<String> words = new ArrayList<>();
            schema.get("enum").forEach(word -> words.add(word.asString()));
            if (words.size() == 1) {
                return schema.get("enum").get(0).isString() ? "\"" + words.get(0) + "\"" : words.get(0);
            }
            return "one of " + String.join(", ", words);
        }
        String type = schema.path("type").asString("");
        return switch (type) {
            case "integer" -> "a whole number" + range(schema);
            case "number" -> "a number" + range(schema);
            case "boolean" -> "true or false";
            case "string" -> "text";
            case "object" -> "a mapping";
            case "array" -> schema.has("items") ? "a list, each " + allowed(root, schema.get("items")) : "a list";
            default -> "a value";
        };
    }

    /** Returns true if a maximum is so large that only slips exceed it; only messages about those mention it. */
    static boolean isBeyondUse(JsonNode schema) {
        return schema.has("maximum") && schema.get("maximum").asDouble() >= 1L << 53;
    }

    private static String range(JsonNode schema) {
        List<String> bounds = new ArrayList<>();
        boolean bounded = schema.has("maximum") && !isBeyondUse(schema);
        if (schema.has("minimum") && bounded) {
            return " from " + schema.get("minimum").asString() + " to "
                    + schema.get("maximum").asString();
        }
        if (schema.has("minimum")) {
            bounds.add("of at least " + schema.get("minimum").asString());
        }
        if (schema.has("exclusiveMinimum")) {
            bounds.add("above " + schema.get("exclusiveMinimum").asString());
        }
        if (schema.has("exclusiveMaximum")) {
            bounds.add("below " + schema.get("exclusiveMaximum").asString());
        }
        if (bounded) {
            bounds.add("of at most " + schema.get("maximum").asString());
        }
        return bounds.isEmpty() ? "" : " " + String.join(" and ", bounds);
    }

    /** Returns the words that a schema allows, in any nested alternative. */
    static List<String> choices(JsonNode root, JsonNode schema) {
        List<String> words = new ArrayList<>();
        if (schema.has("$ref")) {
            return choices(root, root.at(schema.get("$ref").stringValue().substring(1)));
        }
        if (schema.has("enum")) {
            schema.get("enum").forEach(word -> words.add(word.asString()));
        }
        if (schema.has("anyOf")) {
            schema.get("anyOf").forEach(branch -> words.addAll(choices(root, branch)));
        }
        return words;
    }
}
