package org.reprobe.scenario;

import static org.reprobe.analysis.document.Document.child;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.reprobe.analysis.measurement.Cell;
import tools.jackson.databind.JsonNode;

/**
 * Source of a scenario's cells: axes whose last key changes fastest, cells listed one by one as an innermost axis,
 * values of all other keys, rules in order, combinations to exclude, and combinations to run, or all.
 */
record Sweep(
        Map<String, List<JsonNode>> axes,
        List<ScenarioFile.ListedCell> listed,
        Map<String, CellValues.Value> base,
        List<PlacedRule> rules,
        List<ScenarioFile.Condition> skip,
        List<ScenarioFile.Condition> only) {

    record PlacedRule(ScenarioFile.Rule rule, String pointer) {}

    record Combination(Cell cell, CellValues values) {}

    /** Returns the number of combinations, including excluded ones; saturates at a huge number. */
    long size() {
        long product = Math.max(1, listed.size());
        for (List<JsonNode> values : axes.values()) {
            product = Math.min(product * values.size(), Long.MAX_VALUE / 1_000_000);
        }
        return product;
    }

    List<Combination> combinations(List<Cell> skipped) {
        List<Map.Entry<String, List<JsonNode>>> keys = List.copyOf(axes.entrySet());
        List<Combination> combinations = new ArrayList<>();
        Set<String> cellKeys = values().keySet();
        Set<Map<String, Object>> distinct = new HashSet<>();
        int[] at = new int[keys.size()];
        do {
            for (int entry = 0; entry < Math.max(1, listed.size()); entry++) {
                CellValues values = CellValues.of(base);
                for (int i = 0; i < at.length; i++) {
                    String key = keys.get(i).getKey();
                    values.set(key, keys.get(i).getValue().get(at[i]), child("/sweep", key) + "/" + at[i]);
                }
                if (!listed.isEmpty()) {
                    String pointer = "/cells/" + entry;
                    listed.get(entry).keys().forEach((key, value) -> values.set(key, value, child(pointer, key)));
                }
                Map<String, Object> cell = new LinkedHashMap<>();
                for (String key : cellKeys) {
                    Object plain = CellValues.plain(values.node(key));
                    boolean whole = plain instanceof Double && ScenarioKeys.isWhole(key);
                    cell.put(key, whole ? (Object) ((Double) plain).longValue() : plain);
                }
                if (listed.isEmpty() || distinct.add(Map.copyOf(cell))) {
                    add(cell, values, combinations, skipped);
                }
            }
        } while (next(at, keys));
        return combinations;
    }

    private void add(Map<String, Object> cell, CellValues values, List<Combination> combinations, List<Cell> skipped) {
        for (PlacedRule placed : rules) {
            if (values.agree(placed.rule.when())) {
                placed.rule.settings().forEach((key, value) -> values.set(key, value, child(placed.pointer, key)));
            }
        }
        cell.putIfAbsent(ScenarioKeys.SCHEME, values.word(ScenarioKeys.SCHEME));
        cell.putIfAbsent(ScenarioKeys.LOAD_FACTOR, values.number(ScenarioKeys.LOAD_FACTOR));
        if (!only.isEmpty() && only.stream().noneMatch(values::agree)) {
            return;
        }
        if (skip.stream().anyMatch(entry -> !entry.keys().isEmpty() && values.agree(entry))) {
            skipped.add(new Cell(cell));
        } else {
            combinations.add(new Combination(new Cell(cell), values));
        }
    }

    /** Returns the values of each swept or listed key, in the order of cells' keys. */
    Map<String, List<JsonNode>> values() {
        Map<String, List<JsonNode>> all = new LinkedHashMap<>(axes);
        listed.forEach(cell -> cell.keys().keySet().forEach(key -> all.computeIfAbsent(key, this::valuesOf)));
        return all;
    }

    private List<JsonNode> valuesOf(String key) {
        CellValues.Value elsewhere = Objects.requireNonNull(base.get(key), key);
        return listed.stream()
                .map(cell -> cell.keys().getOrDefault(key, elsewhere.node()))
                .distinct()
                .toList();
    }

    private static boolean next(int[] at, List<Map.Entry<String, List<JsonNode>>> keys) {
        for (int i = at.length - 1; i >= 0; i--) {
            if (++at[i] < keys.get(i).getValue().size()) {
                return true;
            }
            at[i] = 0;
        }
        return false;
    }

    /** Returns the keys that are not swept but differ between cells, because rules set them. */
    Set<String> ruled(List<Combination> combinations) {
        Set<String> ruled = new LinkedHashSet<>();
        rules.forEach(placed -> ruled.addAll(placed.rule.settings().keySet()));
        ruled.removeAll(Set.of(ScenarioKeys.SCHEME, ScenarioKeys.LOAD_FACTOR));
        ruled.removeIf(key -> combinations.stream()
                        .map(each -> CellValues.plain(each.values.node(key)))
                        .distinct()
                        .count()
                <= 1);
        return ruled;
    }
}
