package org.reprobe.analysis.document;

import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import tools.jackson.databind.EnumNamingStrategies;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * A section of a file as a record: each component has a {@link Key}. Components are {@code int}, {@code long}, {@code double},
 * {@code boolean}, {@code String}, enums (whose constants' names the file has in kebab case), optional numbers and lists of texts.
 *
 * @param <R> the record
 */
public final class KeyedRecord<R extends Record> {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Set<Class<?>> WHOLE = Set.of(int.class, long.class, OptionalInt.class, OptionalLong.class);
    private static final Set<Class<?>> REAL = Set.of(double.class, OptionalDouble.class);

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .enumNamingStrategy(EnumNamingStrategies.KEBAB_CASE)
            .build();

    private final Class<R> type;
    private final Section section;
    private final List<Entry> entries;

    /**
     * One key.
     *
     * @param name dotted: {@code section.key}
     * @param schema what it may be, without the description
     * @param byDefault the value where the file has none
     */
    public record Entry(String name, Key key, ObjectNode schema, JsonNode byDefault) {

        /** What it means, on one line. */
        public String meaning() {
            return flat(key.meaning());
        }

        /** The name without its section. */
        public String shortName() {
            return name.substring(name.indexOf('.') + 1);
        }

        /** Whether its numbers are whole ones, which a file may still write as 1e6. */
        public boolean isWhole() {
            JsonNode of = schema.has("anyOf") ? schema.get("anyOf").get(0) : schema;
            return of.path("type").asString("").equals("integer");
        }

        /** Whether it has an effect on a fabric. */
        public boolean isFor(String fabric) {
            return key.fabrics().length == 0 || Arrays.asList(key.fabrics()).contains(fabric);
        }
    }

    private KeyedRecord(Class<R> type) {
        this.type = type;
        this.section = Objects.requireNonNull(type.getAnnotation(Section.class), "no section: " + type);
        List<Entry> found = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            Key key = Objects.requireNonNull(
                    component.getAnnotation(Key.class), "no key: " + type + "." + component.getName());
            String name = kebab(component.getName());
            ObjectNode schema = schema(component, key);
            found.add(new Entry(
                    section.name().isEmpty() ? name : section.name() + "." + name,
                    key,
                    schema,
                    byDefault(key.byDefault(), schema)));
        }
        this.entries = List.copyOf(found);
    }

    /**
     * The keys of a record.
     *
     * @throws NullPointerException for a record without {@link Section}, or a component without {@link Key}
     */
    public static <R extends Record> KeyedRecord<R> of(Class<R> type) {
        return new KeyedRecord<>(type);
    }

    public Class<R> type() {
        return type;
    }

    /** The section's name; empty for the top of the file. */
    public String section() {
        return section.name();
    }

    /** What the section is, on one line. */
    public String meaning() {
        return flat(section.meaning());
    }

    /** The keys, in the record's order. */
    public List<Entry> entries() {
        return entries;
    }

    /**
     * Binds values, which follow the schema, to a record.
     *
     * @param valueOf each key's value, by its dotted name
     */
    public R bind(Function<String, JsonNode> valueOf) {
        ObjectNode node = JSON.objectNode();
        RecordComponent[] components = type.getRecordComponents();
        for (int i = 0; i < components.length; i++) {
            Entry entry = entries.get(i);
            JsonNode value = valueOf.apply(entry.name());
            Class<?> of = components[i].getType();
            boolean word = !entry.key().or().isEmpty() && value.isString();
            if (word && of.isPrimitive()) {
                value = JSON.numberNode(0);
            } else if (word) {
                value = JSON.nullNode();
            } else if (WHOLE.contains(of)) {
                value = JSON.numberNode(value.isIntegralNumber() ? value.longValue() : (long) value.doubleValue());
            } else if (List.class == of && !value.isArray()) {
                value = JSON.arrayNode().add(value);
            }
            node.set(kebab(components[i].getName()), value);
        }
        return MAPPER.treeToValue(node, type);
    }

    private static ObjectNode schema(RecordComponent component, Key key) {
        Class<?> of = component.getType();
        ObjectNode schema = JSON.objectNode();
        if (of == boolean.class) {
            schema.put("type", "boolean");
        } else if (WHOLE.contains(of) || REAL.contains(of)) {
            schema.put("type", WHOLE.contains(of) ? "integer" : "number");
            bound(schema, "minimum", key.min());
            bound(schema, "maximum", key.max());
            bound(schema, "exclusiveMinimum", key.above());
            bound(schema, "exclusiveMaximum", key.below());
        } else if (of.isEnum()) {
            words(
                    schema,
                    Arrays.stream(of.getEnumConstants())
                            .map(constant -> ((Enum<?>) constant)
                                    .name()
                                    .toLowerCase(Locale.ROOT)
                                    .replace('_', '-'))
                            .toList());
        } else if (of == String.class || of == List.class) {
            text(schema, key);
        } else {
            throw new IllegalArgumentException("no key can be " + component);
        }
        if (of == List.class) {
            ObjectNode list = JSON.objectNode().put("type", "array").put("minItems", 1);
            list.set("items", schema);
            return either(schema, list);
        }
        return key.or().isEmpty() ? schema : either(schema, words(JSON.objectNode(), List.of(key.or())));
    }

    private static void text(ObjectNode schema, Key key) {
        if (key.words().length > 0) {
            words(schema, List.of(key.words()));
            return;
        }
        schema.put("type", "string").put("minLength", 1);
        if (!key.allowed().isEmpty()) {
            schema.put("x-allowed", key.allowed());
        }
        if (!key.pattern().isEmpty()) {
            schema.put("pattern", key.pattern());
        }
    }

    private static ObjectNode either(ObjectNode one, ObjectNode other) {
        ObjectNode either = JSON.objectNode();
        either.putArray("anyOf").add(one).add(other);
        return either;
    }

    private static ObjectNode words(ObjectNode schema, List<String> words) {
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

    private static JsonNode byDefault(String text, ObjectNode schema) {
        JsonNode first = schema.has("anyOf") ? schema.get("anyOf").get(0) : schema;
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

    /** A component's name as files have it: {@code message-ns} for {@code messageNs}. */
    public static String kebab(String name) {
        StringBuilder kebab = new StringBuilder();
        for (int i = 0; i < name.length(); i++) {
            char letter = name.charAt(i);
            if (Character.isUpperCase(letter)) {
                kebab.append('-');
            }
            kebab.append(Character.toLowerCase(letter));
        }
        return kebab.toString();
    }

    private static String flat(String text) {
        return String.join(" ", text.strip().split("\\s+"));
    }
}
