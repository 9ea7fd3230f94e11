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

/** Puts what the command line says into a scenario's document. For one use. */
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

    /** Dotted keys that the command line has the last word on: scale rules don't touch them. */
    Set<String> keys() {
        return keys;
    }

    /** Whether the command line says which values of what the file sweeps are run. */
    boolean narrowsSweep() {
        return narrowsSweep;
    }

    /** {@code key=value}; the value is YAML. */
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

    /** A key by its full name, of which the values of {@code sweep.KEY} are. */
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
            // A swept key stays an axis, of one value, so that figures and claims still find it in the cells.
            JsonNode list = value.isArray()
                    ? value
                    : JsonNodeFactory.instance.arrayNode().add(value);
            put(Document.child("/sweep", full), list, origin);
        } else {
            put("/" + full.replace('.', '/'), value, origin);
        }
    }

    /** Whether several values are one value of a key, such as the hosts of clients. */
    private static boolean isListItself(String full) {
        KeyedRecord.Entry key = ScenarioKeys.scalar(full);
        return key != null && key.isList();
    }

    private void put(String pointer, JsonNode value, String origin) {
        try {
            document = document.with(pointer, value, origin);
        } catch (IllegalArgumentException noMapping) {
            // The file has something else where a section belongs, and is told so when it is checked.
            keys.clear();
        }
    }
}
