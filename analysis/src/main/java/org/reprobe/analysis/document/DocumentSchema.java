package org.reprobe.analysis.document;

import com.networknt.schema.Error;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.dialect.Dialect;
import com.networknt.schema.dialect.Dialects;
import com.networknt.schema.keyword.NonValidationKeyword;
import com.networknt.schema.path.NodePath;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * JSON Schema of documents, with error messages for users. Supported keywords: {@code type}, {@code enum},
 * {@code properties}, {@code patternProperties}, {@code additionalProperties}, {@code required}, {@code items},
 * {@code minItems}, {@code uniqueItems}, {@code minimum}, {@code maximum} and their exclusive forms, {@code pattern},
 * {@code anyOf}, {@code if}, {@code minProperties}, {@code maxProperties}, {@code $ref} into the same schema;
 * {@code x-allowed} gives the words for "must be ..." if the schema does not determine them.
 */
public final class DocumentSchema {
    private final JsonNode root;

    /** Created at the first document: most commands read few kinds of files, and the validator takes long to load. */
    private @Nullable Schema validator;

    private static final class Drafts {
        static final Dialect DIALECT = Dialect.builder(Dialects.getDraft202012())
                .keyword(new NonValidationKeyword("x-allowed"))
                .keyword(new NonValidationKeyword("x-example"))
                .build();
    }

    public DocumentSchema(JsonNode root) {
        this.root = root;
    }

    private synchronized Schema validator() {
        if (validator == null) {
            validator = SchemaRegistry.withDialect(Drafts.DIALECT).getSchema(root);
        }
        return validator;
    }

    /** Schema violation; the document without the node at {@code pointer} is free of it, unless a key is missing. */
    public record Violation(String pointer, Problem problem) {}

    public List<Violation> violations(Document document) {
        List<Violation> found = new ArrayList<>();
        report(document, validator().validate(document.root()), 0, found);
        found.sort((a, b) -> {
            int byLine = Integer.compare(a.problem().line(), b.problem().line());
            return byLine != 0
                    ? byLine
                    : Integer.compare(a.problem().column(), b.problem().column());
        });
        return found.stream().distinct().toList();
    }

    /**
     * Reports errors whose evaluation paths agree before {@code from}. The validator reports every branch of an
     * {@code anyOf}; only the branch of the value's own type is kept, and if there is none, the whole.
     */
    private void report(Document document, Collection<Error> errors, int from, List<Violation> found) {
        Map<String, List<Error>> alternatives = new LinkedHashMap<>();
        for (Error error : errors) {
            int anyOf = indexOf(error.getEvaluationPath(), "anyOf", from);
            if (anyOf < 0) {
                report(document, error, found);
            } else {
                String group = instance(error, anyOf) + " " + prefix(error.getEvaluationPath(), anyOf);
                alternatives
                        .computeIfAbsent(group, ignored -> new ArrayList<>())
                        .add(error);
            }
        }
        for (List<Error> group : alternatives.values()) {
            Error first = group.getFirst();
            int anyOf = indexOf(first.getEvaluationPath(), "anyOf", from);
            String pointer = instance(first, anyOf);
            Map<String, List<Error>> branches = new TreeMap<>();
            for (Error error : group) {
                branches.computeIfAbsent(
                                error.getEvaluationPath().getElement(anyOf + 1).toString(),
                                ignored -> new ArrayList<>())
                        .add(error);
            }
            JsonNode owner = subschema(first.getEvaluationPath(), anyOf);
            JsonNode value = document.root().at(pointer);
            List<List<Error>> sameType = branches.values().stream()
                    .filter(branch -> branch.stream().noneMatch(error -> isTypeError(error, pointer)))
                    .toList();
            if (value.isContainer() && sameType.size() == 1) {
                report(document, sameType.getFirst(), anyOf + 2, found);
            } else {
                found.add(new Violation(pointer, document.problem(pointer, mustBe(pointer, owner, value))));
            }
        }
    }

    private void report(Document document, Error error, List<Violation> found) {
        NodePath path = error.getEvaluationPath();
        String pointer = pointer(error.getInstanceLocation());
        JsonNode value = document.root().at(pointer);
        JsonNode schemaHere = subschema(path, path.getNameCount() - 1);
        switch (error.getKeyword()) {
            case "additionalProperties" -> {
                String key = error.getProperty();
                List<String> known = schemaHere.has("properties")
                        ? List.copyOf(schemaHere.get("properties").propertyNames())
                        : List.of();
                String hint = Spelling.fullNames(key, known);
                if (hint.isEmpty()) {
                    hint = misplaced(key);
                }
                if (hint.isEmpty()) {
                    hint = Spelling.keyHint(key, known);
                }
                if (hint.isEmpty() && !known.isEmpty() && known.size() <= 16) {
                    hint = "; allowed here: " + String.join(", ", known);
                }
                String unknown = Document.child(pointer, key);
                found.add(new Violation(unknown, document.keyProblem(unknown, "unknown key \"" + key + "\"" + hint)));
            }
            case "required" -> {
                String where = pointer.isEmpty() ? "" : " in " + name(pointer);
                found.add(new Violation(
                        pointer,
                        document.keyProblem(pointer, "key \"" + error.getProperty() + "\" is missing" + where)));
            }
            case "minItems" ->
                found.add(new Violation(
                        pointer, document.problem(pointer, name(pointer) + " must not be an empty list")));
            case "minProperties", "maxProperties" -> {
                String message = schemaHere.has("properties")
                        ? name(pointer) + " "
                                + oneNeeded(schemaHere.get("properties").propertyNames(), value.propertyNames())
                        : name(pointer) + " must not be an empty mapping";
                found.add(new Violation(pointer, document.problem(pointer, message)));
            }
            case "uniqueItems" ->
                found.add(new Violation(
                        pointer, document.problem(pointer, name(pointer) + " has the same value more than once")));
            default -> found.add(new Violation(pointer, document.problem(pointer, mustBe(pointer, schemaHere, value))));
        }
    }

    /** {@code needs exactly one of a, b, c, but has a and b}. */
    static String oneNeeded(Collection<String> names, Collection<String> given) {
        return "needs exactly one of " + String.join(", ", new TreeSet<>(names))
                + (given.isEmpty() ? "" : ", but has " + String.join(" and ", new TreeSet<>(given)));
    }

    /** Returns the right section for a key in the wrong section, or at the top with its section's name before it. */
    private String misplaced(String key) {
        JsonNode top = root.path("properties");
        if (top.has(key)) {
            return "; it belongs at the top of the file";
        }
        int dot = key.indexOf('.');
        if (dot > 0 && top.path(key.substring(0, dot)).path("properties").has(key.substring(dot + 1))) {
            return "; write \"" + key.substring(dot + 1) + "\" inside \"" + key.substring(0, dot) + "\"";
        }
        for (Map.Entry<String, JsonNode> section : top.properties()) {
            if (section.getValue().path("properties").has(key)) {
                return "; it belongs inside \"" + section.getKey() + "\"";
            }
        }
        return "";
    }

    private String mustBe(String pointer, JsonNode allowed, JsonNode value) {
        if (value.isNumber()
                && Phrasing.isBeyondUse(allowed)
                && value.asDouble() > allowed.get("maximum").asDouble()) {
            return name(pointer) + " must be at most " + allowed.get("maximum").asString() + ", but is "
                    + Phrasing.shown(value);
        }
        String hint = value.isString() ? Spelling.hint(value.stringValue(), Phrasing.choices(root, allowed)) : "";
        if (value.isString() && Phrasing.allowed(root, allowed).contains("number")) {
            String unit = Phrasing.written(name(pointer), value.stringValue());
            hint = unit.isEmpty() ? hint : unit;
        }
        return name(pointer) + " must be " + Phrasing.allowed(root, allowed) + ", but is " + Phrasing.shown(value)
                + hint;
    }

    /** Returns the key of a pointer, without list indices: "load-factor" for /sweep/load-factor/3. */
    private static String name(String pointer) {
        for (String at = pointer; !at.isEmpty(); at = Document.parent(at)) {
            String last = Document.last(at);
            if (!last.chars().allMatch(Character::isDigit)) {
                return last;
            }
        }
        return "the file";
    }

    private static boolean isTypeError(Error error, String pointer) {
        return pointer(error.getInstanceLocation()).equals(pointer)
                && (error.getKeyword().equals("type") || error.getKeyword().equals("enum"));
    }

    /** Returns the schema at the first {@code length} steps of an evaluation path. */
    private JsonNode subschema(NodePath path, int length) {
        JsonNode at = root;
        for (int i = 0; i < length; i++) {
            String step = path.getElement(i).toString();
            if (step.equals("$ref")) {
                at = root.at(at.get("$ref").stringValue().substring(1));
            } else {
                at = at.isArray() ? at.get(Integer.parseInt(step)) : at.get(step);
            }
        }
        return at;
    }

    /** Returns the pointer that the schema at the first {@code length} steps of an error's path was applied to. */
    private static String instance(Error error, int length) {
        NodePath path = error.getEvaluationPath();
        int depth = 0;
        for (int i = 0; i < length; i++) {
            switch (path.getElement(i).toString()) {
                case "properties", "patternProperties" -> {
                    depth++;
                    i++;
                }
                case "items", "additionalProperties" -> depth++;
                case "anyOf" -> i++;
                default -> {}
            }
        }
        StringBuilder pointer = new StringBuilder();
        for (int i = 0; i < depth; i++) {
            pointer.append(
                    Document.child("", error.getInstanceLocation().getElement(i).toString()));
        }
        return pointer.toString();
    }

    private static String pointer(NodePath location) {
        StringBuilder pointer = new StringBuilder();
        for (int i = 0; i < location.getNameCount(); i++) {
            pointer.append(Document.child("", location.getElement(i).toString()));
        }
        return pointer.toString();
    }

    private static String prefix(NodePath path, int length) {
        StringBuilder prefix = new StringBuilder();
        for (int i = 0; i < length; i++) {
            prefix.append('/').append(path.getElement(i));
        }
        return prefix.toString();
    }

    /** Returns the next index of a keyword in an evaluation path, ignoring properties of that name. */
    private static int indexOf(NodePath path, String keyword, int from) {
        for (int i = from; i < path.getNameCount(); i++) {
            String step = path.getElement(i).toString();
            if (step.equals("properties") || step.equals("patternProperties")) {
                i++;
            } else if (step.equals(keyword)) {
                return i;
            }
        }
        return -1;
    }
}
