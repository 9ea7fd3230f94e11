package org.reprobe.analysis.document;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Section of a scenario file as a record, each component with a {@link Key}. Unlike {@link Binder}'s, the values come
 * from cells, not from one place in the file. Components are {@code int}, {@code long}, {@code double},
 * {@code boolean}, {@code String}, enums (constants in kebab case in the file), optional numbers, lists of texts, and
 * maps by text of those and of records.
 */
public final class KeyedRecord<R extends Record> {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Pattern FAMILY_NAME = Pattern.compile("[a-z][a-z0-9-]*");

    /** Separate class, since a mapper takes long to load and names need none. */
    private static final class Mapper {
        static final JsonMapper PLAIN = Binder.plainMapper().build();
    }

    private final Class<R> type;
    private final Section section;
    private final List<Member> members;
    private final List<Entry> entries;
    private final ObjectNode definitions;

    /** One key by its dotted name, {@code section.key}, with the schema of permitted values and the default. */
    public record Entry(String name, Key key, ObjectNode schema, JsonNode byDefault) {

        public String meaning() {
            return RecordSchema.flat(key.meaning());
        }

        public String shortName() {
            return name.substring(name.indexOf('.') + 1);
        }

        /** Returns true if its numbers are integers, which a file may write as 1e6. */
        public boolean isWhole() {
            JsonNode of = schema.has("anyOf") ? schema.get("anyOf").get(0) : schema;
            return of.path("type").asString("").equals("integer");
        }

        public boolean isList() {
            return Stream.concat(Stream.of(schema), schema.path("anyOf").valueStream())
                    .anyMatch(of -> of.path("type").asString("").equals("array"));
        }

        /** Returns a key of this {@link Key#family}; null if the name is not in it. */
        public @Nullable Entry member(String dotted) {
            boolean isOne = key.family()
                    && dotted.startsWith(name + ".")
                    && FAMILY_NAME.matcher(dotted.substring(name.length() + 1)).matches();
            return isOne
                    ? new Entry(dotted, key, (ObjectNode) schema.get("additionalProperties"), JSON.stringNode(""))
                    : null;
        }

        /** Returns true if it has an effect on a fabric. */
        public boolean isFor(String fabric) {
            return key.fabrics().length == 0 || Arrays.asList(key.fabrics()).contains(fabric);
        }
    }

    private KeyedRecord(Class<R> type) {
        this.type = type;
        this.section = Objects.requireNonNull(type.getAnnotation(Section.class), "no section: " + type);
        this.members = Member.of(type);
        RecordSchema records = new RecordSchema(Map.of(), List.of());
        List<Entry> found = new ArrayList<>();
        for (Member member : members) {
            ObjectNode schema = records.of(member);
            found.add(new Entry(
                    section.name().isEmpty() ? member.name() : section.name() + "." + member.name(),
                    member.key(),
                    schema,
                    Objects.requireNonNull(RecordSchema.byDefault(member, schema), "no default: " + member)));
        }
        this.entries = List.copyOf(found);
        this.definitions = records.definitions();
    }

    /** Returns a record's keys; throws a {@link NullPointerException} without {@link Section} or a key's default. */
    public static <R extends Record> KeyedRecord<R> of(Class<R> type) {
        return new KeyedRecord<>(type);
    }

    public Class<R> type() {
        return type;
    }

    /** Returns the section's name; empty for the top of the file. */
    public String section() {
        return section.name();
    }

    public String meaning() {
        return RecordSchema.flat(section.meaning());
    }

    static String familyPattern(String name) {
        return "^" + name.replace(".", "\\.") + "\\." + FAMILY_NAME + "$";
    }

    public List<Entry> entries() {
        return entries;
    }

    ObjectNode definitions() {
        return definitions;
    }

    /** Binds valid values, by each key's dotted name, to a record. */
    public R bind(Function<String, JsonNode> valueOf) {
        ObjectNode node = JSON.objectNode();
        for (int i = 0; i < members.size(); i++) {
            Member member = members.get(i);
            JsonNode value = valueOf.apply(entries.get(i).name());
            boolean one = member.raw() == List.class && !value.isArray();
            node.set(
                    member.name(),
                    one ? JSON.arrayNode().add(value) : Binder.number(member.raw(), member.key(), value));
        }
        return Mapper.PLAIN.treeToValue(node, type);
    }

    /** Returns a component's name as in files: {@code message-ns} for {@code messageNs}. */
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
}
