package org.reprobe.scenario;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.document.Parameter;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.Cell;
import tools.jackson.databind.JsonNode;

/**
 * Filter of a scenario's cells from {@code --filter}: parts of their labels, {@code linear-fixed,load-factor=0.65}. A
 * part without a key is a value of any key; a cell must have all parts of one filter.
 */
final class CellFilter {
    private final String scenario;
    private final Map<String, List<JsonNode>> values = new LinkedHashMap<>();
    private final Map<String, String> shortNames;
    private final List<Problem> problems = new ArrayList<>();

    /** @param base scheme and load factor if they are not swept */
    CellFilter(String scenario, Map<String, List<JsonNode>> axes, Map<String, CellValues.Value> base) {
        this.scenario = scenario;
        values.putAll(axes);
        for (String key : List.of(ScenarioKeys.SCHEME, ScenarioKeys.LOAD_FACTOR)) {
            CellValues.Value value = base.get(key);
            if (value != null) {
                values.putIfAbsent(key, List.of(value.node()));
            }
        }
        this.shortNames = Cell.shortNames(values.keySet());
    }

    List<Problem> problems() {
        return problems;
    }

    /** Returns the conditions that cells must fulfil, all of them, if a filter is valid. */
    ScenarioFile.Condition condition(String filter) {
        Map<String, List<JsonNode>> keys = new LinkedHashMap<>();
        List<String> parts = parts(filter);
        for (int i = 0; i < parts.size(); i++) {
            String part = parts.get(i);
            // Labels show a value with commas without quotes if it is unambiguous.
            for (int end = i + 1; end < parts.size() && !isPart(part); end++) {
                String longer = String.join(",", parts.subList(i, end + 1));
                if (isPart(longer)) {
                    part = longer;
                    i = end;
                }
            }
            int equals = part.indexOf('=');
            if (equals < 0) {
                addValue(filter, unquoted(part), keys);
            } else {
                addPair(filter, part.substring(0, equals).strip(), unquoted(part.substring(equals + 1)), keys);
            }
        }
        return new ScenarioFile.Condition(keys);
    }

    /** Returns a label's parts, separated by commas outside of quotes. */
    private static List<String> parts(String label) {
        List<String> parts = new ArrayList<>();
        int start = 0;
        boolean quoted = false;
        for (int i = 0; i < label.length(); i++) {
            char c = label.charAt(i);
            if (c == '"' && (quoted || i == start || label.charAt(i - 1) == '=')) {
                quoted = !quoted;
            } else if (c == '"' && label.charAt(i - 1) == '"') {
                quoted = true; // the second of two quotes, which escape one
            } else if (c == ',' && !quoted) {
                parts.add(label.substring(start, i));
                start = i + 1;
            }
        }
        if (quoted) { // a quote that is a part of a value
            return List.of(label.split(",", -1));
        }
        parts.add(label.substring(start));
        return parts;
    }

    private static String unquoted(String value) {
        String text = value.strip();
        boolean quoted = text.length() > 1 && text.startsWith("\"") && text.endsWith("\"");
        return quoted ? text.substring(1, text.length() - 1).replace("\"\"", "\"") : text;
    }

    private boolean isPart(String part) {
        int equals = part.indexOf('=');
        String name = part.substring(0, Math.max(equals, 0)).strip();
        String value = unquoted(part.substring(equals + 1));
        return values.entrySet().stream()
                .filter(entry ->
                        equals < 0 || name.equals(entry.getKey()) || name.equals(shortNames.get(entry.getKey())))
                .anyMatch(entry -> entry.getValue().stream().anyMatch(node -> isMeant(entry.getKey(), value, node)));
    }

    private void addPair(String filter, String name, String value, Map<String, List<JsonNode>> keys) {
        String key = values.containsKey(name)
                ? name
                : values.keySet().stream()
                        .filter(each -> name.equals(shortNames.get(each)))
                        .findFirst()
                        .orElse("");
        List<JsonNode> there = values.get(key);
        if (there == null) {
            String hint = Spelling.keyHint(name, values.keySet());
            complain(
                    filter,
                    "cells of " + scenario + " have no \"" + name + "\""
                            + (hint.isEmpty() ? "; keys: " + String.join(", ", values.keySet()) : hint));
            return;
        }
        List<JsonNode> meant =
                there.stream().filter(node -> isMeant(key, value, node)).toList();
        if (meant.isEmpty()) {
            complain(
                    filter,
                    "no cell of " + scenario + " has " + shortNames.get(key) + "=" + value + instead(value, there));
        }
        keys.merge(key, meant, CellFilter::common);
    }

    private void addValue(String filter, String value, Map<String, List<JsonNode>> keys) {
        Map<String, List<JsonNode>> found = new LinkedHashMap<>();
        values.forEach((key, nodes) -> {
            List<JsonNode> meant =
                    nodes.stream().filter(node -> isMeant(key, value, node)).toList();
            if (!meant.isEmpty()) {
                found.put(key, meant);
            }
        });
        if (found.size() == 1) {
            found.forEach((key, meant) -> keys.merge(key, meant, CellFilter::common));
        } else if (found.isEmpty()) {
            Set<JsonNode> all = new LinkedHashSet<>();
            values.values().forEach(all::addAll);
            complain(filter, "no cell of " + scenario + " has " + value + instead(value, all));
        } else {
            complain(
                    filter,
                    "ambiguous: "
                            + String.join(
                                    " or ",
                                    found.keySet().stream()
                                            .map(key -> shortNames.get(key) + "=" + value)
                                            .toList())
                            + "?");
        }
    }

    private static String instead(String value, Collection<JsonNode> nodes) {
        List<String> words = nodes.stream().map(CellFilter::text).toList();
        String hint = value.matches("[0-9.]+") ? "" : Spelling.hint(value, words);
        return hint.isEmpty() ? "; values: " + String.join(", ", words) : hint;
    }

    private static String text(JsonNode node) {
        return String.valueOf(CellValues.plain(node));
    }

    /** Returns true if a word denotes a value of a key. Numbers match in any notation, parameters in their own. */
    private static boolean isMeant(String key, String word, JsonNode node) {
        if (text(node).equals(word) || Parameter.isKey(key)) {
            return text(node).equals(word);
        }
        try {
            return node.isNumber() && Double.compare(Double.parseDouble(word), node.doubleValue()) == 0;
        } catch (NumberFormatException e) {
            return false;
        }
    }

    private void complain(String filter, String message) {
        problems.add(Problem.of("--filter " + filter, message));
    }

    /** Returns conditions for cells that fulfil one of each list; every cell fulfils an empty list. */
    static List<ScenarioFile.Condition> both(List<ScenarioFile.Condition> left, List<ScenarioFile.Condition> right) {
        if (left.isEmpty() || right.isEmpty()) {
            return left.isEmpty() ? right : left;
        }
        List<ScenarioFile.Condition> both = new ArrayList<>();
        for (ScenarioFile.Condition one : left) {
            for (ScenarioFile.Condition other : right) {
                Map<String, List<JsonNode>> keys = new LinkedHashMap<>(one.keys());
                other.keys().forEach((key, values) -> keys.merge(key, values, CellFilter::common));
                if (keys.values().stream().noneMatch(List::isEmpty)) {
                    both.add(new ScenarioFile.Condition(keys));
                }
            }
        }
        return both;
    }

    private static List<JsonNode> common(List<JsonNode> left, List<JsonNode> right) {
        return left.stream()
                .filter(one -> right.stream()
                        .anyMatch(other -> Cell.equalValues(CellValues.plain(one), CellValues.plain(other))))
                .toList();
    }
}
