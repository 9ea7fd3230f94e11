package org.reprobe.analysis.document;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/** Schema as a commented file: every key with its meaning, permitted values and default. Single use. */
final class Reference {
    private static final int WIDTH = 110;

    private final JsonNode root;
    private final StringBuilder text = new StringBuilder();
    private final Set<String> shown = new HashSet<>();

    Reference(JsonNode root) {
        this.root = root;
    }

    String text() {
        comment(text, "", root.path("description").asString(""));
        text.append('\n');
        mapping("", "", root);
        return text.toString().stripTrailing() + "\n";
    }

    static void comment(StringBuilder into, String indent, String words) {
        StringBuilder line = new StringBuilder(indent).append('#');
        for (String word : words.split(" ", -1)) {
            if (line.length() + word.length() > WIDTH) {
                into.append(line).append('\n');
                line = new StringBuilder(indent).append('#');
            }
            line.append(' ').append(word);
        }
        into.append(line).append('\n');
    }

    /** Appends the keys of a mapping; {@code lead} replaces the first indent: a list's dash. */
    private void mapping(String indent, String lead, JsonNode schema) {
        Set<String> required = new HashSet<>();
        schema.path("required").forEach(name -> required.add(name.stringValue()));
        String start = lead;
        for (var entry : schema.path("properties").properties()) {
            JsonNode value = entry.getValue();
            JsonNode meant = resolved(value);
            String meaning =
                    value.path("description").asString(meant.path("description").asString(""));
            JsonNode byDefault = value.has("default") ? value.get("default") : meant.path("default");
            String example =
                    value.path("x-example").asString(meant.path("x-example").asString(""));
            boolean emptyUnlessGiven = example.isEmpty() && byDefault.isContainer() && byDefault.isEmpty();
            String words = Phrasing.allowed(root, value);
            boolean shown =
                    !List.of("a mapping", "a value", "a list, each a mapping").contains(words);
            comment(
                    text,
                    indent,
                    meaning
                            + (shown ? " Allowed: " + words + "." : "")
                            + (required.contains(entry.getKey()) ? " Required." : "")
                            + (emptyUnlessGiven ? " Empty unless given." : ""));
            text.append(start).append(entry.getKey()).append(':');
            start = indent;
            if (!byDefault.isMissingNode() && !emptyUnlessGiven) {
                boolean plain = !byDefault.isString() || byDefault.stringValue().matches("[A-Za-z][A-Za-z0-9 .-]*");
                text.append(' ').append(plain ? byDefault.asString(byDefault.toString()) : byDefault.toString());
                text.append('\n');
                example.lines()
                        .forEach(line ->
                                text.append(indent).append("# ").append(line).append('\n'));
            } else if (!example.isEmpty()) {
                text.append(' ').append(example).append('\n');
            } else {
                text.append('\n');
                inside(indent + "  ", value);
            }
            if (indent.length() <= 2
                    && lead.equals(indent)
                    && !text.substring(text.length() - 2).equals("\n\n")) {
                text.append('\n');
            }
        }
    }

    /** Appends the nested content of a key; of several forms the last, which is the longest. */
    private void inside(String indent, JsonNode given) {
        JsonNode schema = resolved(given);
        String name = given.path("$ref").asString("");
        if (schema.has("if")) {
            comment(text, indent, schema.path("description").asString(""));
        } else if (!name.isEmpty() && !shown.add(name)) {
            comment(text, indent, "as " + name.substring(name.lastIndexOf('/') + 1) + " above");
        } else if (schema.has("properties")) {
            mapping(indent, indent, schema);
        } else if (schema.has("items")) {
            list(indent, schema.get("items"));
        } else if (schema.path("additionalProperties").isObject()) {
            JsonNode value = schema.get("additionalProperties");
            comment(text, indent, "Allowed for each name: " + Phrasing.allowed(root, value) + ".");
            text.append(indent).append("NAME:\n");
            inside(indent + "  ", value);
        } else if (schema.has("anyOf")) {
            schema.get("anyOf")
                    .valueStream()
                    .filter(branch -> resolved(branch).has("properties") || branch.has("items"))
                    .reduce((_, last) -> last)
                    .ifPresent(branch -> inside(indent, branch));
        }
    }

    private void list(String indent, JsonNode items) {
        JsonNode item = resolved(items);
        if (item.has("if")) {
            mapping(indent + "  ", indent + "- ", resolved(item.get("then")));
            comment(text, indent, "or");
            list(indent, item.get("else"));
        } else if (item.has("properties")) {
            mapping(indent + "  ", indent + "- ", item);
        } else if (item.has("anyOf")) {
            list(indent, item.get("anyOf").get(item.get("anyOf").size() - 1));
        }
    }

    private JsonNode resolved(JsonNode schema) {
        return schema.has("$ref") ? root.at(schema.get("$ref").stringValue().substring(1)) : schema;
    }
}
