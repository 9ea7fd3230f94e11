package org.reprobe.analysis.document;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document.Place;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;
import org.snakeyaml.engine.v2.schema.CoreSchema;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Parser of one YAML text into a tree and the places of its keys and values. Single use. */
final class YamlTree {
    /** More than any genuine file has; nested aliases ("billion laughs") expand to more. */
    private static final int MAX_VALUES = 500_000;

    private static final int MAX_DEPTH = 200;
    /** The parser's time grows with the square of a word's length: 0.2 s at this one. */
    private static final int MAX_LINE_LENGTH = 1 << 18;

    private static final String PARAMETERS_POINTER = "/" + Parameter.FAMILY.replace('.', '/');

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private final String name;
    private final String text;
    private final List<String> lines;
    private final List<Problem> problems = new ArrayList<>();
    private final Map<String, Place> keys = new HashMap<>();
    private final Map<String, Place> values = new HashMap<>();
    private final Set<Node> open = new HashSet<>();
    private int count;

    /** Interpretation of the values below a node. */
    private enum Values {
        PLAIN,
        /** Entries of a mapping are {@link Parameter}s. */
        PARAMETERS,
        /** Scalars, also in lists, are texts as written. */
        WRITTEN;

        static Values of(String key) {
            return Parameter.isKey(key) ? WRITTEN : key.equals(Parameter.FAMILY) ? PARAMETERS : PLAIN;
        }
    }

    YamlTree(String name, String text) {
        this.name = name;
        this.text = text.startsWith("\uFEFF") ? text.substring(1) : text;
        this.lines = this.text.lines().toList();
    }

    Document document() throws InvalidInputException {
        JsonNode root = read(Values.PLAIN);
        if (root == null) {
            String message = text.isBlank() ? "the file is empty" : "the file holds only comments";
            throw new InvalidInputException(name, message);
        }
        if (!(root instanceof ObjectNode)) {
            Place place = values.getOrDefault("", new Place(name, 0, 0, null));
            throw new InvalidInputException(
                    place.problem("the file must be a mapping of keys to values, but is " + Phrasing.shown(root)));
        }
        return new Document(name, root, keys, values);
    }

    JsonNode value(String key) throws InvalidInputException {
        JsonNode root = read(Values.of(key));
        return root == null ? JSON.nullNode() : root;
    }

    private @Nullable JsonNode read(Values kind) throws InvalidInputException {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' && c != '\n' && c != '\r' && c != '\t') {
                throw new InvalidInputException(
                        name, "is not a text file: there is a control character (%d) in it".formatted((int) c));
            }
        }
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).length() > MAX_LINE_LENGTH) {
                throw new InvalidInputException(new Place(name, i + 1, 1, null)
                        .problem("the line has %d characters; at most %d are allowed"
                                .formatted(lines.get(i).length(), MAX_LINE_LENGTH)));
            }
        }
        JsonNode root = null;
        try {
            LoadSettings settings = LoadSettings.builder()
                    .setLabel(name)
                    .setUseMarks(true)
                    .setSchema(new CoreSchema())
                    .setMaxAliasesForCollections(MAX_VALUES)
                    .setCodePointLimit((int) Document.MAX_BYTES)
                    .build();
            Optional<Node> top = new Compose(settings).composeString(text);
            if (top.isPresent()) {
                root = tree(top.get(), "", 0, kind);
            }
        } catch (MarkedYamlEngineException damaged) {
            problems.add(place(damaged.getProblemMark()).problem(syntax(damaged)));
        } catch (ReaderException unprintable) {
            problems.add(Problem.of(name, "is not a text file: there is an unprintable character in it"));
        } catch (StackOverflowError tooDeep) {
            // The parser recurses for every level and has no limit of its own.
            problems.add(Problem.of(name, "is nested too deeply; at most %d levels are allowed".formatted(MAX_DEPTH)));
        } catch (TooMuch tooMuch) {
            problems.add(tooMuch.place.problem(tooMuch.message));
        } catch (YamlEngineException damaged) {
            problems.add(Problem.of(name, "damaged YAML: " + damaged.getMessage()));
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return root;
    }

    private static String syntax(MarkedYamlEngineException damaged) {
        String problem = damaged.getProblem();
        if (problem == null) {
            return "damaged YAML";
        }
        if (problem.contains("\\t(TAB)")) {
            return "damaged YAML: a tab can't indent; use spaces";
        }
        String context = damaged.getContext();
        String where = context == null || context.isBlank() ? "" : context.strip() + ", ";
        return "damaged YAML: " + where + problem.strip().replace("<block end>", "the end of the block");
    }

    private JsonNode tree(Node node, String pointer, int depth, Values kind) {
        Place place = place(node.getStartMark());
        values.put(pointer, place);
        if (++count > MAX_VALUES) {
            throw new TooMuch(place, "holds more than %d values, with aliases (*name) expanded".formatted(MAX_VALUES));
        }
        if (depth > MAX_DEPTH) {
            throw new TooMuch(place, "is nested too deeply; at most %d levels are allowed".formatted(MAX_DEPTH));
        }
        if (!open.add(node)) {
            throw new TooMuch(place, "an alias (*name) is inside the value that it repeats");
        }
        boolean plain = node instanceof ScalarNode
                || node.getTag().equals(Tag.MAP)
                || node.getTag().equals(Tag.SEQ);
        if (!plain) {
            problems.add(place.problem("the tag " + node.getTag().getValue() + " is not supported; remove it"));
        }
        try {
            return switch (node) {
                case MappingNode mapping -> mapping(mapping, pointer, depth, kind);
                case SequenceNode sequence -> {
                    ArrayNode list = JSON.arrayNode();
                    int index = 0;
                    for (Node item : sequence.getValue()) {
                        list.add(tree(item, pointer + "/" + index++, depth + 1, kind));
                    }
                    yield list;
                }
                case ScalarNode scalar -> scalar(scalar, place, kind);
                default -> throw new TooMuch(place, "this is neither a mapping nor a list nor a value");
            };
        } finally {
            open.remove(node);
        }
    }

    private JsonNode mapping(MappingNode node, String pointer, int depth, Values kind) {
        ObjectNode mapping = JSON.objectNode();
        for (NodeTuple entry : node.getValue()) {
            Place at = place(entry.getKeyNode().getStartMark());
            if (!(entry.getKeyNode() instanceof ScalarNode keyNode)) {
                problems.add(at.problem("a key must be a word"));
                continue;
            }
            String key = keyNode.getValue();
            String member = Document.child(pointer, key);
            Place before = keys.get(member);
            if (before != null && mapping.has(key)) {
                problems.add(at.problem("key \"" + key + "\" is a duplicate; the first is in line " + before.line()));
                continue;
            }
            keys.put(member, at);
            Values inner = kind == Values.PARAMETERS
                    ? Values.WRITTEN
                    : member.equals(PARAMETERS_POINTER) ? Values.PARAMETERS : Values.of(key);
            mapping.set(key, tree(entry.getValueNode(), member, depth + 1, inner));
        }
        return mapping;
    }

    private JsonNode scalar(ScalarNode scalar, Place place, Values kind) {
        String value = scalar.getValue();
        Tag tag = scalar.getTag();
        if (tag.equals(Tag.NULL)) {
            return JSON.nullNode();
        }
        if (kind == Values.WRITTEN) {
            return switch (Parameter.value(value)) {
                case Long number -> JSON.numberNode(number);
                case Double number -> JSON.numberNode(number);
                case Boolean flag -> JSON.booleanNode(flag);
                default -> JSON.stringNode(value);
            };
        }
        if (tag.equals(Tag.BOOL)) {
            return JSON.booleanNode(value.equalsIgnoreCase("true"));
        }
        if (tag.equals(Tag.INT)) {
            return whole(value);
        }
        if (tag.equals(Tag.FLOAT)) {
            try {
                double number = Double.parseDouble(value);
                if (Double.isFinite(number)) {
                    // Beyond a long it must be an integer of any size; otherwise reading it as an integer fails.
                    return Math.abs(number) < 0x1p63
                            ? JSON.numberNode(number)
                            : JSON.numberNode(new BigDecimal(value).toBigInteger());
                }
            } catch (NumberFormatException notFinite) {
                // No setting can be .inf or .nan: both stay text, which the schema refuses.
            }
            return JSON.stringNode(value);
        }
        if (!tag.equals(Tag.STR)) {
            problems.add(place.problem("the tag " + tag.getValue() + " is not supported; remove it"));
        }
        return JSON.stringNode(value);
    }

    private static JsonNode whole(String value) {
        BigInteger number;
        try {
            if (value.startsWith("0x")) {
                number = new BigInteger(value.substring(2), 16);
            } else if (value.startsWith("0o")) {
                number = new BigInteger(value.substring(2), 8);
            } else {
                number = new BigInteger(value);
            }
        } catch (NumberFormatException tagged) {
            return JSON.stringNode(value);
        }
        if (number.bitLength() >= Double.MAX_EXPONENT) {
            return JSON.stringNode(value); // as .inf, which it would be
        }
        return number.bitLength() < 64 ? JSON.numberNode(number.longValueExact()) : JSON.numberNode(number);
    }

    private Place place(Optional<Mark> mark) {
        return mark.map(at -> new Place(
                        name,
                        at.getLine() + 1,
                        at.getColumn() + 1,
                        Document.excerpt(lines, at.getLine() + 1, at.getColumn() + 1)))
                .orElseGet(() -> new Place(name, 0, 0, null));
    }

    /** Stops the parser of a text that exceeds a limit. */
    private static final class TooMuch extends RuntimeException {
        private final Place place;
        private final String message;

        TooMuch(Place place, String message) {
            super(message);
            this.place = place;
            this.message = message;
        }
    }
}
