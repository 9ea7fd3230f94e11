package org.reprobe.analysis.document;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPInputStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonPointer;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * YAML or JSON file (YAML 1.2 contains JSON) as a tree with the place of every key and value for error messages. Places
 * are found by JSON pointer (RFC 6901): {@code /table/records}, {@code /sweep/scheme/0}, "" for the top. Immutable but
 * for the tree, which callers must not modify; {@link #with} returns a modified copy.
 */
public final class Document {
    /** Limit for settings; larger files are refused before they are read. */
    static final long MAX_BYTES = 16L << 20;

    private final String name;
    private final JsonNode root;
    private final Place whole;
    private final Map<String, Place> keys;
    private final Map<String, Place> values;

    /** Place of a node. The source is as the user named it; lines and columns count from 1, line 0 is no file's. */
    record Place(
            String source, int line, int column, @Nullable String excerpt) {
        Problem problem(String message) {
            return new Problem(source, line, column, message, excerpt);
        }
    }

    Document(String name, JsonNode root, Map<String, Place> keys, Map<String, Place> values) {
        this(name, root, new Place(name, 0, 0, null), keys, values);
    }

    private Document(String name, JsonNode root, Place whole, Map<String, Place> keys, Map<String, Place> values) {
        this.name = name;
        this.root = root;
        this.whole = whole;
        this.keys = keys;
        this.values = values;
    }

    /**
     * Reads a file whose top is a mapping. Throws all problems: unreadable, not text, damaged, empty or no mapping, a
     * key twice.
     */
    public static Document read(Path file) throws InvalidInputException {
        return parse(file.toString(), text(file));
    }

    /** Reads a file without parsing it; throws an {@link InvalidInputException} if it is unreadable or not text. */
    public static String text(Path file) throws InvalidInputException {
        return text(file, MAX_BYTES, "a file of settings");
    }

    /** Reads a file of a kind such as "a file of results" without parsing it, gzip or not; a longer one is refused. */
    public static String text(Path file, long maxBytes, String kind) throws InvalidInputException {
        String name = file.toString();
        byte[] bytes;
        try {
            if (!Files.exists(file)) {
                throw new InvalidInputException(name, "there is no such file");
            }
            if (Files.isDirectory(file)) {
                throw new InvalidInputException(name, "is a folder, not a file");
            }
            if (Files.size(file) > maxBytes) {
                throw new InvalidInputException(
                        name,
                        "is %d MB long; %s may have at most %d MB"
                                .formatted(Files.size(file) >> 20, kind, maxBytes >> 20));
            }
            bytes = Files.readAllBytes(file);
            if (bytes.length > 2 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b) {
                bytes = new GZIPInputStream(new ByteArrayInputStream(bytes)).readNBytes((int) maxBytes + 1);
                if (bytes.length > maxBytes) {
                    throw new InvalidInputException(
                            name,
                            "is too long without its compression; %s may have at most %d MB"
                                    .formatted(kind, maxBytes >> 20));
                }
            }
        } catch (AccessDeniedException denied) {
            throw new InvalidInputException(name, "may not be read: permission denied");
        } catch (IOException failed) {
            throw new InvalidInputException(name, "can't be read: " + failed.getMessage());
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException notText) {
            throw new InvalidInputException(name, "is not a text file in UTF-8");
        }
    }

    /** Parses text as the content of file {@code name}, with the exceptions of {@link #read}. */
    public static Document parse(String name, String text) throws InvalidInputException {
        return new YamlTree(name, text).document();
    }

    /** Returns a line, from 1, of a file with one object per line; all problems point at the line's beginning. */
    public static Document line(String name, int number, String text, JsonNode root) {
        String excerpt = text.length() > 80 ? text.substring(0, 80) + "..." : text;
        return new Document(name, bounded(root), new Place(name, number, 1, excerpt), Map.of(), Map.of());
    }

    /** Returns a tree with integers of any size, as in YAML: as doubles, they would violate schemas of integers. */
    private static JsonNode bounded(JsonNode node) {
        if (node instanceof ObjectNode object) {
            object.properties().forEach(member -> member.setValue(bounded(member.getValue())));
        } else if (node instanceof ArrayNode list) {
            for (int i = 0; i < list.size(); i++) {
                list.set(i, bounded(list.get(i)));
            }
        } else if (node.isDouble() && Math.abs(node.doubleValue()) >= 0x1p63) {
            double number = node.doubleValue();
            return Double.isFinite(number)
                    ? JsonNodeFactory.instance.numberNode(new BigDecimal(number).toBigInteger())
                    : JsonNodeFactory.instance.stringNode(node.asString());
        }
        return node;
    }

    /** Parses an option's value, {@code 5} or {@code [0.5, 0.8]}; problems name {@code origin}, the option's text. */
    public static JsonNode value(String origin, String text) throws InvalidInputException {
        return value(origin, "", text);
    }

    /** Parses a key's value from an option; {@link Parameter}s are recognized by the key's full name. */
    public static JsonNode value(String origin, String key, String text) throws InvalidInputException {
        return new YamlTree(origin, text).value(key);
    }

    public String name() {
        return name;
    }

    public JsonNode root() {
        return root;
    }

    /** Creates a problem with the value at a pointer, or at the nearest enclosing node if there is none. */
    public Problem problem(String pointer, String message) {
        for (String at = pointer; !at.isEmpty(); at = parent(at)) {
            Place place = values.get(at);
            if (place != null) {
                return place.problem(message);
            }
        }
        return whole.problem(message);
    }

    /** Creates a problem with the key at a pointer; with the value if there is no key, as in lists. */
    public Problem keyProblem(String pointer, String message) {
        Place place = keys.get(pointer);
        return place == null ? problem(pointer, message) : place.problem(message);
    }

    /**
     * Returns a copy with another value at a pointer; missing mappings on the way are created. Problems at or below it
     * name {@code origin}. Throws an {@link IllegalArgumentException} if a node on the way is neither mapping nor list,
     * or a list has no such index.
     */
    public Document with(String pointer, JsonNode value, String origin) {
        ObjectNode copy = (ObjectNode) root.deepCopy();
        Map<String, Place> newKeys = new HashMap<>(keys);
        Map<String, Place> newValues = new HashMap<>(values);
        newKeys.keySet().removeIf(at -> within(at, pointer));
        newValues.keySet().removeIf(at -> within(at, pointer));
        Place place = new Place(origin, 0, 0, null);
        newKeys.put(pointer, place);
        newValues.put(pointer, place);
        JsonNode holder = copy;
        JsonPointer rest = JsonPointer.compile(pointer);
        for (; !rest.tail().matches(); rest = rest.tail()) {
            String part = rest.getMatchingProperty();
            JsonNode next = holder.isArray() ? holder.get(rest.getMatchingIndex()) : holder.get(part);
            if (next == null && holder instanceof ObjectNode mapping) {
                next = mapping.putObject(part);
            }
            if (next == null || !next.isContainer()) {
                throw new IllegalArgumentException("nothing can stand at " + pointer);
            }
            holder = next;
        }
        if (holder instanceof ObjectNode mapping) {
            mapping.set(rest.getMatchingProperty(), value);
        } else {
            int index = rest.getMatchingIndex();
            if (index < 0 || index >= holder.size()) {
                throw new IllegalArgumentException("the list has no place for " + pointer);
            }
            ((ArrayNode) holder).set(index, value);
        }
        return new Document(name, copy, newKeys, newValues);
    }

    /**
     * Returns a copy of another document in which the members of this one's mappings, at the top and one level below,
     * replace the other's. Problems name the file that a node is from.
     */
    public Document over(Document other) {
        ObjectNode copy = (ObjectNode) other.root.deepCopy();
        Map<String, Place> allKeys = new HashMap<>(other.keys);
        Map<String, Place> allValues = new HashMap<>(other.values);
        root.forEachEntry((name, node) -> {
            if (copy.get(name) instanceof ObjectNode below && node.isObject()) {
                below.setAll((ObjectNode) node);
                node.propertyNames().forEach(member -> {
                    String replaced = child(child("", name), member);
                    allKeys.keySet().removeIf(at -> within(at, replaced));
                    allValues.keySet().removeIf(at -> within(at, replaced));
                });
            } else {
                copy.set(name, node);
            }
        });
        allKeys.putAll(keys);
        allValues.putAll(values);
        return new Document(other.name, copy, other.whole, allKeys, allValues);
    }

    /** Returns a copy without the node at a pointer. Later members of a list keep their places but move up. */
    public Document without(String pointer) {
        ObjectNode copy = (ObjectNode) root.deepCopy();
        JsonPointer at = JsonPointer.compile(pointer);
        JsonNode holder = copy.at(at.head());
        if (holder instanceof ObjectNode mapping) {
            mapping.remove(at.last().getMatchingProperty());
        } else if (holder instanceof ArrayNode list) {
            list.remove(at.last().getMatchingIndex());
        }
        return new Document(name, copy, keys, values);
    }

    /** Returns a member's pointer: {@code child("/table", "records")} is {@code /table/records}. */
    public static String child(String pointer, String member) {
        return pointer + "/" + member.replace("~", "~0").replace("/", "~1");
    }

    /** Returns the enclosing node's pointer; "" for the top. */
    public static String parent(String pointer) {
        return pointer.isEmpty() ? "" : pointer.substring(0, pointer.lastIndexOf('/'));
    }

    /** Returns the last part of a pointer, unescaped. */
    public static String last(String pointer) {
        return pointer.substring(pointer.lastIndexOf('/') + 1)
                .replace("~1", "/")
                .replace("~0", "~");
    }

    private static boolean within(String pointer, String outer) {
        return pointer.equals(outer) || pointer.startsWith(outer + "/");
    }

    /** Returns a line's excerpt, cut behind the column; null if the column is too far right. */
    static @Nullable String excerpt(List<String> lines, int line, int column) {
        if (line < 1 || line > lines.size() || column > 160) {
            return null;
        }
        String text = lines.get(line - 1);
        return text.length() > 200 ? text.substring(0, Math.min(text.length(), 200)) + "..." : text;
    }
}
