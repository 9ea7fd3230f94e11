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
 * What a scenario's cells are made from.
 *
 * @param axes lists of values by key; the last key changes fastest
 * @param base the value that each key has in all cells, unless it is swept or a rule sets it
 * @param rules those in force, in order
 * @param skip combinations that are left out
 * @param only those that are run; all when it is empty
 */
record Sweep(
        Map<String, List<JsonNode>> axes,
        Map<String, CellValues.Value> base,
        List<PlacedRule> rules,
        List<ScenarioFile.Condition> skip,
        List<ScenarioFile.Condition> only) {

    /** A rule, and where the file has it. */
    record PlacedRule(ScenarioFile.Rule rule, String pointer) {}

    /** One combination. */
    record Combination(Cell cell, CellValues values) {}

    /** Combinations, those to be left out included; huge ones are not told apart. */
    long size() {
        long product = 1;
        for (List<JsonNode> values : axes.values()) {
            product = Math.min(product * values.size(), Long.MAX_VALUE / 1_000_000);
        }
        return product;
    }

    /**
     * The cells.
     *
     * @param skipped gets those that are left out
     */
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

    /** Steps to the next combination; false after the last one. */
    private static boolean next(int[] at, List<Map.Entry<String, List<JsonNode>>> keys) {
        for (int i = at.length - 1; i >= 0; i--) {
            if (++at[i] < keys.get(i).getValue().size()) {
                return true;
            }
            at[i] = 0;
        }
        return false;
    }

    /** Keys by whose values cells differ although they are not swept: rules set them. */
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
