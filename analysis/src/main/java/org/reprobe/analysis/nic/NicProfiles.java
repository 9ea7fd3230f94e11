package org.reprobe.analysis.nic;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.DocumentSchema;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfile.Provenance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads NIC profiles: {@code DIR/NAME.yaml}. A file has a {@code title} and, by section, constants of the form {@code
 * message-ns: {value: 11.472, basis: published, source: "..."}}; every {@link Constant} of {@link NicProfile} must be there, but
 * for those with a default and the sections {@code contention}, {@code transactions}, {@code cluster} and {@code set-up},
 * which are there whole or not at all.
 */
public final class NicProfiles {
    private static final String SUFFIX = ".yaml";

    /** Sections that a file may leave out, and what they are then. */
    private static final Map<Class<?>, Record> NONE = Map.of(
            NicProfile.Contention.class, NicProfile.Contention.NONE,
            NicProfile.Transactions.class, NicProfile.Transactions.NONE,
            NicProfile.Cluster.class, NicProfile.Cluster.NONE,
            NicProfile.SetUp.class, NicProfile.SetUp.NONE);

    private static final JsonMapper MAPPER = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.KEBAB_CASE)
            .build();

    /** The sections by name: the components of {@link NicProfile} that are records. */
    private static final Map<String, Class<? extends Record>> SECTIONS = sections();

    private static Map<String, Class<? extends Record>> sections() {
        Map<String, Class<? extends Record>> sections = new LinkedHashMap<>();
        for (RecordComponent component : NicProfile.class.getRecordComponents()) {
            if (component.getType().isRecord()) {
                sections.put(
                        KeyedRecord.kebab(component.getName()),
                        component.getType().asSubclass(Record.class));
            }
        }
        return sections;
    }

    /** A section's constants by key, in its record's order. */
    private static Map<String, Constant> constants(Class<? extends Record> section) {
        Map<String, Constant> constants = new LinkedHashMap<>();
        for (RecordComponent component : section.getRecordComponents()) {
            constants.put(
                    KeyedRecord.kebab(component.getName()),
                    Objects.requireNonNull(component.getAnnotation(Constant.class), component.getName()));
        }
        return constants;
    }

    private static final DocumentSchema SCHEMA = new DocumentSchema(schema());

    private NicProfiles() {}

    /**
     * The profile of a name.
     *
     * @param dir the folder of profiles
     * @throws InvalidInputException when there is no such profile, with the names that there are; when the file can't
     *     be used, with all its problems
     */
    public static NicProfile load(Path dir, String name) throws InvalidInputException {
        List<String> names = names(dir);
        if (!names.contains(name)) {
            throw new InvalidInputException(Problem.of(dir.toString(), missing(name, names)));
        }
        Document document = Document.read(dir.resolve(name + SUFFIX));
        SCHEMA.require(document);
        return bind(name, document.root());
    }

    /**
     * The names of the profiles in a folder, sorted; none when it is no folder.
     *
     * @throws InvalidInputException when the folder can't be read
     */
    public static List<String> names(Path dir) throws InvalidInputException {
        if (!Files.isDirectory(dir)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(dir)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(SUFFIX))
                    .map(file -> file.substring(0, file.length() - SUFFIX.length()))
                    .sorted()
                    .toList();
        } catch (IOException failed) {
            throw new InvalidInputException(Problem.of(dir.toString(), "can't be read: " + failed.getMessage()));
        }
    }

    /** What to say of a profile that is not among {@code names}. */
    public static String missing(String name, List<String> names) {
        String hint = Spelling.hint(name, names);
        return "there is no NIC profile \"" + name + "\"; there "
                + switch (names.size()) {
                    case 0 -> "is none at all";
                    case 1 -> "is only " + names.getFirst();
                    default -> "are " + String.join(", ", names);
                }
                + hint;
    }

    /** A profile's constants by dotted key: {@code responder.message-ns}. */
    public static Map<String, Double> constants(NicProfile nic) {
        Map<String, Double> constants = new LinkedHashMap<>();
        for (RecordComponent component : NicProfile.class.getRecordComponents()) {
            if (value(component, nic) instanceof Record section) {
                for (RecordComponent constant : section.getClass().getRecordComponents()) {
                    constants.put(
                            KeyedRecord.kebab(component.getName()) + "." + KeyedRecord.kebab(constant.getName()),
                            ((Number) value(constant, section)).doubleValue());
                }
            }
        }
        return constants;
    }

    private static Object value(RecordComponent component, Record of) {
        try {
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e); // accessors of public records can be called and throw nothing
        }
    }

    private static NicProfile bind(String name, JsonNode root) {
        Map<String, Provenance> provenance = new LinkedHashMap<>();
        SECTIONS.forEach((section, type) -> constants(type).keySet().forEach(constant -> {
            JsonNode entry = root.path(section).path(constant);
            if (!entry.isMissingNode()) {
                provenance.put(
                        section + "." + constant,
                        new Provenance(
                                Basis.valueOf(entry.get("basis").stringValue().toUpperCase(Locale.ROOT)),
                                entry.get("source").stringValue()));
            }
        }));
        return new NicProfile(
                name,
                root.get("title").stringValue(),
                section(root, NicProfile.Responder.class),
                section(root, NicProfile.Link.class),
                section(root, NicProfile.Requester.class),
                section(root, NicProfile.Limits.class),
                section(root, NicProfile.Client.class),
                section(root, NicProfile.Model.class),
                section(root, NicProfile.Contention.class),
                section(root, NicProfile.Transactions.class),
                section(root, NicProfile.Cluster.class),
                section(root, NicProfile.SetUp.class),
                provenance);
    }

    private static <S extends Record> S section(JsonNode root, Class<S> type) {
        JsonNode given = root.path(KeyedRecord.kebab(type.getSimpleName()).substring(1));
        Record none = NONE.get(type);
        if (given.isMissingNode() && none != null) {
            return type.cast(none);
        }
        ObjectNode values = JsonNodeFactory.instance.objectNode();
        constants(type).forEach((key, constant) -> {
            JsonNode entry = given.path(key);
            double value = entry.isMissingNode()
                    ? constant.byDefault()
                    : entry.get("value").asDouble();
            if (constant.value().type.equals("integer")) {
                values.put(key, (long) value);
            } else {
                values.put(key, value);
            }
        });
        return MAPPER.treeToValue(values, type);
    }

    private static JsonNode schema() {
        JsonNodeFactory json = JsonNodeFactory.instance;
        ObjectNode root = json.objectNode();
        root.put("type", "object");
        ObjectNode properties = root.putObject("properties");
        properties.putObject("title").put("type", "string");
        List<String> required = new ArrayList<>(List.of("title"));
        SECTIONS.forEach((name, type) -> {
            if (!NONE.containsKey(type)) {
                required.add(name);
            }
            ObjectNode section = properties.putObject(name);
            section.put("type", "object");
            ObjectNode members = section.putObject("properties");
            List<String> needed = new ArrayList<>();
            constants(type).forEach((key, constant) -> {
                members.set(key, schema(constant.value()));
                if (Double.isNaN(constant.byDefault())) {
                    needed.add(key);
                }
            });
            close(section, needed);
        });
        close(root, required);
        return root;
    }

    private static ObjectNode schema(Constant.Range range) {
        ObjectNode entry = JsonNodeFactory.instance.objectNode();
        entry.put("type", "object");
        ObjectNode parts = entry.putObject("properties");
        parts.putObject("value")
                .put("type", range.type)
                .put(range.bound, range.low)
                .put("maximum", range.high);
        ArrayNode words = parts.putObject("basis").put("type", "string").putArray("enum");
        for (Basis basis : Basis.values()) {
            words.add(basis.name().toLowerCase(Locale.ROOT));
        }
        parts.putObject("source").put("type", "string").put("minLength", 1).put("x-allowed", "a source in words");
        close(entry, List.of("value", "basis", "source"));
        return entry;
    }

    private static void close(ObjectNode mapping, List<String> required) {
        mapping.put("additionalProperties", false);
        ArrayNode names = mapping.putArray("required");
        required.forEach(names::add);
    }
}
