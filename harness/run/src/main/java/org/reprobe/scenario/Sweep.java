package org.reprobe.scenario;

import static org.reprobe.analysis.document.Document.child;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.measurement.Cell;
import tools.jackson.databind.JsonNode;

/**
 * Source of a scenario's cells: axes whose last key changes fastest, values of all other keys, rules in order,
 * combinations to exclude, and combinations to run, or all.
 */
record Sweep(
        Map<String, List<JsonNode>> axes,
        Map<String, CellValues.Value> base,
        List<PlacedRule> rules,
        List<ScenarioFile.Condition> skip,
        List<ScenarioFile.Condition> only) {

    record PlacedRule(ScenarioFile.Rule rule, String pointer) {}

    record Combination(Cell cell, CellValues values) {}

    /** Returns the number of combinations, including excluded ones; saturates at a huge number. */
    long size() {
        long product = 1;
        for (List<JsonNode> values : axes.values()) {
            product = Math.min(product * values.size(), Long.MAX_VALUE / 1_000_000);
        }
        return product;
    }

    List<Combination> combinations(List<Cell> skipped) {
        List<Map.Entry<String, List<JsonNode>>> keys = List.copyOf(axes.entrySet());
        List<Combination> combinations = new ArrayList<>();
        int[] at = new int[keys.size()];
        do {
            CellValues values = CellValues.of(base);
            Map<String, Object> cell = new LinkedHashMap<>();
            for (int i = 0; i < at.length; i++) {
                String key = keys.get(i).getKey();
                JsonNode value = keys.get(i).getValue().get(at[i]);
                values.set(key, value, child("/sweep", key) + "/" + at[i]);
                Object plain = CellValues.plain(value);
                boolean whole = plain instanceof Double && ScenarioKeys.isWhole(key);
                cell.put(key, whole ? (Object) ((Double) plain).longValue() : plain);
            }
            for (PlacedRule placed : rules) {
                if (values.agree(placed.rule.when())) {
                    placed.rule.settings().forEach((key, value) -> values.set(key, value, child(placed.pointer, key)));
                }
            }
            cell.putIfAbsent(ScenarioKeys.SCHEME, values.word(ScenarioKeys.SCHEME));
            cell.putIfAbsent(ScenarioKeys.LOAD_FACTOR, values.number(ScenarioKeys.LOAD_FACTOR));
            if (!only.isEmpty() && only.stream().noneMatch(values::agree)) {
                continue;
            }
            if (skip.stream().anyMatch(entry -> !entry.keys().isEmpty() && values.agree(entry))) {
                skipped.add(new Cell(cell));
            } else {
                combinations.add(new Combination(new Cell(cell), values));
            }
        } while (next(at, keys));
        return combinations;
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
