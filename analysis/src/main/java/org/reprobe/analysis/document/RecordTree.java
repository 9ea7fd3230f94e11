package org.reprobe.analysis.document;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.databind.node.POJONode;

/**
 * Records as trees and back: components by name in kebab case, constants of enums as words, a record of a sealed type
 * in a mapping with its class. Loads faster than a general mapper, which generates code for each record.
 */
final class RecordTree {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private record Part(String name, Type type, Method accessor) {}

    private record Shape(Constructor<?> constructor, List<Part> parts) {}

    private static final ClassValue<Shape> SHAPES = new ClassValue<>() {
        @Override
        protected Shape computeValue(Class<?> record) {
            RecordComponent[] components = record.getRecordComponents();
            List<Part> parts = new ArrayList<>();
            for (RecordComponent each : components) {
                Method accessor = each.getAccessor();
                accessor.setAccessible(true);
                parts.add(new Part(KeyedRecord.kebab(each.getName()), each.getGenericType(), accessor));
            }
            try {
                Constructor<?> constructor = record.getDeclaredConstructor(
                        Arrays.stream(components).map(RecordComponent::getType).toArray(Class<?>[]::new));
                constructor.setAccessible(true);
                return new Shape(constructor, parts);
            } catch (NoSuchMethodException e) {
                throw new IllegalStateException(e); // every record has it
            }
        }
    };

    private RecordTree() {}

    /** Returns the record of a tree; a component that the tree lacks is null, empty or 0. */
    static <T> T bind(JsonNode tree, Class<T> type) {
        return type.cast(present(tree, type));
    }

    /** Returns true for a record that a tree names, since it is one of several. */
    static boolean isNamed(Class<?> raw) {
        return raw.isRecord() && raw.getInterfaces().length > 0 && raw.getInterfaces()[0].isSealed();
    }

    private static @Nullable Object value(@Nullable JsonNode tree, Type type) {
        return tree == null || tree.isNull() ? absent(Member.raw(type)) : present(tree, type);
    }

    private static @Nullable Object absent(Class<?> raw) {
        if (raw == OptionalInt.class) {
            return OptionalInt.empty();
        } else if (raw == OptionalLong.class) {
            return OptionalLong.empty();
        } else if (raw == OptionalDouble.class) {
            return OptionalDouble.empty();
        }
        return raw.isPrimitive() ? present(JSON.numberNode(0), raw) : null;
    }

    private static Object present(JsonNode tree, Type type) {
        Class<?> raw = Member.raw(type);
        if (tree instanceof POJONode constant) {
            return constant.getPojo();
        } else if (raw == OptionalInt.class) {
            return OptionalInt.of(tree.intValue());
        } else if (raw == OptionalLong.class) {
            return OptionalLong.of(tree.longValue());
        } else if (raw == OptionalDouble.class) {
            return OptionalDouble.of(tree.doubleValue());
        } else if (raw == JsonNode.class) {
            return tree;
        } else if (raw == String.class) {
            return tree.asString();
        } else if (raw == int.class || raw == Integer.class) {
            return tree.intValue();
        } else if (raw == long.class || raw == Long.class) {
            return tree.longValue();
        } else if (raw == double.class || raw == Double.class) {
            return tree.isNumber() ? tree.doubleValue() : Double.parseDouble(tree.stringValue()); // Infinity
        } else if (raw == boolean.class || raw == Boolean.class) {
            return tree.asBoolean();
        } else if (raw == Object.class) {
            return plain(tree);
        } else if (raw.isEnum()) {
            return constant(raw, tree.stringValue());
        } else if (raw == LocalDate.class) {
            return LocalDate.parse(tree.stringValue());
        } else if (raw == OffsetDateTime.class) {
            return OffsetDateTime.parse(tree.stringValue());
        } else if (raw == List.class) {
            List<@Nullable Object> list = new ArrayList<>();
            tree.forEach(each -> list.add(value(each, Member.element(type))));
            return list;
        } else if (raw == Map.class) {
            Map<String, @Nullable Object> map = new LinkedHashMap<>();
            tree.forEachEntry((name, each) -> map.put(name, value(each, Member.element(type))));
            return map;
        } else if (raw.isSealed()) {
            Class<?> record = Member.permitted(raw).stream()
                    .filter(permitted -> tree.has(permitted.getName()))
                    .findFirst()
                    .orElseThrow();
            return present(tree, record);
        }
        return record(isNamed(raw) ? tree.path(raw.getName()) : tree, raw);
    }

    private static Object record(JsonNode tree, Class<?> raw) {
        Shape shape = SHAPES.get(raw);
        @Nullable Object[] values = new @Nullable Object[shape.parts.size()];
        for (int i = 0; i < values.length; i++) {
            Part part = shape.parts.get(i);
            values[i] = value(tree.get(part.name), part.type);
        }
        try {
            return shape.constructor.newInstance(values);
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(raw + ": " + e.getCause(), e.getCause());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object constant(Class<?> type, String word) {
        for (Object constant : type.getEnumConstants()) {
            if (EnumWord.of((Enum<?>) constant).equals(word)) {
                return constant;
            }
        }
        throw new IllegalArgumentException(word + " is no " + type);
    }

    private static Object plain(JsonNode tree) {
        return switch (tree.getNodeType()) {
            case BOOLEAN -> tree.booleanValue();
            case NUMBER -> tree.isIntegralNumber() ? (Object) tree.longValue() : (Object) tree.doubleValue();
            case STRING -> tree.stringValue();
            default -> throw new IllegalArgumentException("neither a text nor a number nor a truth value: " + tree);
        };
    }

    /** Returns the tree of a record, or of a value in one. */
    static JsonNode of(@Nullable Object value) {
        return switch (value) {
            case null -> JSON.nullNode();
            case JsonNode tree -> tree;
            case String text -> JSON.stringNode(text);
            case Integer number -> JSON.numberNode(number);
            case Long number -> JSON.numberNode(number);
            case Double number -> JSON.numberNode(number);
            case Boolean flag -> JSON.booleanNode(flag);
            case OptionalInt number -> number.isEmpty() ? JSON.nullNode() : JSON.numberNode(number.getAsInt());
            case OptionalLong number -> number.isEmpty() ? JSON.nullNode() : JSON.numberNode(number.getAsLong());
            case OptionalDouble number -> number.isEmpty() ? JSON.nullNode() : JSON.numberNode(number.getAsDouble());
            case Enum<?> constant -> JSON.stringNode(EnumWord.of(constant));
            case LocalDate day -> JSON.stringNode(day.toString());
            case OffsetDateTime time -> JSON.stringNode(time.toString());
            case List<?> list -> {
                ArrayNode tree = JSON.arrayNode();
                list.forEach(each -> tree.add(of(each)));
                yield tree;
            }
            case Map<?, ?> map -> {
                ObjectNode tree = JSON.objectNode();
                map.forEach((key, each) -> tree.set(String.valueOf(key), of(each)));
                yield tree;
            }
            case Record record -> record(record);
            default -> throw new IllegalArgumentException("no part of a file: " + value.getClass());
        };
    }

    private static JsonNode record(Record record) {
        ObjectNode tree = JSON.objectNode();
        for (Part part : SHAPES.get(record.getClass()).parts) {
            try {
                tree.set(part.name, of(part.accessor.invoke(record)));
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        }
        Class<?> raw = record.getClass();
        return isNamed(raw) ? JSON.objectNode().set(raw.getName(), tree) : tree;
    }
}
