package org.reprobe.scenario;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import tools.jackson.databind.JsonNode;

/**
 * Settings of a result folder's cells, from its {@code scenario.yaml}, whatever version of Reprobe wrote it: newer keys
 * have their defaults, removed keys keep their values.
 *
 * <p>Results are comparable if all settings are equal except these: {@code seed} and {@code measure.repeats}, which
 * determine the samples and their number; for simulated and predicted results {@code hosts} and
 * {@code measure.real-time-ms}, on which they don't depend. Durations of warm-up and measurement count, since they
 * determine what a run excludes. Titles, figures, claims and {@code command.version}, which names the compared
 * versions, are not settings. Profiling of measured runs is one. A NIC profile counts by its name; its constants belong
 * to the code.
 */
public final class StoredSettings {
    private static final String SEED = "seed";
    private static final String FAULTS = "faults";
    private static final String PROFILED = "profiled";
    private static final String REPEATS = "measure.repeats";
    private static final String VERSION = "command.version";

    private final Map<String, CellValues.Value> base = new LinkedHashMap<>();
    private final List<ScenarioFile.Rule> rules = new ArrayList<>();
    private final JsonNode faults;
    private final boolean profiled;

    private StoredSettings(JsonNode root, boolean profiled) {
        this.profiled = profiled;
        faults = root.path(FAULTS);
        for (KeyedRecord.Entry key : ScenarioKeys.scalars()) {
            base.put(key.name(), new CellValues.Value(key.byDefault(), ""));
        }
        for (Map.Entry<String, JsonNode> entry : root.properties()) {
            if (ScenarioKeys.STRUCTURED.contains(entry.getKey())) {
                continue;
            }
            if (entry.getValue().isObject()) {
                entry.getValue()
                        .properties()
                        .forEach(inner -> put(entry.getKey() + "." + inner.getKey(), inner.getValue()));
            } else {
                put(entry.getKey(), entry.getValue());
            }
        }
        for (JsonNode rule : root.path("rules")) {
            Map<String, List<JsonNode>> when = new LinkedHashMap<>();
            rule.path("when")
                    .properties()
                    .forEach(entry -> when.put(
                            full(entry.getKey()),
                            entry.getValue().isArray()
                                    ? List.copyOf(entry.getValue().values())
                                    : List.of(entry.getValue())));
            Map<String, JsonNode> settings = new LinkedHashMap<>();
            rule.properties().forEach(entry -> settings.put(full(entry.getKey()), entry.getValue()));
            settings.remove("when");
            rules.add(new ScenarioFile.Rule(new ScenarioFile.Condition(when), settings));
        }
    }

    /** Full name of a key, of which earlier versions accepted the last part; an unknown key's own name. */
    private static String full(String name) {
        String full = ScenarioKeys.full(name);
        return full == null ? name : full;
    }

    public static Cell full(Cell cell) {
        Map<String, Object> values = new LinkedHashMap<>();
        cell.values().forEach((key, value) -> values.put(full(key), value));
        return new Cell(values);
    }

    private void put(String key, JsonNode value) {
        String now = ScenarioKeys.renamed(key);
        if (now != null) {
            base.put(now, new CellValues.Value(value, ""));
            if (ScenarioKeys.families().contains(now)) {
                value.properties()
                        .forEach(entry ->
                                base.put(now + "." + entry.getKey(), new CellValues.Value(entry.getValue(), "")));
            }
        }
    }

    /** Reads a resolved scenario, which does not record whether its runs were profiled; fails if it is not YAML. */
    public static StoredSettings of(String name, String resolvedYaml, boolean profiled) throws InvalidInputException {
        return new StoredSettings(Document.parse(name, resolvedYaml).root(), profiled);
    }

    /** Returns the values of keys that a file does not contain, by dotted key. */
    public static Map<String, String> defaults() {
        Map<String, String> defaults = new TreeMap<>();
        ScenarioKeys.scalars().forEach(key -> defaults.put(key.name(), text(key.byDefault())));
        return defaults;
    }

    /** Returns the settings that a cell's comparable results share, by dotted key, without those in its name. */
    public Map<String, String> comparable(Cell cell, Kind kind) {
        Map<String, String> settings = exact(cell, kind);
        settings.remove(SEED);
        settings.remove(REPEATS);
        return settings;
    }

    /**
     * Returns the settings that results of a cell share if they are equal to the last digit. Measured ones never are:
     * for them seed and number of repeats make no difference.
     */
    public Map<String, String> exact(Cell cell, Kind kind) {
        CellValues values = CellValues.of(base);
        Map<String, Object> named = full(cell).values();
        named.forEach((key, value) -> values.set(key, CellValues.node(value), ""));
        for (ScenarioFile.Rule rule : rules) {
            if (values.agree(rule.when())) {
                rule.settings().forEach((key, value) -> values.set(key, value, ""));
            }
        }
        Map<String, String> settings = new TreeMap<>();
        values.forEach((key, node) -> settings.put(key, text(node)));
        settings.keySet().removeAll(named.keySet());
        settings.remove(VERSION);
        ScenarioKeys.families().forEach(settings::remove); // its members are separate keys
        if (!faults.isEmpty()) {
            settings.put(FAULTS, faults.toString());
        }
        if (kind == Kind.MEASURED) {
            settings.remove(SEED);
            settings.remove(REPEATS);
            if (profiled) { // absent otherwise, as in results of earlier versions
                settings.put(PROFILED, "yes");
            }
        } else {
            settings.keySet().removeIf(key -> {
                KeyedRecord.Entry entry = ScenarioKeys.scalar(key);
                return entry != null && !entry.isFor("sim");
            });
        }
        return settings;
    }

    private static String text(JsonNode node) {
        if (node.isNumber()) {
            return new BigDecimal(node.asString()).stripTrailingZeros().toPlainString();
        }
        return node.isContainer() ? node.toString() : node.asString("");
    }
}
