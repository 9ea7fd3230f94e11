package org.reprobe.analysis.nic;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.DocumentSchema;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.nic.NicProfile.Basis;
import org.reprobe.analysis.nic.NicProfile.Provenance;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads NIC profiles: {@code DIR/NAME.yaml}. A file has a {@code title} and, by section, constants of the form {@code
 * message-ns: {value: 11.472, basis: published, source: "..."}}; every constant of {@link NicProfile} must be there, but
 * for {@code client.payload-ns-per-byte}, {@code limits.atomics} and the sections {@code contention}, {@code
 * transactions}, {@code cluster} and {@code set-up}, which are there whole or not at all.
 */
public final class NicProfiles {
    private static final String SUFFIX = ".yaml";

    /**
     * What a constant may be. Times may be zero, to switch a stage off; prices of all operations, counts and rates may not. No
     * card takes a second for anything, and sums of longer times would not fit in 64 bits.
     */
    private enum Range {
        TIME("number", "minimum", 0, 1_000_000_000),
        PRICE("number", "exclusiveMinimum", 0, 1_000_000_000),
        RATE("number", "minimum", 1, 1e15),
        FACTOR("number", "minimum", 1, 10),
        COUNT("integer", "minimum", 1, Integer.MAX_VALUE),
        BYTES("integer", "minimum", 0, Integer.MAX_VALUE),
        LONG_BYTES("integer", "minimum", 1, Long.MAX_VALUE),
        FLAG("integer", "minimum", 0, 1);

        private final String type;
        private final String bound;
        private final int low;
        private final double high;

        Range(String type, String bound, int low, double high) {
            this.type = type;
            this.bound = bound;
            this.low = low;
            this.high = high;
        }

        ObjectNode schema() {
            ObjectNode schema = JsonNodeFactory.instance.objectNode();
            schema.put("type", type).put(bound, low);
            schema.put("maximum", (long) high);
            return schema;
        }
    }

    private static final String CONTENTION = "contention";
    private static final String TRANSACTIONS = "transactions";
    private static final String CLUSTER = "cluster";
    private static final String SET_UP = "set-up";

    /** The constants by section; their order is that of {@link NicProfile}'s components. */
    private static final Map<String, Map<String, Range>> SECTIONS = new LinkedHashMap<>();

    static {
        section("responder")
                .with("message-ns", Range.PRICE)
                .with("random-access-ns", Range.TIME)
                .with("payload-ns-per-byte", Range.TIME)
                .with("sequential-streams", Range.BYTES)
                .with("atomic-ns", Range.TIME)
                .with("atomic-same-address-ns", Range.TIME);
        section("link")
                .with("bytes-per-second", Range.RATE)
                .with("mtu-bytes", Range.COUNT)
                .with("request-header-bytes", Range.BYTES)
                .with("response-header-bytes", Range.BYTES);
        section("requester")
                .with("round-trip-ns", Range.TIME)
                .with("host-ns", Range.TIME)
                .with("work-request-fetch-ns", Range.TIME)
                .with("work-request-prefetch", Range.COUNT)
                .with("message-ns", Range.TIME)
                .with("jitter", Range.FACTOR);
        section("limits")
                .with("send-queue", Range.COUNT)
                .with("outstanding-reads", Range.COUNT)
                .with("queue-pairs", Range.COUNT)
                .with("message-bytes", Range.LONG_BYTES)
                .with("atomics", Range.FLAG);
        section("client")
                .with("lookup-ns", Range.TIME)
                .with("post-ns", Range.TIME)
                .with("payload-ns-per-byte", Range.TIME)
                .with("doorbell-ns", Range.TIME)
                .with("completion-ns", Range.TIME)
                .with("slot-ns", Range.TIME);
        section("model")
                .with("fixed-cost-ns", Range.TIME)
                .with("peak-messages-per-second", Range.RATE)
                .with("header-bytes", Range.COUNT);
        section(CONTENTION)
                .with("queue-pairs", Range.BYTES)
                .with("queue-pair-miss-ns", Range.TIME)
                .with("translations", Range.BYTES)
                .with("page-bytes", Range.LONG_BYTES)
                .with("translation-miss-ns", Range.TIME)
                .with("outstanding", Range.BYTES);
        section(TRANSACTIONS)
                .with("words", Range.COUNT)
                .with("word-ns", Range.TIME)
                .with("commit-ns", Range.TIME);
        section(CLUSTER)
                .with("switch-machines", Range.BYTES)
                .with("further-switches-ns", Range.TIME)
                .with("others-ns-per-rate", Range.TIME)
                .with("memory-ns-per-line", Range.TIME);
        section(SET_UP)
                .with("register-ns", Range.TIME)
                .with("register-ns-per-byte", Range.TIME)
                .with("deregister-ns", Range.TIME)
                .with("deregister-ns-per-byte", Range.TIME)
                .with("connect-ns", Range.TIME);
    }

    /** What a file may leave out. */
    private static final Set<String> OPTIONAL =
            Set.of(CONTENTION, TRANSACTIONS, CLUSTER, SET_UP, "limits.atomics", "client.payload-ns-per-byte");

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

    private static NicProfile bind(String name, JsonNode root) {
        Map<String, Provenance> provenance = new LinkedHashMap<>();
        SECTIONS.forEach((section, constants) -> constants.keySet().forEach(constant -> {
            JsonNode entry = root.path(section).path(constant);
            if (entry.isMissingNode()) {
                return;
            }
            provenance.put(
                    section + "." + constant,
                    new Provenance(
                            Basis.valueOf(entry.get("basis").stringValue().toUpperCase(Locale.ROOT)),
                            entry.get("source").stringValue()));
        }));
        Section responder = new Section(root.get("responder"));
        Section link = new Section(root.get("link"));
        Section requester = new Section(root.get("requester"));
        Section limits = new Section(root.get("limits"));
        Section client = new Section(root.get("client"));
        Section model = new Section(root.get("model"));
        NicProfile.Contention contention = NicProfile.Contention.NONE;
        if (root.has(CONTENTION)) {
            Section limited = new Section(root.get(CONTENTION));
            contention = new NicProfile.Contention(
                    limited.count("queue-pairs"),
                    limited.number("queue-pair-miss-ns"),
                    limited.count("translations"),
                    limited.longCount("page-bytes"),
                    limited.number("translation-miss-ns"),
                    limited.count("outstanding"));
        }
        NicProfile.Transactions transactions = NicProfile.Transactions.NONE;
        if (root.has(TRANSACTIONS)) {
            Section section = new Section(root.get(TRANSACTIONS));
            transactions = new NicProfile.Transactions(
                    section.count("words"), section.number("word-ns"), section.number("commit-ns"));
        }
        NicProfile.Cluster cluster = NicProfile.Cluster.NONE;
        if (root.has(CLUSTER)) {
            Section shared = new Section(root.get(CLUSTER));
            cluster = new NicProfile.Cluster(
                    shared.count("switch-machines"),
                    shared.number("further-switches-ns"),
                    shared.number("others-ns-per-rate"),
                    shared.number("memory-ns-per-line"));
        }
        NicProfile.SetUp setUp = NicProfile.SetUp.NONE;
        if (root.has(SET_UP)) {
            Section system = new Section(root.get(SET_UP));
            setUp = new NicProfile.SetUp(
                    system.number("register-ns"),
                    system.number("register-ns-per-byte"),
                    system.number("deregister-ns"),
                    system.number("deregister-ns-per-byte"),
                    system.number("connect-ns"));
        }
        return new NicProfile(
                name,
                root.get("title").stringValue(),
                new NicProfile.Responder(
                        responder.number("message-ns"),
                        responder.number("random-access-ns"),
                        responder.number("payload-ns-per-byte"),
                        responder.count("sequential-streams"),
                        responder.number("atomic-ns"),
                        responder.number("atomic-same-address-ns")),
                new NicProfile.Link(
                        link.number("bytes-per-second"),
                        link.count("mtu-bytes"),
                        link.count("request-header-bytes"),
                        link.count("response-header-bytes")),
                new NicProfile.Requester(
                        requester.number("round-trip-ns"),
                        requester.number("host-ns"),
                        requester.number("work-request-fetch-ns"),
                        requester.count("work-request-prefetch"),
                        requester.number("message-ns"),
                        requester.number("jitter")),
                new NicProfile.Limits(
                        limits.count("send-queue"),
                        limits.count("outstanding-reads"),
                        limits.count("queue-pairs"),
                        limits.longCount("message-bytes"),
                        limits.node().has("atomics") ? limits.count("atomics") : 1),
                new NicProfile.Client(
                        client.number("lookup-ns"),
                        client.number("post-ns"),
                        client.node().has("payload-ns-per-byte") ? client.number("payload-ns-per-byte") : 0,
                        client.number("doorbell-ns"),
                        client.number("completion-ns"),
                        client.number("slot-ns")),
                new NicProfile.Model(
                        model.number("fixed-cost-ns"),
                        model.number("peak-messages-per-second"),
                        model.count("header-bytes")),
                contention,
                transactions,
                cluster,
                setUp,
                provenance);
    }

    private record Section(JsonNode node) {
        double number(String key) {
            return node.get(key).get("value").asDouble();
        }

        int count(String key) {
            return (int) longCount(key);
        }

        long longCount(String key) {
            return (long) node.get(key).get("value").asDouble();
        }
    }

    private static JsonNode schema() {
        JsonNodeFactory json = JsonNodeFactory.instance;
        ObjectNode root = json.objectNode();
        root.put("type", "object");
        ObjectNode properties = root.putObject("properties");
        properties.putObject("title").put("type", "string");
        List<String> required = new ArrayList<>(List.of("title"));
        SECTIONS.forEach((name, constants) -> {
            if (!OPTIONAL.contains(name)) {
                required.add(name);
            }
            ObjectNode section = properties.putObject(name);
            section.put("type", "object");
            ObjectNode members = section.putObject("properties");
            constants.forEach((constant, range) -> {
                ObjectNode entry = members.putObject(constant);
                entry.put("type", "object");
                ObjectNode parts = entry.putObject("properties");
                parts.set("value", range.schema());
                ArrayNode words = parts.putObject("basis").put("type", "string").putArray("enum");
                for (Basis basis : Basis.values()) {
                    words.add(basis.name().toLowerCase(Locale.ROOT));
                }
                parts.putObject("source")
                        .put("type", "string")
                        .put("minLength", 1)
                        .put("x-allowed", "a source in words");
                close(entry, List.of("value", "basis", "source"));
            });
            close(
                    section,
                    constants.keySet().stream()
                            .filter(constant -> !OPTIONAL.contains(name + "." + constant))
                            .toList());
        });
        close(root, required);
        return root;
    }

    private static void close(ObjectNode mapping, List<String> required) {
        mapping.put("additionalProperties", false);
        ArrayNode names = mapping.putArray("required");
        required.forEach(names::add);
    }

    private static Constants section(String name) {
        return new Constants(SECTIONS.computeIfAbsent(name, ignored -> new LinkedHashMap<>()));
    }

    private record Constants(Map<String, Range> ranges) {
        Constants with(String name, Range range) {
            ranges.put(name, range);
            return this;
        }
    }
}
