package org.reprobe.scenario;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.DocumentSchema;
import org.reprobe.plots.FigureSpec;
import org.reprobe.plots.Quantity;
import org.reprobe.table.RecordFormat;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.KeySets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Every key of a scenario file: name, what it may be, default, meaning. The JSON Schema, the reference scenario and the
 * words of complaints all come from here.
 */
public final class ScenarioKeys {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Map<String, Key> SCALARS = new LinkedHashMap<>();
    private static final Map<String, String> NAMES = new LinkedHashMap<>();
    private static final Map<String, String> SECTIONS = new LinkedHashMap<>();
    private static final Map<String, Key> FIGURE = new LinkedHashMap<>();
    private static final Map<String, String> LISTS = new LinkedHashMap<>();

    /** The word for "nothing given" of keys that have no number as default. */
    static final String REAL = "real";

    static final String BY_SCHEME = "by-scheme";
    static final String NONE = "none";
    static final String EXACT = "exact";
    static final String LATENCY = "latency";
    static final String ALL = "all";
    static final String OWN = "own";
    static final String FULL = "full";
    static final String ADAPTIVE = "adaptive";

    /** Of names that files get. */
    static final int MAX_NAME_LENGTH = 100;

    /** This host. */
    public static final String HERE = "here";

    /**
     * One key that has a single value.
     *
     * @param name dotted
     * @param schema what it may be
     * @param meaning one sentence or two, units included
     */
    record Key(String name, ObjectNode schema, JsonNode defaultValue, String meaning) {}

    static {
        word("fabric", "sim", List.of("sim", "shm", "tcp", "verbs"), """
                How operations travel: sim, a simulated network card in virtual time; shm, shared memory; tcp, sockets; \
                verbs, RDMA hardware. The last three run in real time.""");
        scalar("nic", JSON.stringNode("connectx5-edr"), text("the name of a profile in scenarios/nics"), """
                The NIC profile: sim builds its card from it, the read-size model takes its parameters from it.""");
        scalar("seed", JSON.numberNode(1), whole(0, 1L << 53), """
                Fixes keys, tables and every random choice; repeats derive their own from it.""");
        word(
                "scheme",
                "linear-variable",
                Arrays.stream(SchemeName.values()).map(SchemeName::key).toList(),
                "The hashing scheme. linear-fixed reads read-bytes, linear-variable what the model says within the link's"
                        + " bandwidth (Eq. 2), linear-variable-unconstrained without that bound. compare-and-swap has no table"
                        + " but table.records words of 8 bytes, which clients change by lists as long as the send queue.");
        scalar("load-factor", JSON.numberNode(0.5), open(0, 1), """
                Occupied share of the table's places. Cuckoo tables have a threshold above which none exists.""");
        scalar("assumed-load-factor", JSON.stringNode(REAL), orWord(open(0, 1), REAL), """
                What the read-size model is told; real for load-factor itself.""");
        scalar("read-bytes", JSON.numberNode(256), whole(5, 1 << 30), "Bytes of one READ of linear-fixed.");
        scalar("read-slots", JSON.stringNode(BY_SCHEME), orWord(whole(1, 1 << 26), BY_SCHEME), """
                Slots of one READ of any linear scheme; by-scheme for what the scheme itself would read.""");

        section("clients", "Who asks.");
        scalar("clients.machines", JSON.numberNode(1), whole(1, 1024), "Client machines.");
        scalar("clients.threads", JSON.numberNode(28), whole(1, 65536), """
                Client threads a machine, each with a queue pair of its own.""");

        section("connection", "How queue pairs are set up.");
        scalar("connection.send-queue", JSON.numberNode(8192), orWord(whole(1, 1 << 20), LATENCY), """
                The most requests a client posts at once; latency for one lookup at a time: as many requests as it posts
                together. At most what the card allows.""");
        scalar("connection.outstanding-reads", JSON.numberNode(16), whole(1, 65536), """
                The most READs in flight on a queue pair. At most what the card allows.""");

        scalar("connection.represents-send-queue", JSON.stringNode(OWN), orWord(whole(1, 1 << 20), OWN), """
                sim: work requests of the send queues that these stand for. A lookup's next READ comes a round of all send \
                queues after its last, in which the card may have replaced the translation that it needs: as often as in a \
                round of send queues of this size. own: those that there are.""");

        section("load", "How much is asked.");
        scalar("load.rate-per-s", JSON.stringNode(FULL), orWord(above(0), FULL), """
                Lookups a second of all clients together, at random (Poisson) times; latency counts from when a lookup was \
                to begin. full: each client keeps its send queue full.""");

        section(
                "hosts",
                "Where the processes of shm, tcp and verbs run: on other hosts over ssh, which must need no password.");
        scalar("hosts.server", JSON.stringNode(HERE), host(), """
                The server's host; here for this one. find-or-put has none: its clients' machines are the servers.""");
        scalar("hosts.clients", JSON.stringNode(HERE), listOf(host()), """
                The clients' hosts: client machines are dealt out to them in turn.""");

        section("table", "The hash table and its records.");
        scalar("table.records", JSON.numberNode(1 << 20), whole(1, 1L << 53), "Records in the table.");
        scalar("table.represents-records", JSON.stringNode(OWN), orWord(whole(1, 1L << 53), OWN), """
                sim: records of the table that this one stands for. The card's cache of address translations is as many times \
                smaller as the table is, so that a small table costs the card what the large one would. own: those that \
                it has.""");
        scalar(
                "table.record-bytes",
                JSON.numberNode(8),
                whole(RecordFormat.MIN_RECORD_BYTES, TableSpec.MAX_RECORD_BYTES),
                "Bytes of a record, its key included.");
        scalar("table.key-bytes", JSON.numberNode(4), number4(), "Bytes of a key.");
        word("table.storage", "inline", List.of("inline", "heap"), """
                inline: records stand in the slots. heap: slots hold a 1-byte signature a record and a 4-byte offset.""");
        scalar(
                "table.associativity",
                JSON.numberNode(4),
                whole(1, TableSpec.MAX_ASSOCIATIVITY),
                "cuckoo: records a slot.");
        scalar("table.hashes", JSON.numberNode(3), whole(2, TableSpec.MAX_HASHES), "cuckoo: candidate slots of a key.");
        scalar(
                "table.neighbourhood",
                JSON.numberNode(8),
                whole(2, TableSpec.MAX_NEIGHBOURHOOD),
                "hopscotch: H, in slots.");
        scalar("table.keys-per-record", JSON.stringNode(ALL), orWord(above(0), ALL), """
                How many distinct keys there may be for each record, which fixes how often a key comes twice at any scale;
                capped at all 2^32 - 1 keys of 4 bytes, for zipf at 2^31 - 1. 34.14 gives the paper's share: 120 x 2^20
                records use them all.""");

        section("workload", "What is asked.");
        word("workload.operation", "lookup", List.of("lookup", "predict"), """
                lookup: look existing keys up. predict: run nothing, ask the model for its read size.""");
        word("workload.keys", "uniform", List.of("uniform", "distinct", "zipf"), """
                uniform: each record's key is drawn anew, so keys may come twice. distinct: none does. zipf: skewed.""");
        scalar(
                "workload.theta",
                JSON.numberNode(0.99),
                type("number").put("minimum", 0).put("maximum", KeySets.MAX_THETA),
                """
                Skew of zipf: rank r has frequency r^-theta; 0 is uniform.""");

        scalar("workload.writes", JSON.numberNode(0), closed(0), """
                nessie, pilaf, find-or-put: share of the operations that write or insert; the others read or find.""");

        section("nessie", "Scheme nessie: a cuckoo table that clients write by one-sided operations.");
        word("nessie.rules", "corrected", List.of("corrected", "printed", "rhtm"), """
                corrected: linearizable. printed: the paper's algorithms to the letter, which are not. rhtm: the paper's \
                proposal of remote transactions, for sim with a nic that has them.""");
        scalar("nessie.new-keys", JSON.booleanNode(false), type("boolean"), """
                Whether writes are of keys that are not there; else they overwrite.""");
        scalar("nessie.always-possible", JSON.booleanNode(false), type("boolean"), """
                With new-keys: what the paper's analysis assumes. Where neither the items in a key's places could be moved, \
                another key is drawn, for which the second one can: no write needs the server. For sim.""");
        scalar("nessie.independent-places", JSON.booleanNode(false), type("boolean"), """
                How the table is filled at first. false: a key goes to its primary place, or to its secondary one when that is \
                taken. true: to either, by chance, and is left out when that one is taken; so where else an item could go has \
                nothing to do with where it stands, as the paper's analysis takes it.""");
        scalar(
                "nessie.spare-items",
                JSON.numberNode(1024),
                whole(1, 1 << 20),
                "Data items of each client that are free at first.");
        scalar("nessie.back-off-ns", JSON.numberNode(2000), whole(0, 1L << 40), """
                The longest wait before an attempt is repeated, which doubles each time.""");
        scalar("nessie.growth", JSON.numberNode(0), whole(0, 64), """
                Whether the server's program runs, and how many times as large as at first the index table may become when it \
                resizes it. 1: it only moves chains. 0: there is none, and a write that finds no place is refused.""");

        section(
                "pilaf",
                "Scheme pilaf: clients read a 3-way cuckoo table by one-sided operations, the server writes it.");
        scalar(
                "pilaf.free-items",
                JSON.numberNode(1024),
                whole(1, 1 << 20),
                "Data items that are free at first: the server needs one more than there are keys.");

        section("find-or-put", "Scheme find-or-put: a set spread over the client machines themselves.");
        scalar("find-or-put.chunk-buckets", JSON.numberNode(32), orWord(whole(1, 1 << 16), ADAPTIVE), """
                C: buckets of a chunk. adaptive: each process estimates the load and takes what the read-size model says.""");
        scalar("find-or-put.chunks", JSON.numberNode(32), whole(1, 1 << 20), "M: the most chunks looked at.");
        scalar("find-or-put.active", JSON.stringNode(ALL), orWord(whole(1, 1 << 20), ALL), """
                Processes that do something; the others only hold their parts of the table.""");

        section("verb", "Scheme verb: clients that do one operation after the other, waiting for each.");
        word("verb.kind", "read", List.of("read", "write", "compare-and-swap", "send"), """
                The operation. send: the server answers each SEND with one of the same length.""");
        scalar("verb.bytes", JSON.numberNode(8), whole(1, 1 << 20), """
                Bytes that it carries; a compare-and-swap carries 8 in any case.""");

        section("model", "The read-size model of the linear-probing paper, section 3.");
        scalar("model.tail-cutoff", JSON.numberNode(0.99), orWord(closed(0.5), EXACT), """
                The sum of E[X(R)] stops at the first i with C_iR at least this; 0.99 gives the paper's read sizes, exact \
                sums to the end.""");
        word("model.homes", "random", List.of("random", "existing-keys"), """
                Whose home slots the model assumes: random slots as in the paper, or those of existing keys, which lean
                towards long clusters.""");
        scalar("model.hint-distance", JSON.stringNode(NONE), orWord(whole(-(1 << 20), 1 << 20), NONE), """
                predict: where the read starts, in slots after the start of a known cluster: -30 is 30 slots before it \
                (the x axis of Fig. 13). Counts only with clusters.track: true; none for no hint.""");
        scalar(
                "model.hint-slots",
                JSON.numberNode(10),
                whole(1, 1 << 20),
                "predict: the known cluster's length in slots.");

        section("clusters", "Cluster tracking (section 4.4), for linear-variable and linear-variable-unconstrained.");
        scalar("clusters.track", JSON.booleanNode(false), type("boolean"), """
                Whether each client remembers the largest clusters it has met and reads by them.""");
        scalar("clusters.count", JSON.numberNode(1000), whole(1, 1 << 20), "How many clusters a client remembers.");

        section("measure", "How long and how often. Times are virtual on sim.");
        scalar(
                "measure.repeats",
                JSON.numberNode(5),
                whole(1, 100_000),
                "Runs of each cell, each with a table of its own.");
        scalar("measure.warm-up-ms", JSON.numberNode(1), ms("0"), "Milliseconds before counting starts.");
        scalar("measure.duration-ms", JSON.numberNode(10), ms("0.001"), "Milliseconds counted.");
        scalar("measure.real-time-ms", JSON.numberNode(1000), ms("0"), """
                Least milliseconds counted where time is real; a fifth of it before counting starts. Threads that
                share cores take turns that are longer than most virtual durations.""");

        figure("name", null, fileName(), "File name without extension.");
        figure("title", JSON.stringNode(""), type("string"), "The caption's first sentence.");
        figure("x", null, text("a swept key or percentile"), """
                A swept key, scheme or load-factor; percentile draws latency percentiles.""");
        figure(
                "y",
                null,
                words(Quantity.ofScenarios().stream().map(Quantity::key).toList()),
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

    /** All keys with a single value, in the order of the reference. */
    static List<Key> scalars() {
        return List.copyOf(SCALARS.values());
    }

    /** The dotted name that a dotted name or a last part stands for, or null. */
    static @Nullable String dotted(String name) {
        return NAMES.get(name);
    }

    /** Whether a number among a key's values is a whole one, which a file may still write as 1e6. */
    static boolean isWhole(String dotted) {
        Key key = SCALARS.get(dotted);
        if (key == null) {
            return false;
        }
        JsonNode schema = key.schema.has("anyOf") ? key.schema.get("anyOf").get(0) : key.schema;
        return schema.path("type").asString("").equals("integer");
    }

    /** All names under which single values go. */
    static List<String> names() {
        return List.copyOf(NAMES.keySet());
    }

    /** Keys of the top that have no single value, sections not included. */
    static List<String> structured() {
        return Stream.concat(Stream.of("name", "title", "reproduces"), LISTS.keySet().stream())
                .toList();
    }

    /** Keys of a figure with a single value, {@code where} aside. */
    static List<Key> figureKeys() {
        return List.copyOf(FIGURE.values());
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
        SECTIONS.forEach((name, meaning) -> properties
                .putObject(name)
                .put("type", "object")
                .put("description", flat(meaning))
                .put("additionalProperties", false)
                .putObject("properties"));
        for (Key key : SCALARS.values()) {
            int dot = key.name.indexOf('.');
            ObjectNode holder = dot < 0
                    ? properties
                    : (ObjectNode) properties.get(key.name.substring(0, dot)).get("properties");
            holder.set(key.name.substring(dot + 1), ref(key.name));
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
            parts.set(key.name, described(key));
            if (key.defaultValue.isNull()) {
                required.add(key.name);
            }
        }
        parts.set("where", byName("Only cells with these values.", ScenarioKeys::ref));
        properties.set("figures", list(meaning("figures"), figure));
        ObjectNode defs = root.putObject("$defs");
        SCALARS.values().forEach(key -> defs.set(key.name, described(key)));
        defs.set("rule", rule);
        return root;
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
        String section = "";
        for (Key key : SCALARS.values()) {
            int dot = key.name.indexOf('.');
            String indent = dot < 0 ? "" : "  ";
            if (dot > 0 && !section.equals(key.name.substring(0, dot))) {
                section = key.name.substring(0, dot);
                comment(yaml, "", Objects.requireNonNull(SECTIONS.get(section)));
                yaml.append(section).append(":\n");
            }
            comment(yaml, indent, key.meaning + " Allowed: " + DocumentSchema.allowed(key.schema) + ".");
            yaml.append(indent).append(key.name.substring(dot + 1)).append(": ");
            yaml.append(key.defaultValue.asString()).append("\n\n");
        }
        comment(yaml, "", meaning("sweep"));
        yaml.append(
                "sweep: {}\n# sweep:\n#   load-factor: [0.25, 0.50, 0.65]\n#   scheme: [linear-fixed, linear-variable]\n\n");
        comment(yaml, "", meaning("skip"));
        yaml.append("skip: []\n# skip:\n#   - {associativity: 1, load-factor: [0.95]}\n\n");
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

    private static ObjectNode described(Key key) {
        ObjectNode schema = key.schema.deepCopy();
        schema.put("description", flat(key.meaning));
        if (!key.defaultValue.isNull()) {
            schema.set("default", key.defaultValue);
        }
        return schema;
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

    private static void section(String name, String meaning) {
        SECTIONS.put(name, meaning);
    }

    private static void scalar(String name, JsonNode defaultValue, ObjectNode schema, String meaning) {
        SCALARS.put(name, new Key(name, schema, defaultValue, flat(meaning)));
        String last = name.substring(name.indexOf('.') + 1);
        if (NAMES.put(name, name) != null || (!last.equals(name) && NAMES.put(last, name) != null)) {
            throw new IllegalStateException("two keys end in " + last);
        }
    }

    private static void word(String name, String defaultWord, List<String> words, String meaning) {
        scalar(name, JSON.stringNode(defaultWord), words(words), meaning);
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

    /** Never an option of ssh: those begin with a hyphen. */
    private static ObjectNode host() {
        return text("a host name, or here")
                .put("pattern", "^([A-Za-z0-9_][A-Za-z0-9_.-]*@)?[A-Za-z0-9_:\\[][A-Za-z0-9_.:%\\]-]*$");
    }

    private static ObjectNode whole(long low, long high) {
        return type("integer").put("minimum", low).put("maximum", high);
    }

    private static ObjectNode number4() {
        ObjectNode schema = type("integer");
        schema.putArray("enum").add(4);
        return schema;
    }

    private static ObjectNode open(int low, int high) {
        return type("number").put("exclusiveMinimum", low).put("exclusiveMaximum", high);
    }

    private static ObjectNode closed(double low) {
        return type("number").put("minimum", low).put("maximum", 1);
    }

    private static ObjectNode above(int low) {
        return type("number").put("exclusiveMinimum", low);
    }

    /** Up to a day: longer ones are slips, and nanoseconds would not fit in 64 bits in the end. */
    private static ObjectNode ms(String low) {
        return type("number").put("minimum", new BigDecimal(low)).put("maximum", 86_400_000);
    }

    private static ObjectNode words(List<String> words) {
        ObjectNode schema = type("string");
        ArrayNode list = schema.putArray("enum");
        words.forEach(list::add);
        return schema;
    }

    private static ObjectNode orWord(ObjectNode schema, String word) {
        ObjectNode either = JSON.objectNode();
        either.putArray("anyOf").add(schema).add(words(List.of(word)));
        return either;
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
