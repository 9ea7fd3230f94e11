package org.reprobe.analysis.nic;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Binder;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reader of NIC profiles, {@code DIR/NAME.yaml}, and of the parts beside them: hosts, links and slots. A file has a
 * {@code title} and, by section, constants of the form {@code message-ns: {value: 11.472, basis: published, source:
 * "..."}}: the keys of {@link NicProfile}. A profile has all that are required. A part has those that it replaces in
 * the profiles it is combined with: {@code connectx6-200g+slot-pcie3-x8}.
 */
public final class NicProfiles {
    private static final String SUFFIX = ".yaml";

    private static final Binder<NicProfile> FILES = Binder.of(NicProfile.class);
    private static final List<String> PART_PREFIXES = List.of("host-", "link-", "slot-");

    /** Profiles by name and texts; one command may load the same profile hundreds of times. */
    private static final Map<List<String>, NicProfile> BOUND = new ConcurrentHashMap<>();

    private NicProfiles() {}

    public static Binder<?> files() {
        return FILES;
    }

    /**
     * Loads a profile, possibly combined with parts. Throws an {@link InvalidInputException} if there is none, with the
     * existing names, or with every problem in the files.
     */
    public static NicProfile load(Path dir, String name) throws InvalidInputException {
        String missing = missing(dir, name);
        if (missing != null) {
            throw new InvalidInputException(dir, missing);
        }
        return read(
                filesOf(name).stream().map(file -> dir.resolve(file + SUFFIX)).toList(), name);
    }

    /** Returns the names of the files of a combined name: the profile, then its parts. */
    public static List<String> filesOf(String name) {
        return List.of(name.split("\\+", -1));
    }

    /** Returns true for the name of a host, link or slot, which is no profile of its own. */
    public static boolean isPart(String file) {
        return PART_PREFIXES.stream().anyMatch(file::startsWith);
    }

    /** Reads a profile from a file; throws an {@link InvalidInputException} with every problem in it. */
    public static NicProfile read(Path file, String name) throws InvalidInputException {
        return read(List.of(file), name);
    }

    private static NicProfile read(List<Path> files, String name) throws InvalidInputException {
        List<String> key = new ArrayList<>(List.of(name));
        for (Path file : files) {
            key.add(Document.text(file));
        }
        NicProfile bound = BOUND.get(key);
        if (bound != null) {
            return bound;
        }
        List<Document> documents = new ArrayList<>();
        for (int i = 0; i < files.size(); i++) {
            documents.add(Document.parse(files.get(i).toString(), key.get(i + 1)));
        }
        Document whole = combined(documents);
        bound = FILES.read(
                whole, Map.of("name", JsonNodeFactory.instance.stringNode(name), "provenance", provenance(whole)));
        List<Problem> problems = intervals(whole);
        NicProfile.Contention room = bound.contention();
        if (room.ways() > 0 && room.queuePairs() % room.ways() != 0) {
            problems.add(whole.problem(
                    "/contention/queue-pairs/value",
                    "a cache of %d queue pairs cannot have sets of %d (contention.ways); use a multiple of %d"
                            .formatted(room.queuePairs(), room.ways(), room.ways())));
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        BOUND.put(List.copyOf(key), bound);
        return bound;
    }

    /** Returns a profile with the constants of parts, which end its title. */
    private static Document combined(List<Document> documents) throws InvalidInputException {
        Document whole = documents.getFirst();
        for (Document part : documents.subList(1, documents.size())) {
            JsonNode title = part.root().path("title");
            if (!title.isString()) {
                throw new InvalidInputException(List.of(part.problem("", "key \"title\" is missing")));
            }
            String all = whole.root().path("title").asString() + ", " + title.stringValue();
            whole = part.over(whole).with("/title", JsonNodeFactory.instance.stringNode(all), part.name());
        }
        return whole;
    }

    /** Returns basis, source and interval of each constant by dotted key. */
    private static ObjectNode provenance(Document document) {
        ObjectNode provenance = JsonNodeFactory.instance.objectNode();
        document.root()
                .forEachEntry((section, constants) -> constants.forEachEntry((constant, entry) -> {
                    ObjectNode known = provenance.putObject(section + "." + constant);
                    known.set("basis", entry.path("basis"));
                    known.set("source", entry.path("source"));
                    JsonNode interval = entry.path("interval");
                    known.set("interval", interval.isArray() ? interval : JsonNodeFactory.instance.arrayNode());
                }));
        return provenance;
    }

    private static List<Problem> intervals(Document document) {
        List<Problem> problems = new ArrayList<>();
        document.root()
                .forEachEntry((section, constants) -> constants.forEachEntry((constant, entry) -> {
                    JsonNode interval = entry.path("interval");
                    if (interval.isArray() && !contains(interval, entry.path("value"))) {
                        problems.add(document.problem(
                                "/" + section + "/" + constant + "/interval",
                                "interval must be [low, high] with value between them"));
                    }
                }));
        return problems;
    }

    private static boolean contains(JsonNode interval, JsonNode value) {
        return interval.size() == 2
                && interval.get(0).asDouble() <= value.asDouble()
                && value.asDouble() <= interval.get(1).asDouble();
    }

    /** Returns the sorted names of the profiles in a folder; none if it is not a folder. */
    public static List<String> names(Path dir) throws InvalidInputException {
        return files(dir).stream().filter(file -> !isPart(file)).toList();
    }

    private static List<String> files(Path dir) throws InvalidInputException {
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
            throw new InvalidInputException(dir, "can't be read: " + failed.getMessage());
        }
    }

    /** Returns the message that refuses a name; null if all of its files exist. */
    public static @Nullable String missing(Path dir, String name) throws InvalidInputException {
        List<String> files = filesOf(name);
        List<String> names = names(dir);
        if (!names.contains(files.getFirst())) {
            return missing(files.getFirst(), names);
        }
        List<String> parts = files(dir).stream().filter(NicProfiles::isPart).toList();
        for (String part : files.subList(1, files.size())) {
            if (!parts.contains(part)) {
                return "there is no host, link or slot \"" + part + "\" for a NIC profile; there "
                        + (parts.isEmpty() ? "is none at all" : "are " + String.join(", ", parts))
                        + Spelling.hint(part, parts);
            }
        }
        return null;
    }

    private static String missing(String name, List<String> names) {
        String hint = hint(name, names);
        return "there is no NIC profile \"" + name + "\"; there "
                + switch (names.size()) {
                    case 0 -> "is none at all";
                    case 1 -> "is only " + names.getFirst();
                    default -> "are " + String.join(", ", names);
                }
                + hint;
    }

    /** Returns a suggestion, also for the usual short names: {@code cx6} for ConnectX-6. */
    private static String hint(String name, List<String> names) {
        String full = name.toLowerCase(Locale.ROOT)
                .replaceFirst("^(cx|connectx-)(?=[0-9])", "connectx")
                .replaceFirst("^bf-?(?=[0-9])", "bluefield");
        List<String> longer = names.stream()
                .filter(each -> each.equals(full) || each.startsWith(full + "-"))
                .toList();
        return longer.isEmpty()
                ? Spelling.hint(full, names)
                : "; did you mean \"" + String.join("\" or \"", longer) + "\"?";
    }

    /** Returns a profile's constants that are single numbers, by dotted key: {@code responder.message-ns}. */
    public static Map<String, Double> constants(NicProfile nic) {
        Map<String, Double> constants = new LinkedHashMap<>();
        eachConstant(nic, (key, _, value) -> constants.put(key, value));
        return constants;
    }

    /** Receiver of a profile's constants that are single numbers. */
    interface ConstantVisitor {
        void visit(String key, RecordComponent constant, double value);
    }

    static void eachConstant(NicProfile nic, ConstantVisitor visitor) {
        for (RecordComponent component : NicProfile.class.getRecordComponents()) {
            if (value(component, nic) instanceof Record section) {
                for (RecordComponent constant : section.getClass().getRecordComponents()) {
                    if (value(constant, section) instanceof Number number) {
                        visitor.visit(key(component, constant), constant, number.doubleValue());
                    }
                }
            }
        }
    }

    private static String key(RecordComponent section, RecordComponent constant) {
        return KeyedRecord.kebab(section.getName()) + "." + KeyedRecord.kebab(constant.getName());
    }

    /** Returns a profile with other values of some constants; those of whole numbers are rounded. */
    public static NicProfile with(NicProfile nic, Map<String, Double> constants) {
        RecordComponent[] components = NicProfile.class.getRecordComponents();
        Object[] parts = new Object[components.length];
        for (int i = 0; i < components.length; i++) {
            parts[i] = value(components[i], nic);
            if (parts[i] instanceof Record section) {
                RecordComponent[] inSection = section.getClass().getRecordComponents();
                Object[] values = new Object[inSection.length];
                for (int j = 0; j < inSection.length; j++) {
                    Double other = constants.get(key(components[i], inSection[j]));
                    values[j] = other == null ? value(inSection[j], section) : number(inSection[j].getType(), other);
                }
                parts[i] = record(section.getClass(), inSection, values);
            }
        }
        return record(NicProfile.class, components, parts);
    }

    private static Number number(Class<?> type, double value) {
        if (type == int.class) {
            return (int) Math.round(value);
        }
        return type == long.class ? (Number) Math.round(value) : (Number) value;
    }

    private static <R> R record(Class<R> type, RecordComponent[] components, Object[] values) {
        try {
            return type.getDeclaredConstructor(Arrays.stream(components)
                            .map(RecordComponent::getType)
                            .toArray(Class[]::new))
                    .newInstance(values);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e); // the canonical constructors are public and throw nothing
        }
    }

    /** Returns a profile's constants that are lists of numbers, by dotted key. */
    public static Map<String, List<Double>> lists(NicProfile nic) {
        Map<String, List<Double>> lists = new LinkedHashMap<>();
        for (RecordComponent component : NicProfile.class.getRecordComponents()) {
            if (value(component, nic) instanceof Record section) {
                for (RecordComponent constant : section.getClass().getRecordComponents()) {
                    String key = key(component, constant);
                    if (value(constant, section) instanceof List<?> values
                            && nic.provenance().containsKey(key)) {
                        lists.put(
                                key,
                                values.stream()
                                        .map(number -> ((Number) number).doubleValue())
                                        .toList());
                    }
                }
            }
        }
        return lists;
    }

    private static Object value(RecordComponent component, Record of) {
        try {
            return component.getAccessor().invoke(of);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e); // accessors of public records can be called and throw nothing
        }
    }
}
