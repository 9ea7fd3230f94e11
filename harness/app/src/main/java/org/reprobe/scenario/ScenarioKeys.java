package org.reprobe.scenario;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.DocumentSchema;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.plots.FigureQuantity;
import org.reprobe.plots.FigureSpec;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every key of a scenario file: name, what it may be, default, meaning. The JSON Schema, the reference scenario and the
 * words of complaints all come from here.
 */
public final class ScenarioKeys {
    static final String SCHEME = "scheme";
    static final String LOAD_FACTOR = "load-factor";

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final List<KeyedRecord<?>> SECTIONS = sections();
    private static final Map<String, KeyedRecord.Entry> SCALARS = scalarsByName();
    private static final Map<String, String> NAMES = names();
    private static final Map<String, Key> FIGURE = new LinkedHashMap<>();
    private static final Map<String, String> LISTS = new LinkedHashMap<>();

    /** Keys of earlier versions and what they are called now. */
    private static final Map<String, String> RENAMED = Map.of(
            "table.associativity", "cuckoo.associativity",
            "table.hashes", "cuckoo.hashes",
            "table.neighbourhood", "hopscotch.neighbourhood",
            "read-bytes", "linear-probing.read-bytes",
            "read-slots", "linear-probing.read-slots",
            "assumed-load-factor", "linear-probing.assumed-load-factor");

    /** Sections and keys that every run reads, whatever the system. */
    private static final Set<String> ALWAYS =
            Set.of("fabric", "nic", "seed", SCHEME, LOAD_FACTOR, "clients", "hosts", "measure");

    private static final Map<String, Set<String>> READ = new ConcurrentHashMap<>();
    private static final Map<String, Set<String>> DECLARED = new ConcurrentHashMap<>();

    /** Keys of earlier versions that could have one value only. */
    private static final Set<String> GONE = Set.of("table.key-bytes");

    /** Of names that files get. */
    static final int MAX_NAME_LENGTH = 100;

    /**
     * One key of a figure.
     *
     * @param schema what it may be
     * @param meaning one sentence or two, units included
     */
    private record Key(String name, ObjectNode schema, JsonNode defaultValue, String meaning) {}

    static {
        figure("name", null, fileName(), "File name without extension.");
        figure("title", JSON.stringNode(""), type("string"), "The caption's first sentence.");
        figure("x", null, text("a swept key or percentile"), """
                A swept key, scheme or load-factor; percentile draws latency percentiles.""");
        figure(
                "y",
                null,
                words(FigureQuantity.ofScenarios().stream()
                        .map(FigureQuantity::key)
                        .toList()),
                "What is drawn.");
        figure("series", JSON.stringNode("scheme"), listOf(text("a swept key")), """
                One key, or a list of keys whose values together name a line.""");
        figure(
                "panels",
                JSON.stringNode(""),
                type("string"),
                "A swept key: a small panel for each value; empty for one panel.");
        figure(
                "shape",
                JSON.stringNode("line"),
                words(Arrays.stream(FigureSpec.Shape.values())
                        .map(shape -> shape.name().toLowerCase(Locale.ROOT))
                        .toList()),
                "line or bar.");
        figure("log-x", JSON.booleanNode(false), type("boolean"), "Logarithmic x axis.");
        figure("log-y", JSON.booleanNode(false), type("boolean"), "Logarithmic y axis.");

        LISTS.put("sweep", """
                Lists of values for any keys with a single value, under their dotted names or last parts. Their product is
                the cells, the first key changing slowest; a cell bears the names as written here.""");
        LISTS.put("skip", """
                Combinations that are left out: a cell that agrees with all of an entry's keys. A key may have a list of
                values.""");
        LISTS.put("rules", """
                Settings by cell: each rule's keys are set in cells that agree with its when (in all cells without one).
                In order; later ones win. A swept key can't be set.""");
        LISTS.put("scales", "Rules for one scale, quick or full, applied after rules.");
        LISTS.put("figures", "What to draw. where narrows a figure to cells with the given values.");
    }

    private ScenarioKeys() {}

    private static List<KeyedRecord<?>> sections() {
        List<KeyedRecord<?>> sections = new ArrayList<>();
        Settings.COMMON.forEach(type -> sections.add(KeyedRecord.of(type)));
        Systems.all().forEach(system -> system.sections().forEach(type -> sections.add(KeyedRecord.of(type))));
        return List.copyOf(sections);
    }

    private static Map<String, KeyedRecord.Entry> scalarsByName() {
        Map<String, KeyedRecord.Entry> scalars = new LinkedHashMap<>();
        for (KeyedRecord<?> section : SECTIONS) {
            for (KeyedRecord.Entry entry : section.entries()) {
                if (entry.name().equals(SCHEME)) {
                    ArrayNode words =
                            entry.schema().removeAll().put("type", "string").putArray("enum");
                    Systems.schemes().forEach(scheme -> words.add(scheme.name()));
                }
                if (scalars.put(entry.name(), entry) != null) {
                    throw new IllegalStateException("two systems have a key " + entry.name());
                }
            }
        }
        return scalars;
    }

    /**
     * Full names, and last parts that only one key has. Last parts are for the keys that Reprobe comes with alone: no project's
     * system changes what a file means.
     */
    private static Map<String, String> names() {
        Map<String, String> names = new LinkedHashMap<>();
        Set<String> ambiguous = new HashSet<>();
        for (KeyedRecord<?> section : SECTIONS) {
            if (section.type().getPackageName().startsWith("org.reprobe.")) {
                for (KeyedRecord.Entry key : section.entries()) {
                    if (!key.shortName().equals(key.name()) && names.put(key.shortName(), key.name()) != null) {
                        ambiguous.add(key.shortName());
                    }
                }
            }
        }
        names.keySet().removeAll(ambiguous);
        SCALARS.keySet().forEach(name -> names.put(name, name));
        return names;
    }

    /** All keys with a single value, in the order of the reference. */
    static Collection<KeyedRecord.Entry> scalars() {
        return SCALARS.values();
    }

    /** A key by its dotted name; null for none of this version. */
    static KeyedRecord.@Nullable Entry scalar(String dotted) {
        return SCALARS.get(dotted);
    }

    /** All sections, in the order of the reference. */
    static List<KeyedRecord<?>> allSections() {
        return SECTIONS;
    }

    /** The keys that have an effect on a scheme: those that its system {@link #declaredBy declares}, and those of every run. */
    static Set<String> readBy(String scheme) {
        return READ.computeIfAbsent(scheme, name -> {
            Set<String> read = new HashSet<>(declaredBy(name));
            read.addAll(among(ALWAYS));
            return Set.copyOf(read);
        });
    }

    /** The keys that a scheme's system says it reads. */
    static Set<String> declaredBy(String scheme) {
        return DECLARED.computeIfAbsent(scheme, name -> among(Systems.of(name).reads(name)));
    }

    /** All keys that are in a set of keys and sections. */
    private static Set<String> among(Set<String> keysAndSections) {
        return SCALARS.keySet().stream()
                .filter(key -> keysAndSections.contains(key)
                        || (key.contains(".") && keysAndSections.contains(key.substring(0, key.indexOf('.')))))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The dotted name that a dotted name or an unambiguous last part stands for, or null. */
    static @Nullable String dotted(String name) {
        return NAMES.get(name);
    }

    /** What a key of an earlier version is called now; the name itself for one that is not renamed; null for one that is gone. */
    static @Nullable String renamed(String dotted) {
        return GONE.contains(dotted) ? null : RENAMED.getOrDefault(dotted, dotted);
    }

    /** What to write instead of a name that is no key, for the end of a message; "" when nothing comes close. */
    static String instead(String name) {
        String now = RENAMED.get(name);
        if (now != null) {
            return "; it is called " + now + " now";
        }
        List<String> candidates = SCALARS.keySet().stream()
                .filter(dotted -> dotted.endsWith("." + name))
                .toList();
        return candidates.isEmpty() ? "" : "; which of " + String.join(", ", candidates) + " is meant?";
    }

    /** Whether published numbers presume a key's value. */
    public static boolean identifies(String dotted) {
        KeyedRecord.Entry key = SCALARS.get(dotted);
        return key != null && key.key().identifies();
    }

    /** Whether a number among a key's values is a whole one, which a file may still write as 1e6. */
    static boolean isWhole(String dotted) {
        KeyedRecord.Entry key = SCALARS.get(dotted);
        return key != null && key.isWhole();
    }

    /** All names under which single values go. */
    static List<String> allNames() {
        return List.copyOf(NAMES.keySet());
    }

    /** Keys of the top that have no single value, sections not included. */
    static List<String> structured() {
        return Stream.concat(Stream.of("name", "title", "reproduces"), LISTS.keySet().stream())
                .toList();
    }

    /** The JSON Schema (draft 2020-12) of scenario files. */
    public static ObjectNode schema() {
        ObjectNode root = JSON.objectNode();
        root.put("$schema", "https://json-schema.org/draft/2020-12/schema");
        root.put("title", "Reprobe scenario");
        root.put("type", "object");
        root.putArray("required").add("title");
        root.put("additionalProperties", false);
        ObjectNode properties = root.putObject("properties");
        properties.set("name", fileName().put("description", NAME));
        properties
                .putObject("title")
                .put("type", "string")
                .put("minLength", 1)
                .put("description", TITLE)
                .put("x-allowed", "text");
        ObjectNode reproduces =
                properties.putObject("reproduces").put("type", "array").put("description", REPRODUCES);
        reproduces.set("items", text("text like linear-probing/figure-7").put("pattern", "^[a-z0-9.-]+/[a-z0-9.-]+$"));
        for (KeyedRecord<?> section : SECTIONS) {
            ObjectNode holder = section.section().isEmpty()
                    ? properties
                    : properties
                            .putObject(section.section())
                            .put("type", "object")
                            .put("description", section.meaning())
                            .put("additionalProperties", false)
                            .putObject("properties");
            section.entries().forEach(key -> holder.set(key.shortName(), ref(key.name())));
        }
        properties.set("sweep", byName(meaning("sweep"), ScenarioKeys::listOfValues));
        properties.set("skip", list(meaning("skip"), byName(null, ScenarioKeys::valueOrValues)));
        ObjectNode rule = byName(null, ScenarioKeys::ref);
        ((ObjectNode) rule.get("properties")).set("when", byName("The cells it is for.", ScenarioKeys::valueOrValues));
        ObjectNode ruleRef = JSON.objectNode().put("$ref", "#/$defs/rule");
        properties.set("rules", list(meaning("rules"), ruleRef));
        ObjectNode scales = properties.putObject("scales");
        scales.put("type", "object").put("description", flat(meaning("scales"))).put("additionalProperties", false);
        ObjectNode scaleNames = scales.putObject("properties");
        for (Scale scale : Scale.values()) {
            scaleNames.set(scale.key(), list(null, ruleRef));
        }
        ObjectNode figure = JSON.objectNode().put("type", "object").put("additionalProperties", false);
        ObjectNode parts = figure.putObject("properties");
        ArrayNode required = figure.putArray("required");
        for (Key key : FIGURE.values()) {
            parts.set(key.name, described(key.schema, key.meaning, key.defaultValue));
            if (key.defaultValue.isNull()) {
                required.add(key.name);
            }
        }
        parts.set("where", byName("Only cells with these values.", ScenarioKeys::ref));
        properties.set("figures", list(meaning("figures"), figure));
        ObjectNode defs = root.putObject("$defs");
        SCALARS.values().forEach(key -> defs.set(key.name(), described(key.schema(), key.meaning(), key.byDefault())));
        defs.set("rule", rule);
        return root;
    }

    /** {@link #schema} as a file has it. */
    public static String schemaText() {
        return JsonMapper.builder()
                .enable(SerializationFeature.INDENT_OUTPUT)
                .build()
                .writeValueAsString(schema());
    }

    /** The reference scenario: every key with its default, its meaning as a comment. */
    public static String referenceYaml() {
        StringBuilder yaml = new StringBuilder("""
                # Every key of a scenario, with its meaning, what it may be and its default. This file is generated from the
                # code, which is also where scenarios/schema.json comes from; a test holds all three together.
                # yaml-language-server: $schema=schema.json

                """);
        comment(yaml, "", TITLE);
        yaml.append("title: Reference\n\n");
        comment(yaml, "", NAME);
        yaml.append("name: reference\n\n");
        comment(yaml, "", REPRODUCES);
        yaml.append("reproduces: []\n\n");
        for (KeyedRecord<?> section : SECTIONS) {
            String indent = section.section().isEmpty() ? "" : "  ";
            if (!section.section().isEmpty()) {
                comment(yaml, "", section.meaning());
                yaml.append(section.section()).append(":\n");
            }
            for (KeyedRecord.Entry key : section.entries()) {
                comment(yaml, indent, key.meaning() + " Allowed: " + DocumentSchema.allowed(key.schema()) + ".");
                yaml.append(indent).append(key.shortName()).append(": ");
                yaml.append(key.byDefault().asString()).append("\n\n");
            }
        }
        comment(yaml, "", meaning("sweep"));
        yaml.append(
                "sweep: {}\n# sweep:\n#   load-factor: [0.25, 0.50, 0.65]\n#   scheme: [linear-fixed, linear-variable]\n\n");
        comment(yaml, "", meaning("skip"));
        yaml.append("skip: []\n# skip:\n#   - {cuckoo.associativity: 1, load-factor: [0.95]}\n\n");
        comment(yaml, "", meaning("rules"));
        yaml.append("rules: []\n# rules:\n#   - {when: {scheme: cuckoo-parallel}, workload.keys: distinct}\n\n");
        comment(yaml, "", meaning("scales"));
        yaml.append(
                "scales:\n  quick: []\n  full: []\n# scales:\n#   quick:\n#     - {table.records: 1048576, measure.repeats: 5}\n");
        yaml.append("#     - {when: {load-factor: [0.90, 0.95]}, table.records: 16777216}\n\n");
        comment(yaml, "", meaning("figures"));
        yaml.append("figures:\n");
        String lead = "  - ";
        for (Key key : FIGURE.values()) {
            comment(yaml, "    ", key.meaning + " Allowed: " + DocumentSchema.allowed(key.schema) + ".");
            String value = switch (key.name) {
                case "name" -> "reference";
                case "x" -> "load-factor";
                case "y" -> "throughput";
                default ->
                    key.defaultValue.isString()
                                    && key.defaultValue.stringValue().isEmpty()
                            ? "\"\""
                            : key.defaultValue.asString();
            };
            // The list's dash goes to the first key; its comment stands above it.
            yaml.append(lead).append(key.name).append(": ").append(value).append('\n');
            lead = "    ";
        }
        comment(yaml, "    ", "Only cells with these values: {scheme: linear-variable}.");
        yaml.append("    where: {}\n");
        return yaml.toString();
    }

    private static final String TITLE = "What the experiment is, for people.";
    private static final String NAME = "What results are filed under; the file's name without extension unless given.";
    private static final String REPRODUCES = "What of which paper it reproduces, like linear-probing/figure-7.";

    private static String meaning(String list) {
        return Objects.requireNonNull(LISTS.get(list));
    }

    private static void comment(StringBuilder yaml, String indent, String text) {
        StringBuilder line = new StringBuilder(indent).append('#');
        for (String word : flat(text).split(" ", -1)) {
            if (line.length() + word.length() > 110) {
                yaml.append(line).append('\n');
                line = new StringBuilder(indent).append('#');
            }
            line.append(' ').append(word);
        }
        yaml.append(line).append('\n');
    }

    private static ObjectNode described(ObjectNode schema, String meaning, JsonNode defaultValue) {
        ObjectNode described = schema.deepCopy();
        described.put("description", flat(meaning));
        if (!defaultValue.isNull()) {
            described.set("default", defaultValue);
        }
        return described;
    }

    private static ObjectNode byName(
            @Nullable String meaning, java.util.function.Function<String, ObjectNode> schemaOf) {
        ObjectNode schema = JSON.objectNode().put("type", "object").put("additionalProperties", false);
        if (meaning != null) {
            schema.put("description", flat(meaning));
        }
        ObjectNode properties = schema.putObject("properties");
        NAMES.forEach((name, dotted) -> properties.set(name, schemaOf.apply(dotted)));
        return schema;
    }

    private static ObjectNode ref(String dotted) {
        return JSON.objectNode().put("$ref", "#/$defs/" + dotted);
    }

    private static ObjectNode listOfValues(String dotted) {
        ObjectNode list =
                JSON.objectNode().put("type", "array").put("minItems", 1).put("uniqueItems", true);
        list.set("items", ref(dotted));
        return list;
    }

    private static ObjectNode valueOrValues(String dotted) {
        ObjectNode schema = JSON.objectNode();
        ObjectNode list = JSON.objectNode().put("type", "array").put("minItems", 1);
        list.set("items", ref(dotted));
        schema.putArray("anyOf").add(ref(dotted)).add(list);
        return schema;
    }

    private static ObjectNode list(@Nullable String meaning, ObjectNode items) {
        ObjectNode list = JSON.objectNode().put("type", "array");
        if (meaning != null) {
            list.put("description", flat(meaning));
        }
        list.set("items", items);
        return list;
    }

    private static void figure(String name, @Nullable JsonNode defaultValue, ObjectNode schema, String meaning) {
        FIGURE.put(name, new Key(name, schema, defaultValue == null ? JSON.nullNode() : defaultValue, flat(meaning)));
    }

    private static ObjectNode type(String type) {
        return JSON.objectNode().put("type", type);
    }

    private static ObjectNode text(String allowed) {
        return type("string").put("minLength", 1).put("x-allowed", allowed);
    }

    /** What files are named after: short enough for every file system, with what is put behind it. */
    private static ObjectNode fileName() {
        return text("up to %d letters, digits, hyphens and dots".formatted(MAX_NAME_LENGTH))
                .put("pattern", "^[A-Za-z0-9][A-Za-z0-9.-]*$")
                .put("maxLength", MAX_NAME_LENGTH);
    }

    private static ObjectNode words(List<String> words) {
        ObjectNode schema = type("string");
        ArrayNode list = schema.putArray("enum");
        words.forEach(list::add);
        return schema;
    }

    private static ObjectNode listOf(ObjectNode item) {
        ObjectNode either = JSON.objectNode();
        ObjectNode list = type("array").put("minItems", 1);
        list.set("items", item);
        either.putArray("anyOf").add(item).add(list);
        return either;
    }

    private static String flat(String text) {
        return String.join(" ", text.strip().split("\\s+"));
    }
}
