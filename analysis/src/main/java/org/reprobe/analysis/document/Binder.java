package org.reprobe.analysis.document;

import com.fasterxml.jackson.annotation.JsonTypeInfo;
import java.lang.reflect.Type;
import java.time.DateTimeException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.DocumentSchema.Violation;
import org.reprobe.analysis.document.OneOf.By;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.EnumNamingStrategies;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.cfg.DateTimeFeature;
import tools.jackson.databind.deser.BeanDeserializerFactory;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.NamedType;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Kind of file bound to a record: permitted content, binding and error messages, all from the record's {@link Key}s.
 * Components are those of {@link KeyedRecord}, records, sealed types ({@link OneOf}), lists, maps by text, days, times,
 * and {@code Object} for text, a number, true or false. {@code JsonNode} is for sources of cells' values:
 * {@link Key#unwrapped} sections of the file, and the values in mappings by {@link Key#fullNames}. White space around
 * texts is removed.
 */
public final class Binder<R extends Record> {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final Class<R> type;
    private final Map<String, ? extends Collection<String>> words;
    private final List<KeyedRecord<?>> sections;
    private final DocumentSchema schema;

    /** Defaults of optional keys, which most files leave out. */
    private final Map<Member, JsonNode> defaults = Collections.synchronizedMap(new IdentityHashMap<>());

    /** Created at the first file: most commands read few kinds, and a mapper takes long to load. */
    private @Nullable JsonMapper mapper;

    /** Mix-in by which Jackson distinguishes records: a mapping of the record's key to the record. */
    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, include = JsonTypeInfo.As.WRAPPER_OBJECT)
    private interface Wrapped {}

    private Binder(Class<R> type, Map<String, ? extends Collection<String>> words, List<KeyedRecord<?>> sections) {
        this.type = type;
        this.words = words;
        this.sections = sections;
        this.schema = new DocumentSchema(schema());
    }

    private synchronized JsonMapper mapper() {
        if (mapper == null) {
            JsonMapper.Builder builder = plainMapper();
            register(type, builder, new HashSet<>());
            mapper = builder.build();
        }
        return mapper;
    }

    public static <R extends Record> Binder<R> of(Class<R> type) {
        return of(type, Map.of());
    }

    /** Creates a kind of file; {@code words} are permitted texts of some keys, by name, that no annotation can list. */
    public static <R extends Record> Binder<R> of(Class<R> type, Map<String, ? extends Collection<String>> words) {
        return of(type, words, List.of());
    }

    /** Creates a kind of file with all {@code sections} whose values come from cells. */
    public static <R extends Record> Binder<R> of(
            Class<R> type, Map<String, ? extends Collection<String>> words, List<KeyedRecord<?>> sections) {
        return new Binder<>(type, words, sections);
    }

    static JsonMapper.Builder plainMapper() {
        return JsonMapper.builder()
                .deserializerFactory(BeanDeserializerFactory.instance.withValueInstantiators(new RecordConstructors()))
                .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
                .enumNamingStrategy(EnumNamingStrategies.KEBAB_CASE)
                .disable(DateTimeFeature.ADJUST_DATES_TO_CONTEXT_TIME_ZONE)
                .enable(DeserializationFeature.USE_LONG_FOR_INTS);
    }

    private static void register(Type of, JsonMapper.Builder builder, Set<Class<?>> known) {
        Class<?> raw = Member.raw(of);
        if (raw == List.class || raw == Map.class) {
            register(Member.element(of), builder, known);
        } else if (raw == JsonNode.class) {
            return;
        } else if (raw.isSealed() && known.add(raw)) {
            builder.addMixIn(raw, Wrapped.class);
            for (Class<?> record : Member.permitted(raw)) {
                builder.registerSubtypes(new NamedType(record, name(record)));
                register(record, builder, known);
            }
        } else if (raw.isRecord() && known.add(raw)) {
            Member.of(raw).forEach(member -> register(member.type(), builder, known));
        }
    }

    private static String name(Class<?> record) {
        return record.getName();
    }

    /** Returns the JSON Schema (draft 2020-12) of such files. */
    public ObjectNode schema() {
        RecordSchema records = new RecordSchema(words, sections);
        ObjectNode root = JSON.objectNode().put("$schema", "https://json-schema.org/draft/2020-12/schema");
        root.setAll(records.mapping(type));
        root.set("$defs", records.definitions());
        return root;
    }

    public String schemaText() {
        return JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(schema());
    }

    /** Returns every key with meaning, permitted values and default: a commented file without the required values. */
    public String reference() {
        return new Reference(schema()).text();
    }

    public List<TopKey> keys() {
        ObjectNode root = schema();
        List<TopKey> keys = new ArrayList<>();
        for (Member member : Member.of(type)) {
            JsonNode key = root.get("properties").get(member.name());
            keys.add(new TopKey(
                    member.name(),
                    RecordSchema.flat(member.key().meaning()),
                    key,
                    Phrasing.allowed(root, key),
                    key.get("default")));
        }
        return keys;
    }

    /** Key at the top of a file: its schema, permitted values in words, and default (null for none). */
    public record TopKey(
            String name,
            String meaning,
            JsonNode schema,
            String allowed,
            @Nullable JsonNode byDefault) {}

    public List<Violation> violations(Document document) {
        return schema.violations(document);
    }

    public R read(Document document) throws InvalidInputException {
        return read(document, Map.of());
    }

    /** Binds a file to a record; components not in it come from {@code more}, by key. Throws every problem at once. */
    public R read(Document document, Map<String, JsonNode> more) throws InvalidInputException {
        List<Problem> problems = new ArrayList<>();
        violations(document).forEach(violation -> problems.add(violation.problem()));
        R bound = problems.isEmpty() ? bind(document, "", document.root(), type, more, problems) : null;
        if (bound == null) {
            throw new InvalidInputException(problems);
        }
        return bound;
    }

    /**
     * Binds {@code node}, which the schema accepts and which is at {@code pointer} or replaces the value there. Adds
     * problems that no schema detects, and returns null if there are any.
     */
    public <T> @Nullable T bind(
            Document document, String pointer, JsonNode node, Class<T> part, List<Problem> problems) {
        return bind(document, pointer, node, part, Map.of(), problems);
    }

    private <T> @Nullable T bind(
            Document document,
            String pointer,
            JsonNode node,
            Class<T> part,
            Map<String, JsonNode> more,
            List<Problem> problems) {
        int before = problems.size();
        JsonNode plain = new Plain(document, problems).value(part, null, node, pointer);
        if (problems.size() > before) {
            return null;
        }
        more.forEach((key, value) -> ((ObjectNode) plain).set(key, value));
        return mapper().treeToValue(plain, part);
    }

    /** Returns a record in the form of a file that binds to an equal record. */
    public ObjectNode write(R record) {
        return (ObjectNode) written(type, mapper().valueToTree(record));
    }

    /** Returns Jackson's tree of a value: unwrapped keys beside the others, and words for the values they stand for. */
    private static JsonNode written(Type of, JsonNode node) {
        Class<?> raw = Member.raw(of);
        if (raw == List.class && node.isArray()) {
            ArrayNode list = JSON.arrayNode();
            node.forEach(each -> list.add(written(Member.element(of), each)));
            return list;
        }
        if (!raw.isRecord() || !node.isObject()) {
            return node;
        }
        ObjectNode mapping = JSON.objectNode();
        for (Member member : Member.of(raw)) {
            JsonNode value = written(member.type(), node.get(member.name()));
            boolean word = !member.key().or().isEmpty() && value.isNumber() && value.asDouble() == 0;
            if (member.key().unwrapped()) {
                mapping.setAll((ObjectNode) value);
            } else if (word) {
                mapping.put(member.name(), member.key().or());
            } else {
                mapping.set(member.name(), value);
            }
        }
        return mapping;
    }

    private JsonNode written(Member optional) {
        JsonNode value = RecordSchema.byDefault(optional, new RecordSchema(words, sections).of(optional));
        return value == null ? JSON.stringNode(optional.key().byDefault()) : value;
    }

    /** Converts a file's tree to Jackson's form: defaults filled in, words and short forms replaced by their values. */
    private final class Plain {
        private final Document document;
        private final List<Problem> problems;

        Plain(Document document, List<Problem> problems) {
            this.document = document;
            this.problems = problems;
        }

        JsonNode value(Type of, @Nullable Key key, JsonNode node, String pointer) {
            Class<?> raw = Member.raw(of);
            if (raw == JsonNode.class) {
                return withinLong(node);
            }
            if (raw == List.class) {
                ArrayNode list = JSON.arrayNode();
                if (node.isArray()) {
                    for (int i = 0; i < node.size(); i++) {
                        list.add(value(Member.element(of), key, node.get(i), pointer + "/" + i));
                    }
                } else {
                    list.add(value(Member.element(of), key, node, pointer));
                }
                return list;
            }
            if (raw == Map.class) {
                ObjectNode map = JSON.objectNode();
                node.forEachEntry((name, value) ->
                        map.set(name, value(Member.element(of), key, value, Document.child(pointer, name))));
                return map;
            }
            if (raw.isSealed()) {
                return oneOf(raw, key, node, pointer);
            }
            if (raw.isRecord()) {
                JsonNode record = record(raw, key, node, pointer);
                boolean oneOfSeveral = raw.getInterfaces().length > 0 && raw.getInterfaces()[0].isSealed();
                return oneOfSeveral ? JSON.objectNode().set(name(raw), record) : record;
            }
            return scalar(raw, key, node, pointer);
        }

        private JsonNode oneOf(Class<?> sealed, @Nullable Key key, JsonNode node, String pointer) {
            List<Class<?>> records = Member.permitted(sealed);
            By by = Member.oneOf(sealed).value();
            for (Class<?> record : records) {
                Section section = Member.section(record);
                boolean chosen = switch (by) {
                    case KEY, MEMBER -> node.has(section.name());
                    case SHAPE ->
                        (isWord(key, node) || node.isObject())
                                == section.alone().isEmpty();
                };
                if (chosen && by == By.KEY) {
                    return value(record, key, node.get(section.name()), Document.child(pointer, section.name()));
                }
                if (chosen) {
                    return value(record, key, node, pointer);
                }
            }
            return value(by == By.KEY ? Member.oneOf(sealed).otherwise() : records.getLast(), key, node, pointer);
        }

        private JsonNode record(Class<?> record, @Nullable Key key, JsonNode node, String pointer) {
            Section section = Member.section(record);
            boolean beside = section.beside() != Record.class;
            ObjectNode given = JSON.objectNode();
            if (node.isObject()) {
                given = (ObjectNode) node;
            } else if (!isWord(key, node)) {
                given.set(section.alone(), node);
            }
            ObjectNode plain = JSON.objectNode();
            for (Member member : Member.of(record)) {
                String name = member.name();
                JsonNode own = given.get(name);
                String at = Document.child(pointer, name);
                if (member.key().unwrapped()) {
                    plain.set(name, unwrapped(record, member, given, pointer));
                } else if (own != null) {
                    plain.set(name, value(member.type(), member.key(), beside ? own.get("value") : own, at));
                } else if (member.hasDefault()) {
                    plain.set(name, byDefault(member, at));
                } else {
                    plain.set(name, nothing(member.raw()));
                }
            }
            return plain;
        }

        /** Returns the binding of an optional key that is absent, or that a short form omits. */
        private static JsonNode nothing(Class<?> raw) {
            if (raw == List.class) {
                return JSON.arrayNode();
            }
            return raw == Map.class ? JSON.objectNode() : raw.isPrimitive() ? JSON.numberNode(0) : JSON.nullNode();
        }

        private JsonNode unwrapped(Class<?> record, Member member, ObjectNode given, String pointer) {
            List<String> names = member.raw() == Map.class || member.raw() == JsonNode.class
                    ? Member.allBut(record, given.propertyNames())
                    : member.unwrappedNames();
            ObjectNode own = JSON.objectNode();
            names.stream().filter(given::has).forEach(name -> own.set(name, given.get(name)));
            if (member.raw().isSealed() && own.size() != 1) {
                problems.add(document.problem(pointer, DocumentSchema.oneNeeded(names, own.propertyNames())));
                return own;
            }
            return value(member.type(), member.key(), own, pointer);
        }

        private JsonNode byDefault(Member member, String pointer) {
            if (member.raw().isRecord() && member.key().byDefault().equals("none")) {
                try {
                    return mapper().valueToTree(member.raw().getField("NONE").get(null));
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException("no constant NONE: " + member.raw(), e);
                }
            }
            if (member.raw().isRecord() && member.key().byDefault().equals("{}")) {
                return value(member.type(), member.key(), JSON.objectNode(), pointer);
            }
            JsonNode value = defaults.computeIfAbsent(member, Binder.this::written);
            return value(member.type(), member.key(), value, pointer);
        }

        private JsonNode scalar(Class<?> raw, @Nullable Key key, JsonNode node, String pointer) {
            if (raw == LocalDate.class || raw == OffsetDateTime.class) {
                try {
                    return JSON.stringNode(
                            raw == LocalDate.class
                                    ? LocalDate.parse(node.stringValue()).toString()
                                    : OffsetDateTime.parse(node.stringValue()).toString());
                } catch (DateTimeException e) {
                    problems.add(
                            document.problem(pointer, "there is no such " + (raw == LocalDate.class ? "day" : "time")));
                    return node;
                }
            }
            if (raw == String.class && node.isString()) {
                return JSON.stringNode(node.stringValue().strip());
            }
            return number(raw, key, raw == Object.class ? withinLong(node) : node);
        }
    }

    /** Returns the tree with real numbers for integers beyond a long, which Jackson would bind to nothing. */
    private static JsonNode withinLong(JsonNode node) {
        if (node.isObject()) {
            ObjectNode mapping = JSON.objectNode();
            node.forEachEntry((name, value) -> mapping.set(name, withinLong(value)));
            return mapping;
        }
        if (node.isArray()) {
            ArrayNode list = JSON.arrayNode();
            node.forEach(value -> list.add(withinLong(value)));
            return list;
        }
        return node.isIntegralNumber() && !node.canConvertToLong() ? JSON.numberNode(node.doubleValue()) : node;
    }

    private static boolean isWord(@Nullable Key key, JsonNode node) {
        return key != null && node.isString() && !key.or().isEmpty() && key.or().equals(node.stringValue());
    }

    /** Returns a key's value in Jackson's form: 0 or nothing for a word that stands for a number, 1000000 for 1e6. */
    static JsonNode number(Class<?> raw, @Nullable Key key, JsonNode node) {
        if (isWord(key, node)) {
            return raw.isPrimitive() ? JSON.numberNode(0) : JSON.nullNode();
        }
        if (Member.isWhole(raw) && node.isNumber()) {
            return JSON.numberNode(node.isIntegralNumber() ? node.longValue() : (long) node.doubleValue());
        }
        return node;
    }
}
