package org.reprobe.analysis.document;

import java.lang.reflect.Type;
import java.math.BigDecimal;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.OneOf.By;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Generator of one JSON Schema (draft 2020-12) from annotated records; each type is defined once. */
final class RecordSchema {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final ObjectNode definitions = JSON.objectNode();
    private final Map<String, ? extends Collection<String>> words;
    private final List<KeyedRecord<?>> sections;

    /** @param words permitted texts of some keys, by name, that no annotation can list */
    RecordSchema(Map<String, ? extends Collection<String>> words, List<KeyedRecord<?>> sections) {
        this.words = words;
        this.sections = sections;
    }

    /** Returns all types and section keys that are referred to; to be called last. */
    ObjectNode definitions() {
        for (KeyedRecord<?> section : sections) {
            definitions.setAll(section.definitions());
            for (KeyedRecord.Entry entry : section.entries()) {
                ObjectNode key = entry.schema().deepCopy().put("description", entry.meaning());
                definitions.set(entry.name(), key.set("default", entry.byDefault()));
                if (!entry.key().example().isEmpty()) {
                    key.put("x-example", entry.key().example());
                }
                if (entry.key().family()) {
                    definitions.set(memberName(entry), entry.schema().get("additionalProperties"));
                }
            }
        }
        return definitions;
    }

    private static String memberName(KeyedRecord.Entry family) {
        return family.name() + ".NAME";
    }

    ObjectNode mapping(Class<?> record) {
        Section section = Member.section(record);
        ObjectNode schema = JSON.objectNode().put("type", "object").put("description", flat(section.meaning()));
        ObjectNode properties = schema.putObject("properties");
        List<String> required = new ArrayList<>();
        for (Member member : Member.of(record)) {
            if (member.key().unwrapped()) {
                unwrap(member, schema, required);
                continue;
            }
            ObjectNode value = of(member);
            if (section.beside() != Record.class) {
                ObjectNode beside = mapping(section.beside());
                ObjectNode parts = JSON.objectNode();
                parts.set("value", value);
                parts.setAll((ObjectNode) beside.get("properties"));
                beside.set("properties", parts);
                ((ArrayNode) beside.get("required")).insert(0, "value");
                value = beside;
            }
            value.put("description", flat(member.key().meaning()));
            JsonNode byDefault = byDefault(member, value);
            if (byDefault != null) {
                value.set("default", byDefault);
            }
            if (!member.key().example().isEmpty()) {
                value.put("x-example", member.key().example());
            }
            properties.set(member.name(), value);
            if (member.isRequired()) {
                required.add(member.name());
            }
        }
        if (section.exactlyOne()) {
            schema.put("minProperties", 1).put("maxProperties", 1);
        }
        schema.put("additionalProperties", section.open());
        ArrayNode names = schema.putArray("required");
        required.forEach(names::add);
        return schema;
    }

    ObjectNode of(Member member) {
        return of(member.type(), member.key(), member.name(), member.key().allowed());
    }

    private ObjectNode of(Type type, Key key, String name, String allowed) {
        Class<?> raw = Member.raw(type);
        ObjectNode schema = JSON.objectNode();
        if (key.fullNames() && (raw == JsonNode.class || raw == Object.class)) {
            return schema.put("$ref", "#/$defs/" + name);
        }
        if (raw == List.class) {
            boolean ofTexts = Member.raw(Member.element(type)) == String.class;
            ObjectNode item = of(Member.element(type), key, name, ofTexts ? allowed : "");
            schema.put("type", "array");
            if (!key.byDefault().equals("[]")) {
                schema.put("minItems", 1);
            }
            if (key.unique()) {
                schema.put("uniqueItems", true);
            }
            schema.set("items", item);
            return allowed(key.orOne() ? either(item, schema) : schema, ofTexts ? "" : allowed);
        }
        if (raw == Map.class && key.fullNames()) {
            ObjectNode properties = schema.put("type", "object").putObject("properties");
            ObjectNode families = JSON.objectNode();
            for (KeyedRecord<?> section : sections) {
                for (KeyedRecord.Entry entry : section.entries()) {
                    if (entry.key().family()) {
                        families.set(
                                KeyedRecord.familyPattern(entry.name()),
                                of(Member.element(type), key, memberName(entry), ""));
                    } else {
                        properties.set(entry.name(), of(Member.element(type), key, entry.name(), ""));
                    }
                }
            }
            if (!families.isEmpty()) {
                schema.set("patternProperties", families);
            }
            return schema.put("additionalProperties", false);
        }
        if (raw == Map.class) {
            ObjectNode value = of(Member.element(type), key, name, allowed);
            value.remove("minProperties"); // only the whole must not be empty
            if (Member.raw(Member.element(type)) == String.class) {
                value.remove(List.of("minLength", "pattern"));
            }
            schema.put("type", "object").set("additionalProperties", value);
            return key.byDefault().equals("{}") || key.optional() ? schema : schema.put("minProperties", 1);
        }
        if (raw == boolean.class) {
            schema.put("type", "boolean");
        } else if (raw == Object.class) {
            schema.putArray("type").add("string").add("number").add("boolean");
            schema.put("x-allowed", "text, a number, true or false");
        } else if (Member.isWhole(raw) || Member.isReal(raw)) {
            schema.put("type", Member.isWhole(raw) ? "integer" : "number");
            bound(schema, "minimum", key.min());
            bound(schema, "maximum", key.max());
            bound(schema, "exclusiveMinimum", key.above());
            bound(schema, "exclusiveMaximum", key.below());
        } else if (raw.isEnum() || raw == String.class) {
            text(schema, raw, key, name);
        } else if (raw == LocalDate.class) {
            text(schema, "^[0-9]{4}-[0-9]{2}-[0-9]{2}$", "a day like 2026-11-30");
        } else if (raw == OffsetDateTime.class) {
            text(schema, "^[0-9]{4}-[0-9]{2}-[0-9]{2}T.+$", "a date with time and zone");
        } else if (Member.isBy(raw, By.SHAPE)) {
            schema = oneOf(raw);
        } else if (raw.isRecord() && !Member.section(raw).alone().isEmpty()) {
            schema = alone(raw);
        } else if (raw.isRecord() || raw.isSealed()) {
            schema = reference(raw);
        } else {
            throw new IllegalArgumentException("no key can be " + type);
        }
        schema = key.or().isEmpty() ? schema : either(schema, words(JSON.objectNode(), List.of(key.or())));
        return allowed(schema, allowed);
    }

    private static ObjectNode allowed(ObjectNode schema, String words) {
        return words.isEmpty() || schema.has("enum") ? schema : schema.put("x-allowed", words);
    }

    /** Returns the reference to a record or a sealed type, defining it at the first call. */
    private String define(Class<?> type) {
        Section section = type.getAnnotation(Section.class);
        String name = section == null || section.name().isEmpty()
                ? KeyedRecord.kebab(type.getSimpleName()).substring(1)
                : section.name();
        if (!definitions.has(name)) {
            definitions.putObject(name); // its own parts may refer to it
            definitions.set(name, type.isSealed() ? oneOf(type) : mapping(type));
        }
        return name;
    }

    private ObjectNode alone(Class<?> record) {
        Member alone = Member.of(record).stream()
                .filter(member -> member.name().equals(Member.section(record).alone()))
                .findFirst()
                .orElseThrow();
        return either(of(alone), mapping(record));
    }

    private ObjectNode oneOf(Class<?> type) {
        OneOf oneOf = Member.oneOf(type);
        List<Class<?>> records = Member.permitted(type);
        ObjectNode schema = JSON.objectNode().put("description", flat(oneOf.meaning()));
        switch (oneOf.value()) {
            case KEY -> {
                ObjectNode mapping = JSON.objectNode().put("type", "object");
                unwrapOne(type, mapping.putObject("properties"));
                mapping.put("additionalProperties", false)
                        .put("minProperties", 1)
                        .put("maxProperties", 1);
                if (oneOf.otherwise() == void.class) {
                    return schema.setAll(mapping);
                }
                // A mapping with one of the keys is that record; all others are checked as the record without a key.
                ArrayNode any = schema.putObject("if").putArray("anyOf");
                Member.names(type)
                        .forEach(name -> any.addObject().putArray("required").add(name));
                schema.set("then", mapping);
                schema.set("else", reference(oneOf.otherwise()));
            }
            case MEMBER -> {
                ObjectNode at = schema;
                for (Class<?> record : records.subList(0, records.size() - 1)) {
                    at.putObject("if")
                            .putArray("required")
                            .add(Member.section(record).name());
                    at.set("then", reference(record));
                    at = at.putObject("else");
                }
                at.setAll(reference(records.getLast()));
            }
            case SHAPE -> {
                ArrayNode any = schema.putArray("anyOf");
                for (Class<?> record : records) {
                    Section section = Member.section(record);
                    List<Member> members = Member.of(record);
                    any.add(section.alone().isEmpty() ? reference(record) : of(members.getFirst()));
                }
            }
        }
        return schema;
    }

    private ObjectNode reference(Class<?> type) {
        return JSON.objectNode().put("$ref", "#/$defs/" + define(type));
    }

    private void unwrapOne(Class<?> sealed, ObjectNode properties) {
        for (Class<?> record : Member.permitted(sealed)) {
            properties.set(Member.section(record).name(), reference(record));
        }
    }

    private void unwrap(Member member, ObjectNode into, List<String> required) {
        ObjectNode properties = (ObjectNode) into.get("properties");
        Class<?> type = member.raw();
        if (type == JsonNode.class) {
            sections.forEach(section -> addSection(section, properties));
        } else if (type == Map.class) {
            ObjectNode names = of(member);
            properties.setAll((ObjectNode) names.get("properties"));
            if (names.has("patternProperties")) {
                into.set("patternProperties", names.get("patternProperties"));
            }
        } else if (type.isSealed()) {
            unwrapOne(type, properties);
        } else {
            ObjectNode mapping = mapping(type);
            properties.setAll((ObjectNode) mapping.get("properties"));
            mapping.get("required").forEach(name -> required.add(name.stringValue()));
        }
    }

    private static void addSection(KeyedRecord<?> section, ObjectNode properties) {
        ObjectNode keys = properties;
        if (!section.section().isEmpty()) {
            ObjectNode mapping = properties.putObject(section.section()).put("type", "object");
            mapping.put("description", section.meaning()).put("additionalProperties", false);
            keys = mapping.putObject("properties");
        }
        for (KeyedRecord.Entry entry : section.entries()) {
            keys.putObject(entry.shortName()).put("$ref", "#/$defs/" + entry.name());
        }
    }

    private void text(ObjectNode schema, Class<?> type, Key key, String name) {
        Collection<String> own = words.get(name);
        if (own != null) {
            words(schema, own);
        } else if (key.words().length > 0) {
            words(schema, List.of(key.words()));
        } else if (type.isEnum()) {
            words(
                    schema,
                    Arrays.stream(type.getEnumConstants())
                            .map(constant -> EnumWord.of((Enum<?>) constant))
                            .toList());
        } else {
            schema.put("type", "string");
            if (!key.byDefault().isEmpty()) {
                schema.put("minLength", 1);
            }
            if (!key.pattern().isEmpty()) {
                schema.put("pattern", key.pattern());
            } else if (key.byDefault().equals(Key.NONE)) {
                schema.put("pattern", "\\S");
            }
        }
    }

    private static void text(ObjectNode schema, String pattern, String allowed) {
        schema.put("type", "string").put("pattern", pattern).put("x-allowed", allowed);
    }

    /** Returns a default in the file's notation; null if a file cannot express it. */
    static @Nullable JsonNode byDefault(Member member, ObjectNode schema) {
        String text = member.key().byDefault();
        if (!member.hasDefault() || text.contains("Infinity") || member.raw().isRecord()) {
            return null;
        }
        if (text.equals("[]")) {
            return JSON.arrayNode();
        }
        if (text.equals("{}")) {
            return JSON.objectNode();
        }
        if (schema.path("type").asString("").equals("array")) {
            return JSON.arrayNode().add(text);
        }
        JsonNode first = schema.has("anyOf") ? schema.get("anyOf").get(0) : schema;
        first = first.path("properties").has("value") ? first.get("properties").get("value") : first;
        return switch (first.path("type").asString("")) {
            case "boolean" -> JSON.booleanNode(Boolean.parseBoolean(text));
            case "integer" -> isNumber(text) ? JSON.numberNode(Long.parseLong(text)) : JSON.stringNode(text);
            case "number" ->
                !isNumber(text)
                        ? JSON.stringNode(text)
                        : text.contains(".")
                                ? JSON.numberNode(Double.parseDouble(text))
                                : JSON.numberNode(Long.parseLong(text));
            default -> JSON.stringNode(text);
        };
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && (Character.isDigit(text.charAt(0)) || text.charAt(0) == '-');
    }

    private static ObjectNode either(ObjectNode one, ObjectNode other) {
        ObjectNode either = JSON.objectNode();
        ArrayNode branches = either.putArray("anyOf");
        if (one.has("anyOf")) {
            one.get("anyOf").forEach(branches::add);
        } else {
            branches.add(one);
        }
        branches.add(other);
        return either;
    }

    private static ObjectNode words(ObjectNode schema, Collection<String> words) {
        ArrayNode list = schema.put("type", "string").putArray("enum");
        words.forEach(list::add);
        return schema;
    }

    private static void bound(ObjectNode schema, String keyword, double bound) {
        if (Double.isFinite(bound)) {
            if (bound == Math.rint(bound)) {
                schema.put(keyword, (long) bound);
            } else {
                schema.put(keyword, BigDecimal.valueOf(bound));
            }
        }
    }

    static String flat(String text) {
        return String.join(" ", text.strip().split("\\s+"));
    }
}
