package org.reprobe.scenario;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.system.Settings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Values of one cell by dotted key, with their origins. */
final class CellValues {
    private final Map<String, Value> values;

    /** @param pointer position in the file; "" for a default */
    record Value(JsonNode node, String pointer) {}

    private CellValues(Map<String, Value> values) {
        this.values = values;
    }

    static CellValues of(Map<String, Value> base) {
        return new CellValues(new LinkedHashMap<>(base));
    }

    void set(String dotted, JsonNode node, String pointer) {
        values.put(dotted, new Value(node, pointer));
        String family = ScenarioKeys.declared(dotted);
        Value all = values.get(family);
        if (!family.equals(dotted) && all != null) {
            ObjectNode with = ((ObjectNode) all.node).deepCopy();
            values.put(family, new Value(with.set(dotted.substring(family.length() + 1), node), all.pointer));
        }
    }

    void forEach(BiConsumer<String, JsonNode> action) {
        values.forEach((key, value) -> action.accept(key, value.node));
    }

    boolean agree(ScenarioFile.Condition condition) {
        return condition.keys().entrySet().stream().allMatch(entry -> {
            Value own = values.get(entry.getKey());
            return own != null
                    && entry.getValue().stream().anyMatch(wanted -> Cell.equalValues(plain(own.node), plain(wanted)));
        });
    }

    /** Returns a cell's value in the form of a file. */
    static JsonNode node(Object plain) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return switch (plain) {
            case Boolean flag -> json.booleanNode(flag);
            case Integer number -> json.numberNode(number);
            case Long number -> json.numberNode(number);
            case Number number -> json.numberNode(number.doubleValue());
            case List<?> list -> {
                ArrayNode array = json.arrayNode();
                list.forEach(each -> array.add(node(each)));
                yield array;
            }
            case Map<?, ?> map -> {
                ObjectNode object = json.objectNode();
                map.forEach((key, value) -> object.set(String.valueOf(key), node(value)));
                yield object;
            }
            default -> json.stringNode(plain.toString());
        };
    }

    JsonNode node(String dotted) {
        return Objects.requireNonNull(values.get(dotted), dotted).node;
    }

    String pointer(String dotted) {
        return Objects.requireNonNull(values.get(dotted), dotted).pointer;
    }

    String word(String dotted) {
        return node(dotted).asString();
    }

    double number(String dotted) {
        return node(dotted).asDouble();
    }

    /** Returns true if a file or the command line sets a key to a value other than its default. */
    boolean isSet(String dotted) {
        Value value = Objects.requireNonNull(values.get(dotted), dotted);
        KeyedRecord.Entry key = ScenarioKeys.scalar(dotted);
        return !value.pointer.isEmpty() && key != null && !Cell.equalValues(plain(value.node), plain(key.byDefault()));
    }

    List<String> set() {
        return values.keySet().stream().filter(this::isSet).toList();
    }

    /** Returns the settings; sections equal to another cell's are the same objects. */
    Settings settings(Map<List<Object>, Record> known) {
        Map<Class<? extends Record>, Record> sections = new HashMap<>();
        for (KeyedRecord<?> section : ScenarioKeys.allSections()) {
            List<Object> key = new ArrayList<>();
            key.add(section.type());
            section.entries().forEach(entry -> key.add(node(entry.name())));
            sections.put(section.type(), known.computeIfAbsent(key, _ -> section.bind(this::node)));
        }
        return new Settings(sections);
    }

    /** Returns the values of some keys in the form of cells. */
    Map<String, Object> plain(Set<String> keys) {
        Map<String, Object> plain = new LinkedHashMap<>();
        values.forEach((key, value) -> {
            if (keys.contains(key)) {
                plain.put(key, plain(value.node));
            }
        });
        return plain;
    }

    static Object plain(JsonNode node) {
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isArray()) {
            return node.valueStream()
                    .map(each -> each.isString() ? each.stringValue() : each.toString())
                    .collect(Collectors.joining("+"));
        }
        if (node.isObject()) {
            return node.toString();
        }
        if (node.isIntegralNumber() && node.canConvertToLong()) {
            return node.longValue();
        }
        return node.isNumber() ? node.doubleValue() : node.stringValue();
    }
}
