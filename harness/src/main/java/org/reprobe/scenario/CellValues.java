package org.reprobe.scenario;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.nessie.Rules;
import org.reprobe.remote.VerbWorkload;
import org.reprobe.table.Storage;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySets;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;

/** The values of one cell by dotted key, each with where it came from. */
final class CellValues {
    private final Map<String, Value> values;

    /**
     * @param pointer where it stands in the file; "" for a default
     */
    record Value(JsonNode node, String pointer) {}

    private CellValues(Map<String, Value> values) {
        this.values = values;
    }

    /** A copy of defaults. */
    static CellValues of(Map<String, Value> base) {
        return new CellValues(new LinkedHashMap<>(base));
    }

    void set(String dotted, JsonNode node, String pointer) {
        values.put(dotted, new Value(node, pointer));
    }

    void forEach(BiConsumer<String, JsonNode> action) {
        values.forEach((key, value) -> action.accept(key, value.node));
    }

    /** A key's dotted name; the name itself for a key of another version. */
    static String dotted(String name) {
        String dotted = ScenarioKeys.dotted(name);
        return dotted == null ? name : dotted;
    }

    /** Whether the cell has, for every key of {@code when}, its value or one of its values. */
    boolean agree(JsonNode when) {
        for (Map.Entry<String, JsonNode> entry : when.properties()) {
            Value own = values.get(dotted(entry.getKey()));
            boolean among = false;
            for (JsonNode wanted : entry.getValue().isArray() ? entry.getValue().values() : List.of(entry.getValue())) {
                among |= own != null && Cell.equalValues(plain(own.node), plain(wanted));
            }
            if (!among) {
                return false;
            }
        }
        return true;
    }

    /** What a cell carries, as a file has it. */
    static JsonNode node(Object plain) {
        JsonNodeFactory json = JsonNodeFactory.instance;
        return switch (plain) {
            case Boolean flag -> json.booleanNode(flag);
            case Long number -> json.numberNode(number);
            case Number number -> json.numberNode(number.doubleValue());
            default -> json.stringNode(plain.toString());
        };
    }

    JsonNode node(String dotted) {
        return Objects.requireNonNull(values.get(dotted), dotted).node;
    }

    String pointer(String dotted) {
        return Objects.requireNonNull(values.get(dotted), dotted).pointer;
    }

    String word(String dotted) {
        return node(dotted).asString();
    }

    double number(String dotted) {
        return node(dotted).asDouble();
    }

    /** A whole number, which a file may write as 1e6 too. */
    long whole(String dotted) {
        JsonNode node = node(dotted);
        return node.isIntegralNumber() ? node.longValue() : (long) node.doubleValue();
    }

    int count(String dotted) {
        return Math.toIntExact(whole(dotted));
    }

    boolean isWord(String dotted) {
        return node(dotted).isString();
    }

    private List<String> words(String dotted) {
        JsonNode node = node(dotted);
        return node.isArray() ? node.valueStream().map(JsonNode::stringValue).toList() : List.of(node.stringValue());
    }

    SchemeName scheme() {
        return SchemeName.ofKey(word("scheme"));
    }

    Distribution keys() {
        return Distribution.valueOf(word("workload.keys").toUpperCase(Locale.ROOT));
    }

    /** How many distinct keys there may be. */
    long keySpace() {
        long most = KeySets.maxKeySpace(keys());
        if (isWord("table.keys-per-record")) {
            return most;
        }
        double keys = Math.ceil(number("table.keys-per-record") * whole("table.records"));
        return Math.clamp((long) keys, 1, most);
    }

    Settings settings() {
        return new Settings(
                word("fabric"),
                word("nic"),
                whole("seed"),
                new Settings.Clients(count("clients.machines"), count("clients.threads")),
                new Settings.Connection(
                        isWord("connection.send-queue") ? 0 : count("connection.send-queue"),
                        count("connection.outstanding-reads"),
                        isWord("connection.represents-send-queue") ? 0 : count("connection.represents-send-queue")),
                new Settings.Load(isWord("load.rate-per-s") ? 0 : number("load.rate-per-s")),
                new Settings.Hosts(word("hosts.server"), words("hosts.clients")),
                new Settings.Table(
                        whole("table.records"),
                        isWord("table.represents-records") ? 0 : whole("table.represents-records"),
                        count("table.record-bytes"),
                        count("table.key-bytes"),
                        Storage.valueOf(word("table.storage").toUpperCase(Locale.ROOT)),
                        count("table.associativity"),
                        count("table.hashes"),
                        count("table.neighbourhood"),
                        keySpace()),
                new Settings.Workload(
                        Settings.Operation.valueOf(word("workload.operation").toUpperCase(Locale.ROOT)),
                        keys(),
                        number("workload.theta"),
                        number("workload.writes")),
                scheme(),
                number("load-factor"),
                isWord("assumed-load-factor")
                        ? OptionalDouble.empty()
                        : OptionalDouble.of(number("assumed-load-factor")),
                count("read-bytes"),
                isWord("read-slots") ? OptionalInt.empty() : OptionalInt.of(count("read-slots")),
                new Settings.Model(
                        new Settings.TailCutoff(isWord("model.tail-cutoff") ? 1 : number("model.tail-cutoff")),
                        word("model.homes").equals("random") ? Settings.Homes.RANDOM : Settings.Homes.EXISTING_KEYS,
                        isWord("model.hint-distance") || !node("clusters.track").booleanValue()
                                ? OptionalInt.empty()
                                : OptionalInt.of(-count("model.hint-distance")),
                        count("model.hint-slots")),
                new Settings.Clusters(node("clusters.track").booleanValue(), count("clusters.count")),
                measure(),
                new Settings.Protocol(
                        Rules.valueOf(word("nessie.rules").toUpperCase(Locale.ROOT)),
                        node("nessie.new-keys").booleanValue(),
                        node("nessie.always-possible").booleanValue(),
                        node("nessie.independent-places").booleanValue(),
                        count("nessie.spare-items"),
                        whole("nessie.back-off-ns"),
                        count("nessie.growth"),
                        count("pilaf.free-items"),
                        isWord("find-or-put.chunk-buckets") ? 0 : count("find-or-put.chunk-buckets"),
                        count("find-or-put.chunks"),
                        isWord("find-or-put.active") ? 0 : count("find-or-put.active"),
                        VerbWorkload.Verb.valueOf(
                                word("verb.kind").toUpperCase(Locale.ROOT).replace('-', '_')),
                        count("verb.bytes")));
    }

    private Settings.Measure measure() {
        double leastMs = word("fabric").equals("sim") ? 0 : number("measure.real-time-ms");
        return new Settings.Measure(
                count("measure.repeats"),
                Math.max(number("measure.warm-up-ms"), leastMs / 5),
                Math.max(number("measure.duration-ms"), leastMs));
    }

    /** A value as cells carry it. */
    static Object plain(JsonNode node) {
        if (node.isBoolean()) {
            return node.booleanValue();
        }
        if (node.isArray()) {
            return node.valueStream().map(JsonNode::stringValue).collect(Collectors.joining("+"));
        }
        if (node.isIntegralNumber() && node.canConvertToLong()) {
            return node.longValue();
        }
        return node.isNumber() ? node.doubleValue() : node.stringValue();
    }
}
