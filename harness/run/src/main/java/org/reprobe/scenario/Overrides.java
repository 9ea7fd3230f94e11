package org.reprobe.scenario;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** Application of the command line's overrides to a scenario's document. For one use. */
final class Overrides {
    private static final String SWEEP = "sweep.";

    private final List<Problem> problems = new ArrayList<>();
    private final Set<String> keys = new HashSet<>();
    private boolean narrowsSweep;
    private Document document;

    Overrides(Document document) {
        this.document = document;
    }

    Document document() {
        return document;
    }

    List<Problem> problems() {
        return problems;
    }

    /** Returns the dotted keys set on the command line: scale rules don't change them. */
    Set<String> keys() {
        return keys;
    }

    /** Returns true if the command line selects values of a swept key. */
    boolean narrowsSweep() {
        return narrowsSweep;
    }

    /** Applies {@code key=value}; the value is YAML. */
    void set(String assignment) {
        String origin = "--set " + assignment;
        int equals = assignment.indexOf('=');
        if (equals < 1) {
            problems.add(Problem.of(origin, "must be key=value, like --set table.records=1048576"));
            return;
        }
        String key = assignment.substring(0, equals).strip();
        JsonNode value;
        try {
            value = Document.value(origin, keyOf(key), assignment.substring(equals + 1));
        } catch (InvalidInputException damaged) {
            problems.addAll(damaged.problems());
            return;
        }
        set(key, value, origin);
    }

    /** Returns a key by its full name, to which the values of {@code sweep.KEY} belong. */
    private static String keyOf(String key) {
        String name = key.startsWith(SWEEP) ? key.substring(SWEEP.length()) : key;
        String full = ScenarioKeys.full(name);
        return full == null ? name : full;
    }

    void set(String key, JsonNode value, String origin) {
        boolean sweep = key.startsWith(SWEEP);
        String name = sweep ? key.substring(SWEEP.length()) : key;
        String full = ScenarioKeys.full(name);
        if (full == null) {
            boolean scale = name.equals("scales.quick") || name.equals("scales.full");
            if (!sweep && (scale || ScenarioKeys.STRUCTURED.contains(name))) {
                put("/" + name.replace('.', '/'), value, origin);
                return;
            }
            String instead = ScenarioKeys.instead(name);
            String hint = instead.isEmpty() ? Spelling.hint(name, ScenarioKeys.allNames()) : instead;
            problems.add(Problem.of(origin, "unknown key \"" + name + "\"" + hint));
            return;
        }
        keys.add(full);
        boolean swept = document.root().path("sweep").has(full);
        narrowsSweep |= swept;
        boolean several = value.isArray() && !isListItself(full);
        if (sweep || swept || several) {
            // A swept key stays an axis with one value, so that figures and claims find it in the cells.
            JsonNode list = value.isArray()
                    ? value
                    : JsonNodeFactory.instance.arrayNode().add(value);
            put(Document.child("/sweep", full), list, origin);
        } else {
            put("/" + full.replace('.', '/'), value, origin);
        }
    }

    /** Returns true if a list is one value of a key, such as the hosts of clients. */
    private static boolean isListItself(String full) {
        KeyedRecord.Entry key = ScenarioKeys.scalar(full);
        return key != null && key.isList();
    }

    private void put(String pointer, JsonNode value, String origin) {
        try {
            document = document.with(pointer, value, origin);
        } catch (IllegalArgumentException noMapping) {
            // The file has another type in place of a section, which its check reports.
            keys.clear();
        }
    }
}
