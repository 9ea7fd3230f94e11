package org.reprobe.analysis.claims;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.Claim.Take;
import org.reprobe.analysis.claims.ClaimResult.Role;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.dataformat.yaml.YAMLMapper;

/**
 * A file of {@code results/published/}: what one paper publishes, as YAML.
 *
 * <pre>{@code
 * paper: linear-probing
 * claims:
 *   - id: linear-probing/figure-10/0.50/size-7
 *     source: Section 5.5
 *     text: ...                            # the paper's words
 *     scenario: figure-10
 *     QUANTITY: ...                        # exactly one, see below
 *     over: {load-factor: [0.25, 0.50]}    # optional: the cells it speaks of
 *     take: highest                        # each (default), lowest, highest, mean, spread (highest / lowest)
 *     published: 2.8                       # or at-least, at-most, above, below: a bound
 *     tolerance: {percent: 10}             # or exact (default), or {unit-of-last-digit: 0.01}
 *     unit: times
 *     role: prediction                     # or calibration
 *     cause: ...                           # optional: what is known should it miss
 * }</pre>
 *
 * <p>Quantities; wherever Q stands, another quantity may stand, and {@code value:} may be left out:
 *
 * <pre>{@code
 * value: {metric: requests_per_lookup, cell: {scheme: linear-fixed}, scale: 1e-6}   # a metric of one cell
 * ratio: {of: Q, to: Q}
 * difference: {of: Q, minus: Q}
 * product: {of: Q, by: Q}
 * drop-percent: {of: Q, from: Q}                                           # by how many percent "of" is lower
 * largest: {of: Q, at: {read-slots: 13}, among: {read-slots: all}}         # share of the largest; published: 1
 * smallest: {of: Q, at: {...}, among: {...}}
 * significance: {of: VALUE, against: VALUE, is: not significant, level: 0.05}
 * }</pre>
 *
 * <p>A {@code value} may also have {@code scenario} (another one than the claim's), {@code complement: true} (one minus
 * the metric) and {@code without: [key]} (a key of {@code over} that its cells do not have). The values of a key in
 * {@code over} and {@code among} are a list, {@code all} that were measured, or {@code {at-least: 0.8, at-most: 0.9}}.
 *
 * <p>A {@code table} in place of {@code id} stands for one claim a cell, named TABLE/COLUMN/ROW:
 *
 * <pre>{@code
 *   - table: linear-probing/table-1
 *     source: Table 1
 *     text: "requests per lookup, {column}, load factor {row}"
 *     scenario: figure-07
 *     metric: requests_per_lookup          # and scale, tolerance, unit, role, over for every cell
 *     columns: {fixed: {scheme: linear-fixed}, variable: {scheme: linear-variable}}
 *     rows:
 *       "0.25": {cell: {load-factor: 0.25}, published: [1.00, 1.03]}
 *     except:
 *       fixed/0.25: {role: calibration}    # also cause, tolerance
 * }</pre>
 */
public final class ClaimFile {
    private static final Set<String> QUANTITIES =
            Set.of("value", "ratio", "difference", "product", "drop-percent", "largest", "smallest", "significance");
    private static final Map<String, Relation> RELATIONS = Map.of(
            "published", Relation.EQUALS,
            "at-least", Relation.AT_LEAST,
            "at-most", Relation.AT_MOST,
            "above", Relation.ABOVE,
            "below", Relation.BELOW);
    private static final Set<String> CLAIM_KEYS = union(
            QUANTITIES,
            RELATIONS.keySet(),
            Set.of("id", "source", "text", "scenario", "over", "take", "tolerance", "unit", "role", "cause"));
    private static final Set<String> TABLE_KEYS = Set.of(
            "table",
            "source",
            "text",
            "scenario",
            "metric",
            "cell",
            "scale",
            "over",
            "tolerance",
            "unit",
            "role",
            "cause",
            "columns",
            "rows",
            "except");
    private static final Set<String> VALUE_KEYS =
            Set.of("metric", "cell", "scenario", "scale", "complement", "without");

    private final String file;
    private final List<Problem> problems = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final Set<String> ids = new HashSet<>();

    private ClaimFile(Path file) {
        this.file = file.toString();
    }

    /**
     * Reads a claims file.
     *
     * @return its claims in the file's order, tables row by row
     * @throws InvalidInputException with everything that is wrong with it
     * @throws IOException when it cannot be read
     */
    public static List<Claim> read(Path file) throws IOException, InvalidInputException {
        if (Files.isDirectory(file)) {
            throw new FileSystemException(file.toString(), null, "is a folder, not a file of claims");
        }
        if (!Files.exists(file)) {
            throw new FileSystemException(file.toString(), null, "there is no such file");
        }
        ClaimFile reader = new ClaimFile(file);
        try {
            reader.file(reader.tree(Files.readString(file)));
        } catch (CharacterCodingException e) {
            reader.problems.add(Problem.of(file.toString(), "the file is not UTF-8 text"));
        } catch (Refused e) {
            // its problem is in the list
        }
        if (!reader.problems.isEmpty()) {
            throw new InvalidInputException(reader.problems);
        }
        return List.copyOf(reader.claims);
    }

    private JsonNode tree(String text) throws Refused {
        try {
            return YAMLMapper.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build()
                    .readTree(text);
        } catch (JacksonException e) {
            int line = e.getLocation() == null ? 0 : e.getLocation().getLineNr();
            int column = e.getLocation() == null ? 0 : e.getLocation().getColumnNr();
            List<String> lines = text.lines().toList();
            String excerpt = line >= 1 && line <= lines.size() ? lines.get(line - 1) : null;
            String reason = e.getOriginalMessage().lines().findFirst().orElse("");
            problems.add(new Problem(
                    file, Math.max(0, line), Math.max(0, column), "the file is not valid YAML: " + reason, excerpt));
            throw new Refused();
        }
    }

    private void file(JsonNode root) throws Refused {
        String where = "the file";
        if (root == null || !root.isObject()) {
            throw refuse(where, "must hold the keys paper and claims");
        }
        keys(where, root, Set.of("paper", "claims"));
        text(where, root, "paper");
        JsonNode list = root.path("claims");
        if (!list.isArray() || list.isEmpty()) {
            throw refuse(where, "\"claims\" must be a list of claims");
        }
        for (int i = 0; i < list.size(); i++) {
            JsonNode entry = list.get(i);
            try {
                entry(i + 1, entry);
            } catch (Refused e) {
                // go on: all problems are shown at once
            }
        }
    }

    private void entry(int number, JsonNode entry) throws Refused {
        String where = "claim " + number;
        if (!entry.isObject()) {
            throw refuse(where, "must be keys and values, but is " + entry);
        }
        if (entry.has("table")) {
            table(text(where, entry, "table"), entry);
        } else if (entry.has("id")) {
            claim(text(where, entry, "id"), entry);
        } else {
            throw refuse(where, "needs an id, or table for a whole table");
        }
    }

    private void claim(String id, JsonNode entry) throws Refused {
        keys(id, entry, CLAIM_KEYS);
        String scenario = text(id, entry, "scenario");
        List<String> present = QUANTITIES.stream().filter(entry::has).sorted().toList();
        if (present.size() != 1) {
            throw refuse(
                    id,
                    "needs exactly one of " + String.join(", ", new TreeSet<>(QUANTITIES))
                            + (present.isEmpty() ? "" : ", but has " + String.join(" and ", present)));
        }
        Quantity quantity = quantity(id, scenario, present.getFirst(), entry.path(present.getFirst()));
        Map<String, Axis> over = axes(id, "over", entry.path("over"));
        Take take = entry.has("take") ? take(id, entry, over) : Take.EACH;
        Relation relation;
        double published;
        if (quantity instanceof Quantity.PValue) {
            JsonNode test = entry.path("significance");
            refuseRelations(id, entry);
            if (entry.has("take")) {
                throw refuse(id, "a significance speaks of every cell of \"over\"; \"take\" is not allowed");
            }
            published = number(id, test, "level");
            switch (text(id, test, "is")) {
                case "significant" -> relation = Relation.BELOW;
                case "not significant" -> {
                    relation = Relation.AT_LEAST;
                    take = Take.LOWEST_OF_FAMILY;
                }
                default -> throw refuse(id, "\"is\" must be significant or not significant");
            }
        } else {
            List<String> bounds =
                    RELATIONS.keySet().stream().filter(entry::has).sorted().toList();
            if (bounds.size() != 1) {
                throw refuse(id, "needs exactly one of published, at-least, at-most, above, below");
            }
            relation = RELATIONS.getOrDefault(bounds.getFirst(), Relation.EQUALS);
            published = number(id, entry, bounds.getFirst());
        }
        add(new Claim(
                id,
                text(id, entry, "source"),
                text(id, entry, "text"),
                quantity,
                over,
                take,
                relation,
                published,
                tolerance(id, entry, published),
                text(id, entry, "unit"),
                role(id, entry, Role.PREDICTION),
                cause(id, entry)));
    }

    private void refuseRelations(String id, JsonNode entry) throws Refused {
        for (String relation : RELATIONS.keySet()) {
            if (entry.has(relation)) {
                throw refuse(id, "a significance has a level instead of \"" + relation + "\"");
            }
        }
    }

    private void table(String prefix, JsonNode table) throws Refused {
        keys(prefix, table, TABLE_KEYS);
        String scenario = text(prefix, table, "scenario");
        String metric = text(prefix, table, "metric");
        String template = text(prefix, table, "text");
        String source = text(prefix, table, "source");
        double scale = table.has("scale") ? number(prefix, table, "scale") : 1;
        Map<String, Object> common = cell(prefix, "cell", table.path("cell"));
        Map<String, Axis> over = axes(prefix, "over", table.path("over"));
        JsonNode columns = table.path("columns");
        JsonNode rows = table.path("rows");
        if (!columns.isObject() || columns.isEmpty() || !rows.isObject() || rows.isEmpty()) {
            throw refuse(prefix, "needs columns and rows");
        }
        Set<String> exceptions = new TreeSet<>(table.path("except").propertyNames());
        for (Map.Entry<String, JsonNode> row : rows.properties()) {
            JsonNode published = row.getValue().path("published");
            if (!published.isArray() || published.size() != columns.size()) {
                throw refuse(
                        prefix,
                        "row \"" + row.getKey() + "\" must publish " + columns.size() + " values, one for each column");
            }
            keys(prefix + ", row \"" + row.getKey() + "\"", row.getValue(), Set.of("cell", "published"));
            int index = 0;
            for (Map.Entry<String, JsonNode> column : columns.properties()) {
                JsonNode value = published.get(index++);
                String place = column.getKey() + "/" + row.getKey();
                String id = prefix + "/" + place;
                if (!value.isNumber()) {
                    throw refuse(id, "must publish a number, but has " + value);
                }
                Map<String, Object> cell = new LinkedHashMap<>(common);
                cell.putAll(cell(prefix, "columns", column.getValue()));
                cell.putAll(cell(prefix, "cell", row.getValue().path("cell")));
                JsonNode except = table.path("except").path(place);
                exceptions.remove(place);
                if (except.isObject()) {
                    keys(id, except, Set.of("role", "cause", "tolerance"));
                }
                add(new Claim(
                        id,
                        source,
                        template.replace("{column}", column.getKey()).replace("{row}", row.getKey()),
                        new Quantity.Metric(scenario, metric, cell, Set.of(), scale, false),
                        over,
                        Take.EACH,
                        Relation.EQUALS,
                        value.doubleValue(),
                        tolerance(id, except.has("tolerance") ? except : table, value.doubleValue()),
                        text(prefix, table, "unit"),
                        role(id, except, role(prefix, table, Role.PREDICTION)),
                        except.has("cause") ? cause(id, except) : cause(prefix, table)));
            }
        }
        if (!exceptions.isEmpty()) {
            throw refuse(
                    prefix, "\"except\" names " + exceptions.iterator().next() + ", which the table does not have");
        }
    }

    private void add(Claim claim) throws Refused {
        if (!ids.add(claim.id())) {
            throw refuse(claim.id(), "the id comes twice");
        }
        Set<String> used = new HashSet<>();
        for (Quantity.Metric metric : claim.quantity().metrics()) {
            for (String key : claim.over().keySet()) {
                if (!metric.cell().containsKey(key) && !metric.without().contains(key)) {
                    used.add(key);
                }
            }
        }
        for (String key : claim.over().keySet()) {
            if (!used.contains(key)) {
                throw refuse(claim.id(), "\"over\" has " + key + ", but every cell fixes it or is without it");
            }
        }
        claims.add(claim);
    }

    private Quantity quantity(String id, String scenario, String form, JsonNode node) throws Refused {
        if (!node.isObject()) {
            throw refuse(id, "\"" + form + "\" must be keys and values, but is " + node);
        }
        return switch (form) {
            case "value" -> metric(id, scenario, node);
            case "ratio" -> {
                keys(id, node, Set.of("of", "to"));
                yield new Quantity.Ratio(operand(id, scenario, node, "of"), operand(id, scenario, node, "to"));
            }
            case "difference" -> {
                keys(id, node, Set.of("of", "minus"));
                yield new Quantity.Difference(operand(id, scenario, node, "of"), operand(id, scenario, node, "minus"));
            }
            case "product" -> {
                keys(id, node, Set.of("of", "by"));
                yield new Quantity.Product(operand(id, scenario, node, "of"), operand(id, scenario, node, "by"));
            }
            case "drop-percent" -> {
                keys(id, node, Set.of("of", "from"));
                yield new Quantity.DropPercent(operand(id, scenario, node, "of"), operand(id, scenario, node, "from"));
            }
            case "largest", "smallest" -> {
                keys(id, node, Set.of("of", "at", "among"));
                Map<String, Object> at = cell(id, "at", node.path("at"));
                Map<String, Axis> among = axes(id, "among", node.path("among"));
                if (at.isEmpty() || !at.keySet().equals(among.keySet())) {
                    throw refuse(id, "\"at\" and \"among\" must have the same keys");
                }
                yield new Quantity.RelativeToExtreme(
                        form.equals("largest"), operand(id, scenario, node, "of"), at, among);
            }
            case "significance" -> {
                keys(id, node, Set.of("of", "against", "is", "level"));
                yield new Quantity.PValue(
                        metric(id, scenario, node.path("of")), metric(id, scenario, node.path("against")));
            }
            default -> throw refuse(id, "unknown quantity \"" + form + "\"");
        };
    }

    private Quantity operand(String id, String scenario, JsonNode parent, String key) throws Refused {
        JsonNode node = parent.path(key);
        if (!node.isObject()) {
            throw refuse(id, "\"" + key + "\" is missing; it must be a value or a quantity");
        }
        if (node.size() == 1) {
            String form = node.propertyNames().iterator().next();
            if (QUANTITIES.contains(form) && !form.equals("significance")) {
                return quantity(id, scenario, form, node.path(form));
            }
        }
        return metric(id, scenario, node);
    }

    private Quantity.Metric metric(String id, String scenario, JsonNode node) throws Refused {
        if (!node.isObject()) {
            throw refuse(
                    id, "a value must have a metric and a cell, but is " + (node.isMissingNode() ? "missing" : node));
        }
        keys(id, node, VALUE_KEYS);
        Set<String> without = new HashSet<>();
        for (JsonNode key : node.path("without").values()) {
            without.add(key.asString());
        }
        double scale = node.has("scale") ? number(id, node, "scale") : 1;
        if (scale == 0) {
            throw refuse(id, "\"scale\" must not be 0");
        }
        return new Quantity.Metric(
                node.has("scenario") ? text(id, node, "scenario") : scenario,
                text(id, node, "metric"),
                cell(id, "cell", node.path("cell")),
                without,
                scale,
                node.path("complement").booleanValue(false));
    }

    private Map<String, Object> cell(String id, String name, JsonNode node) throws Refused {
        Map<String, Object> cell = new LinkedHashMap<>();
        if (node.isMissingNode()) {
            return cell;
        }
        if (!node.isObject()) {
            throw refuse(id, "\"" + name + "\" must be keys and values, but is " + node);
        }
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            cell.put(entry.getKey(), scalar(id, entry.getKey(), entry.getValue()));
        }
        return cell;
    }

    private Object scalar(String id, String key, JsonNode value) throws Refused {
        if (value.isString()) {
            return value.stringValue();
        }
        if (value.isBoolean()) {
            return value.booleanValue();
        }
        if (value.isIntegralNumber() && value.canConvertToLong()) {
            return value.longValue();
        }
        if (value.isNumber()) {
            return value.doubleValue();
        }
        throw refuse(id, key + " must be text, a number, true or false, but is " + value);
    }

    private Map<String, Axis> axes(String id, String name, JsonNode node) throws Refused {
        Map<String, Axis> axes = new LinkedHashMap<>();
        if (node.isMissingNode()) {
            return axes;
        }
        if (!node.isObject()) {
            throw refuse(id, "\"" + name + "\" must be keys and their values, but is " + node);
        }
        for (Map.Entry<String, JsonNode> entry : node.properties()) {
            axes.put(entry.getKey(), axis(id, entry.getKey(), entry.getValue()));
        }
        return axes;
    }

    private Axis axis(String id, String key, JsonNode node) throws Refused {
        if (node.isArray() && !node.isEmpty()) {
            List<Object> values = new ArrayList<>();
            for (JsonNode value : node.values()) {
                values.add(scalar(id, key, value));
            }
            return new Axis.Listed(values);
        }
        if (node.isString() && node.stringValue().equals("all")) {
            return new Axis.Found(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
        }
        if (node.isObject() && !node.isEmpty()) {
            keys(id, node, Set.of("at-least", "at-most"));
            return new Axis.Found(
                    node.has("at-least") ? number(id, node, "at-least") : Double.NEGATIVE_INFINITY,
                    node.has("at-most") ? number(id, node, "at-most") : Double.POSITIVE_INFINITY);
        }
        throw refuse(id, key + " must be a list of values, all, or at-least and at-most, but is " + node);
    }

    private Take take(String id, JsonNode entry, Map<String, Axis> over) throws Refused {
        String word = text(id, entry, "take");
        List<Take> allowed = List.of(Take.EACH, Take.LOWEST, Take.HIGHEST, Take.MEAN, Take.SPREAD);
        for (Take take : allowed) {
            if (take.word().equals(word)) {
                if (over.isEmpty()) {
                    throw refuse(id, "\"take\" needs \"over\": the cells to take the " + word + " of");
                }
                return take;
            }
        }
        throw refuse(id, unknown("take", word, allowed.stream().map(Take::word).toList()));
    }

    private double tolerance(String id, JsonNode entry, double published) throws Refused {
        JsonNode node = entry.path("tolerance");
        if (node.isMissingNode() || (node.isString() && node.stringValue().equals("exact"))) {
            return 0;
        }
        if (node.isObject() && node.size() == 1) {
            if (node.has("percent")) {
                return notNegative(id, number(id, node, "percent")) / 100 * Math.abs(published);
            }
            if (node.has("unit-of-last-digit")) {
                return notNegative(id, number(id, node, "unit-of-last-digit"));
            }
        }
        throw refuse(
                id, "\"tolerance\" must be exact, {percent: NUMBER} or {unit-of-last-digit: NUMBER}, but is " + node);
    }

    private double notNegative(String id, double tolerance) throws Refused {
        if (tolerance < 0) {
            throw refuse(id, "\"tolerance\" must not be negative");
        }
        return tolerance;
    }

    private Role role(String id, JsonNode entry, Role otherwise) throws Refused {
        if (!entry.has("role")) {
            return otherwise;
        }
        String word = text(id, entry, "role");
        for (Role role : Role.values()) {
            if (role.word().equals(word)) {
                return role;
            }
        }
        throw refuse(
                id,
                unknown(
                        "role",
                        word,
                        Arrays.stream(Role.values()).map(Role::word).toList()));
    }

    private @Nullable String cause(String id, JsonNode entry) throws Refused {
        return entry.has("cause") ? text(id, entry, "cause") : null;
    }

    private String text(String id, JsonNode entry, String key) throws Refused {
        JsonNode node = entry.path(key);
        if (node.isMissingNode()) {
            throw refuse(id, "\"" + key + "\" is missing");
        }
        if (!node.isString() || node.stringValue().isBlank()) {
            throw refuse(id, "\"" + key + "\" must be text, but is " + node);
        }
        return node.stringValue().strip();
    }

    private double number(String id, JsonNode entry, String key) throws Refused {
        JsonNode node = entry.path(key);
        if (node.isMissingNode()) {
            throw refuse(id, "\"" + key + "\" is missing");
        }
        if (!node.isNumber() || !Double.isFinite(node.doubleValue())) {
            throw refuse(id, "\"" + key + "\" must be a number, but is " + node);
        }
        return node.doubleValue();
    }

    private void keys(String id, JsonNode node, Set<String> allowed) throws Refused {
        boolean refused = false;
        for (String key : node.propertyNames()) {
            if (!allowed.contains(key)) {
                refuse(id, unknown("key", key, allowed));
                refused = true;
            }
        }
        if (refused) {
            throw new Refused();
        }
    }

    private Refused refuse(String id, String message) {
        problems.add(Problem.of(file, id + ": " + message));
        return new Refused();
    }

    private static String unknown(String what, String word, Iterable<String> allowed) {
        Set<String> sorted = new TreeSet<>();
        allowed.forEach(sorted::add);
        String nearest = "";
        int distance = Math.max(2, word.length() / 3) + 1;
        for (String candidate : sorted) {
            int edits = edits(word, candidate);
            if (edits < distance) {
                distance = edits;
                nearest = candidate;
            }
        }
        return "unknown " + what + " \"" + word + "\"; "
                + (nearest.isEmpty() ? "allowed: " + String.join(", ", sorted) : "did you mean \"" + nearest + "\"?");
    }

    /** Levenshtein distance. */
    private static int edits(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int j = 0; j < row.length; j++) {
            row[j] = j;
        }
        for (int i = 1; i <= left.length(); i++) {
            int diagonal = row[0];
            row[0] = i;
            for (int j = 1; j < row.length; j++) {
                int above = row[j];
                int change = diagonal + (left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1);
                row[j] = Math.min(change, 1 + Math.min(above, row[j - 1]));
                diagonal = above;
            }
        }
        return row[right.length()];
    }

    @SafeVarargs
    private static Set<String> union(Set<String>... sets) {
        Set<String> union = new HashSet<>();
        for (Set<String> set : sets) {
            union.addAll(set);
        }
        return Set.copyOf(union);
    }

    /** Part of the file cannot be used; why is already in the list of problems. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;

        Refused() {
            super(null, null, false, false);
        }
    }
}
