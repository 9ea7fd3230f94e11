package org.reprobe.analysis.plan;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.DocumentSchema;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reads what is asked of a plan from a file, options or both: an option {@code --KEY VALUE} for every key. */
public final class PlanReader {
    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final Map<String, Key> KEYS = new LinkedHashMap<>();
    private static final List<String> REQUIRED =
            List.of("records", "value-bytes", "lookups-per-second", "memory-per-server-gib");

    /**
     * A key of the file.
     *
     * @param allowed as a JSON Schema
     * @param meaning with its unit and default, in one sentence
     */
    public record Key(String name, ObjectNode allowed, String meaning) {
        /** What it may be, in words. */
        public String allowedWords() {
            return DocumentSchema.allowed(allowed);
        }
    }

    static {
        key("records", number("integer", 1, 1e15), "Records in all.");
        key("key-bytes", number("integer", 1, 65536), "Bytes of a key; 8 unless given.");
        key("value-bytes", sizes(), "Bytes of a value, or a list of sizes and their shares.");
        key("lookups-per-second", above(1e15), "Operations a second now, in the mean.");
        key("peak-lookups-per-second", above(1e15), "Operations a second at the peak; the mean unless given.");
        key("skew", number("number", 0, 2), "Zipf exponent by which records are asked for; 0, evenly, unless given.");
        key(
                "reads",
                share(),
                "Share of operations that only read; the others write the record, one-sided; 1 unless given.");
        key("percentile", number("number", 50, 99.99), "Percentile of latency that has a limit; 99 unless given.");
        key("latency-limit-us", above(1e9), "Limit of that percentile at the peak, in us; none unless given.");
        key("memory-per-server-gib", above(1e9), "Memory of a server for table and heap, in GiB.");
        key("servers-that-may-fail", number("integer", 0, 1000), "Servers that may fail at the peak; 0 unless given.");
        key(
                "copies",
                number("integer", 1, 1000),
                "Servers that hold each record; one more than may fail unless given.");
        key("growth-percent-per-year", number("number", 0, 10000), "Growth of records and operations; 0 unless given.");
        key("price-per-server", above(1e12), "What a server costs, in any currency; counts servers unless given.");
        key("nics", words(), "NIC profiles to choose from; connectx5-edr unless given.");
        key(
                "schemes",
                listOf(choice(
                        Arrays.stream(PlanScheme.values()).map(PlanScheme::key).toList())),
                "Schemes to choose from; all unless given.");
        key("client-machines", number("integer", 1, 10000), "Client machines; 4 unless given.");
        key("client-threads", number("integer", 1, 65536), "Client threads of each machine; 28 unless given.");
        key("send-queue", number("integer", 1, 1 << 20), "Work requests of a queue pair; 128 unless given.");
        key("outstanding-reads", number("integer", 1, 65536), "READs in flight on a queue pair; 16 unless given.");
        key("most-utilisation", share(), "To which share anything may be used at the peak; 0.8 unless given.");
        key("most-servers", number("integer", 1, 100000), "The most servers to think of; 1024 unless given.");
    }

    private PlanReader() {}

    /** All keys, in the order of the reference. */
    public static List<Key> keys() {
        return List.copyOf(KEYS.values());
    }

    /**
     * Reads a plan's demands.
     *
     * @param file may be null when options say everything
     * @param options by key, each value as YAML
     * @param nics the folder of NIC profiles
     * @throws InvalidInputException with everything that is wrong
     */
    public static PlanInput read(@Nullable Path file, Map<String, String> options, Path nics)
            throws InvalidInputException {
        Document document = file == null ? Document.parse("plan", "{}") : Document.read(file);
        List<Problem> problems = new ArrayList<>();
        for (Map.Entry<String, String> option : options.entrySet()) {
            String origin = "--" + option.getKey();
            try {
                String text = option.getValue();
                boolean list =
                        (option.getKey().equals("nics") || option.getKey().equals("schemes")) && !text.startsWith("[");
                JsonNode value = Document.value(origin, list ? "[" + text + "]" : text);
                document = document.with("/" + option.getKey(), value, origin);
            } catch (InvalidInputException damaged) {
                problems.addAll(damaged.problems());
            }
        }
        // Options that stand for a key left out of the file make up for it, so the schema sees both together.
        for (DocumentSchema.Violation violation : new DocumentSchema(schema()).violations(document)) {
            problems.add(violation.problem());
        }
        List<NicProfile> profiles = profiles(document, nics, problems);
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        PlanInput input = bind(document.root(), profiles);
        together(document, input, problems);
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return input;
    }

    private static List<NicProfile> profiles(Document document, Path nics, List<Problem> problems)
            throws InvalidInputException {
        List<NicProfile> profiles = new ArrayList<>();
        List<String> known = NicProfiles.names(nics);
        JsonNode names = document.root().path("nics");
        if (names.isMissingNode()) {
            profiles.add(NicProfiles.load(nics, "connectx5-edr"));
        }
        int at = 0;
        for (JsonNode name : names.isArray() ? names : JSON.arrayNode()) {
            String pointer = "/nics/" + at++;
            if (!name.isString() || name.asString().isEmpty()) {
                continue; // the schema has complained
            }
            if (!known.contains(name.asString())) {
                problems.add(document.problem(pointer, NicProfiles.missing(name.asString(), known)));
                continue;
            }
            try {
                profiles.add(NicProfiles.load(nics, name.asString()));
            } catch (InvalidInputException damaged) {
                problems.addAll(damaged.problems());
            }
        }
        return profiles;
    }

    /** What no single key shows. */
    private static void together(Document document, PlanInput input, List<Problem> problems) {
        if (input.peakPerSecond() < input.lookupsPerSecond()) {
            problems.add(document.problem(
                    "/peak-lookups-per-second",
                    "peak-lookups-per-second is %.0f, less than lookups-per-second, %.0f: a peak is no less than the mean"
                            .formatted(input.peakPerSecond(), input.lookupsPerSecond())));
        }
        if (input.failures() >= input.mostServers()) {
            problems.add(document.problem(
                    "/servers-that-may-fail",
                    "servers-that-may-fail is %d, but most-servers is %d: none would be left"
                            .formatted(input.failures(), input.mostServers())));
        }
        for (NicProfile nic : input.nics()) {
            NicProfile.Limits limits = nic.limits();
            if (input.allThreads() > limits.queuePairs()) {
                problems.add(document.problem(
                        "/client-threads",
                        "%d client threads need as many queue pairs on every server, but %s allows at most %d"
                                .formatted(input.allThreads(), nic.name(), limits.queuePairs())));
            }
        }
        JsonNode sizes = document.root().get("value-bytes");
        if (sizes.isArray()) {
            double sum = 0;
            for (JsonNode size : sizes) {
                sum += size.get("share").asDouble();
            }
            if (Math.abs(sum - 1) > 1e-6) {
                problems.add(document.problem(
                        "/value-bytes", "the shares of value-bytes add up to %s, but must add up to 1".formatted(sum)));
            }
        }
    }

    private static PlanInput bind(JsonNode root, List<NicProfile> nics) {
        double keyBytes = number(root, "key-bytes", 8);
        double largest = 0;
        double mean = 0;
        JsonNode sizes = root.get("value-bytes");
        if (sizes.isArray()) {
            for (JsonNode size : sizes) {
                largest = Math.max(largest, size.get("bytes").asDouble());
                mean += size.get("bytes").asDouble() * size.get("share").asDouble();
            }
        } else {
            largest = sizes.asDouble();
            mean = largest;
        }
        double failures = number(root, "servers-that-may-fail", 0);
        double lookups = number(root, "lookups-per-second", 0);
        List<PlanScheme> schemes = new ArrayList<>();
        for (JsonNode name : root.path("schemes")) {
            for (PlanScheme scheme : PlanScheme.values()) {
                if (scheme.key().equals(name.asString())) {
                    schemes.add(scheme);
                }
            }
        }
        return new PlanInput(
                (long) number(root, "records", 0),
                (int) (keyBytes + largest),
                keyBytes + mean,
                lookups,
                number(root, "peak-lookups-per-second", lookups),
                number(root, "skew", 0),
                number(root, "reads", 1),
                number(root, "percentile", 99) / 100,
                optional(root, "latency-limit-us", 1000),
                number(root, "memory-per-server-gib", 0) * 0x1p30,
                (int) failures,
                (int) number(root, "copies", failures + 1),
                number(root, "growth-percent-per-year", 0) / 100,
                optional(root, "price-per-server", 1),
                nics,
                schemes.isEmpty() ? List.of(PlanScheme.values()) : schemes,
                (int) number(root, "client-machines", 4),
                (int) number(root, "client-threads", 28),
                (int) number(root, "send-queue", 128),
                (int) number(root, "outstanding-reads", 16),
                number(root, "most-utilisation", 0.8),
                (int) number(root, "most-servers", 1024));
    }

    private static double number(JsonNode root, String key, double otherwise) {
        return root.has(key) ? root.get(key).asDouble() : otherwise;
    }

    private static OptionalDouble optional(JsonNode root, String key, double factor) {
        return root.has(key) ? OptionalDouble.of(root.get(key).asDouble() * factor) : OptionalDouble.empty();
    }

    private static ObjectNode schema() {
        ObjectNode root = JSON.objectNode().put("type", "object").put("additionalProperties", false);
        ObjectNode properties = root.putObject("properties");
        properties.putObject("title").put("type", "string");
        KEYS.values().forEach(key -> properties.set(key.name, key.allowed));
        ArrayNode required = root.putArray("required");
        REQUIRED.forEach(required::add);
        return root;
    }

    private static void key(String name, ObjectNode allowed, String meaning) {
        KEYS.put(name, new Key(name, allowed, meaning));
    }

    private static ObjectNode number(String type, double low, double high) {
        ObjectNode schema = JSON.objectNode().put("type", type);
        return type.equals("integer") || (low == Math.rint(low) && high == Math.rint(high))
                ? schema.put("minimum", (long) low).put("maximum", (long) high)
                : schema.put("minimum", low).put("maximum", high);
    }

    private static ObjectNode above(double high) {
        return JSON.objectNode()
                .put("type", "number")
                .put("exclusiveMinimum", 0)
                .put("maximum", high);
    }

    private static ObjectNode share() {
        return JSON.objectNode()
                .put("type", "number")
                .put("exclusiveMinimum", 0)
                .put("maximum", 1);
    }

    private static ObjectNode choice(List<String> words) {
        ObjectNode schema = JSON.objectNode().put("type", "string");
        ArrayNode list = schema.putArray("enum");
        words.forEach(list::add);
        return schema;
    }

    private static ObjectNode listOf(ObjectNode item) {
        ObjectNode list =
                JSON.objectNode().put("type", "array").put("minItems", 1).put("uniqueItems", true);
        list.set("items", item);
        return list;
    }

    private static ObjectNode words() {
        return listOf(
                JSON.objectNode().put("type", "string").put("minLength", 1).put("x-allowed", "a name"));
    }

    private static ObjectNode sizes() {
        ObjectNode one = JSON.objectNode().put("type", "object").put("additionalProperties", false);
        ObjectNode parts = one.putObject("properties");
        parts.set("bytes", number("integer", 0, 1 << 20));
        parts.set("share", share());
        one.putArray("required").add("bytes").add("share");
        ObjectNode list = JSON.objectNode().put("type", "array").put("minItems", 1);
        list.set("items", one);
        ObjectNode either =
                JSON.objectNode().put("x-allowed", "a whole number from 0 to 1048576, or a list of {bytes, share}");
        either.putArray("anyOf").add(number("integer", 0, 1 << 20)).add(list);
        return either;
    }
}
