package org.reprobe.analysis.claims;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.Claim.Take;
import org.reprobe.analysis.claims.ClaimResult.Role;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import tools.jackson.databind.JsonNode;

/**
 * A file of {@code results/published/}: what one paper publishes, as YAML.
 *
 * <pre>{@code
 * paper:                                 # or only a name, for a collection of which each source names itself
 *   name: linear-probing                   # the file's name
 *   title: ...
 *   authors: [...]
 *   venue: ...
 *   year: 2020
 *   link: https://doi.org/...              # optional
 * claims:
 *   - id: linear-probing/figure-10/0.50/size-7
 *     source: Section 5.5
 *     text: ...                            # the paper's words
 *     scenario: figure-10
 *     QUANTITY: ...                        # exactly one, see below
 *     over: {load-factor: [0.25, 0.50]}    # optional: the cells it speaks of
 *     take: highest                        # each (default), lowest, highest, mean, spread (highest / lowest)
 *     published: 2.8                       # or at-least, at-most, above, below: a bound; or derived: not printed, but implied
 *     tolerance: {percent: 7}              # or exact (default), or {unit-of-last-digit: 0.01}
 *     unit: times
 *     role: prediction                     # or calibration, form-chosen: what was chosen with the number in view
 *     evidence: performance                # or tables, model, input, repeated; by default what its metrics are
 *     cause: ...                           # optional: why it misses, or what is behind it
 * }</pre>
 *
 * <p>One rule of tolerances for all files. A count or a share that is printed with decimals, and any percentage: a unit of the
 * last digit. A count that is printed whole (slots, round trips): none. Performance (rates, latencies, and ratios of them) and
 * words for sameness of performance ("comparable", "no impact", "negligible", "not sensitive"): 7 %. Relations ("higher", "at
 * most", "never worse"): none. A sentence that is contradicted by the paper's own table is held to its words all the same.
 *
 * <p>A claim presumes the settings of the shipped scenario that it names: see {@link Comparability}.
 *
 * <p>Quantities; wherever Q stands, another quantity may stand, and {@code value:} may be left out:
 *
 * <pre>{@code
 * value: {metric: requests_per_lookup, cell: {scheme: linear-fixed}, scale: 1e-6}   # a metric of one cell
 * ratio: {of: Q, to: Q}
 * difference: {of: Q, minus: Q}
 * product: {of: Q, by: Q}
 * drop-percent: {of: Q, from: Q}                                           # by how many percent "of" is lower
 * rise-percent: {of: Q, over: Q}                                           # by how many percent "of" is higher
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
 *     metric: requests_per_lookup          # and scale, tolerance, unit, role, evidence, over for every cell
 *     columns: {fixed: {scheme: linear-fixed}, variable: {scheme: linear-variable}}
 *     rows:
 *       "0.25": {cell: {load-factor: 0.25}, published: [1.00, 1.03]}
 *     except:
 *       fixed/0.25: {role: calibration}    # also evidence, cause, tolerance
 * }</pre>
 */
public final class ClaimFile {
    private static final Set<String> QUANTITIES = Set.of(
            "value",
            "ratio",
            "difference",
            "product",
            "drop-percent",
            "rise-percent",
            "largest",
            "smallest",
            "significance");
    private static final Map<String, Relation> RELATIONS = Map.of(
            "published", Relation.EQUALS,
            "derived", Relation.EQUALS,
            "at-least", Relation.AT_LEAST,
            "at-most", Relation.AT_MOST,
            "above", Relation.ABOVE,
            "below", Relation.BELOW);
    private static final Set<String> CLAIM_KEYS = union(
            QUANTITIES,
            RELATIONS.keySet(),
            Set.of(
                    "id",
                    "source",
                    "text",
                    "scenario",
                    "over",
                    "take",
                    "tolerance",
                    "unit",
                    "role",
                    "evidence",
                    "cause"));
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
            "evidence",
            "cause",
            "columns",
            "rows",
            "except");
    private static final Set<String> VALUE_KEYS =
            Set.of("metric", "cell", "scenario", "scale", "complement", "without");

    private final Document document;
    private final @Nullable Names names;
    private final List<Problem> problems = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final Set<String> ids = new HashSet<>();

    private ClaimFile(Document document, @Nullable Names names) {
        this.document = document;
        this.names = names;
    }

    /** The names that claims may use. */
    public record Names(Set<String> scenarios, Set<String> metrics) {
        public Names {
            scenarios = Set.copyOf(scenarios);
            metrics = Set.copyOf(metrics);
        }
    }

    /** What a file says. */
    public record Content(Paper paper, List<Claim> claims) {
        public Content {
            claims = List.copyOf(claims);
        }
    }

    /**
     * A part of the file.
     *
     * @param id of the claim or table that it belongs to, for messages
     * @param pointer where it stands
     */
    private record Part(String id, String pointer, JsonNode node) {
        Part named(String name) {
            return new Part(name, pointer, node);
        }

        boolean has(String key) {
            return node.has(key);
        }

        Part child(String key) {
            return new Part(id, Document.child(pointer, key), node.path(key));
        }

        Part item(int index) {
            return new Part(id, pointer + "/" + index, node.path(index));
        }

        List<Part> children() {
            return node.propertyNames().stream().map(this::child).toList();
        }

        List<Part> items() {
            return IntStream.range(0, node.size()).mapToObj(this::item).toList();
        }

        String key() {
            return Document.last(pointer);
        }
    }

    /**
     * Reads a claims file.
     *
     * @param names what scenarios and metrics there are; null for any
     * @return its claims in the file's order, tables row by row
     * @throws InvalidInputException when it can't be read, or with everything that is wrong with it
     */
    public static Content read(Path file, @Nullable Names names) throws InvalidInputException {
        ClaimFile reader = new ClaimFile(Document.read(file), names);
        Paper paper = null;
        try {
            paper = reader.file();
        } catch (Refused e) {
            // its problem is in the list
        }
        if (paper == null || !reader.problems.isEmpty()) {
            throw new InvalidInputException(reader.problems);
        }
        return new Content(paper, reader.claims);
    }

    private Paper file() throws Refused {
        Part root = new Part("the file", "", document.root());
        keys(root, Set.of("paper", "claims"));
        Paper paper = paper(root);
        Part list = root.child("claims");
        if (!list.node().isArray() || list.node().isEmpty()) {
            throw refuse(list, "\"claims\" must be a list of claims");
        }
        int number = 0;
        for (Part entry : list.items()) {
            try {
                entry(entry.named("claim " + ++number));
            } catch (Refused e) {
                // go on: all problems are shown at once
            }
        }
        return paper;
    }

    private Paper paper(Part root) throws Refused {
        Part part = root.child("paper");
        if (!part.node().isObject()) {
            return new Paper(text(root, "paper"), null, List.of(), null, 0, null);
        }
        keys(part, Set.of("name", "title", "authors", "venue", "year", "link"));
        List<String> authors = new ArrayList<>();
        Part list = part.child("authors");
        if (!list.node().isArray() || list.node().isEmpty()) {
            throw refuse(list, "\"authors\" must be a list of names" + butIs(list));
        }
        for (Part author : list.items()) {
            if (!author.node().isString()) {
                throw refuse(author, "an author must be text" + butIs(author));
            }
            authors.add(author.node().stringValue());
        }
        return new Paper(
                text(part, "name"),
                text(part, "title"),
                authors,
                text(part, "venue"),
                (int) number(part, "year"),
                part.has("link") ? text(part, "link") : null);
    }

    private void entry(Part entry) throws Refused {
        if (!entry.node().isObject()) {
            throw refuse(entry, "must be keys and values" + butIs(entry));
        }
        if (entry.has("table")) {
            table(entry.named(text(entry, "table")));
        } else if (entry.has("id")) {
            claim(entry.named(text(entry, "id")));
        } else {
            throw refuse(entry, "needs an id, or table for a whole table");
        }
    }

    private void claim(Part entry) throws Refused {
        keys(entry, CLAIM_KEYS);
        String scenario = scenario(entry);
        List<String> present = QUANTITIES.stream().filter(entry::has).sorted().toList();
        if (present.size() != 1) {
            throw refuse(
                    entry,
                    "needs exactly one of " + String.join(", ", new TreeSet<>(QUANTITIES))
                            + (present.isEmpty() ? "" : ", but has " + String.join(" and ", present)));
        }
        Quantity quantity = quantity(scenario, entry.child(present.getFirst()));
        Map<String, Axis> over = axes(entry.child("over"));
        Take take = entry.has("take") ? take(entry, over) : Take.EACH;
        Relation relation;
        double published;
        boolean derived = false;
        if (quantity instanceof Quantity.PValue) {
            Part test = entry.child("significance");
            refuseRelations(entry);
            if (entry.has("take")) {
                throw refuse(
                        entry.child("take"),
                        "a significance speaks of every cell of \"over\"; \"take\" is not allowed");
            }
            published = number(test, "level");
            switch (text(test, "is")) {
                case "significant" -> relation = Relation.BELOW;
                case "not significant" -> {
                    relation = Relation.AT_LEAST;
                    take = Take.LOWEST_OF_FAMILY;
                }
                default -> throw refuse(test.child("is"), "\"is\" must be significant or not significant");
            }
        } else {
            List<String> bounds =
                    RELATIONS.keySet().stream().filter(entry::has).sorted().toList();
            if (bounds.size() != 1) {
                throw refuse(entry, "needs exactly one of published, derived, at-least, at-most, above, below");
            }
            relation = RELATIONS.getOrDefault(bounds.getFirst(), Relation.EQUALS);
            published = number(entry, bounds.getFirst());
            derived = bounds.getFirst().equals("derived");
        }
        add(
                entry,
                new Claim(
                        entry.id(),
                        text(entry, "source"),
                        text(entry, "text"),
                        quantity,
                        over,
                        take,
                        relation,
                        published,
                        tolerance(entry, published),
                        text(entry, "unit"),
                        derived,
                        role(entry, Role.PREDICTION),
                        evidence(entry, Evidence.of(quantity)),
                        cause(entry)));
    }

    private void refuseRelations(Part entry) throws Refused {
        for (String relation : RELATIONS.keySet()) {
            if (entry.has(relation)) {
                throw refuse(entry.child(relation), "a significance has a level instead of \"" + relation + "\"");
            }
        }
    }

    private void table(Part table) throws Refused {
        keys(table, TABLE_KEYS);
        String prefix = table.id();
        String scenario = scenario(table);
        String metric = metric(table);
        String template = text(table, "text");
        String source = text(table, "source");
        double scale = scale(table);
        Map<String, Object> common = cell(table.child("cell"));
        Map<String, Axis> over = axes(table.child("over"));
        Part columns = table.child("columns");
        Part rows = table.child("rows");
        for (Part part : List.of(columns, rows)) {
            if (!part.node().isObject() || part.node().isEmpty()) {
                throw refuse(part, "needs columns and rows");
            }
        }
        Part exceptions = table.child("except");
        Set<String> unused = new LinkedHashSet<>(exceptions.node().propertyNames());
        for (Part row : rows.children()) {
            Part published = row.child("published");
            if (!published.node().isArray()
                    || published.node().size() != columns.node().size()) {
                throw refuse(
                        published,
                        "row \"" + row.key() + "\" must publish "
                                + columns.node().size() + " values, one for each column");
            }
            keys(row.named(prefix + ", row \"" + row.key() + "\""), Set.of("cell", "published"));
            int index = 0;
            for (Part column : columns.children()) {
                Part value = published.item(index++);
                String place = column.key() + "/" + row.key();
                String id = prefix + "/" + place;
                if (!value.node().isNumber()) {
                    throw refuse(value.named(id), "must publish a number, but has " + Document.shown(value.node()));
                }
                Map<String, Object> cell = new LinkedHashMap<>(common);
                cell.putAll(cell(column));
                cell.putAll(cell(row.child("cell")));
                Part except = exceptions.child(place).named(id);
                unused.remove(place);
                if (except.node().isObject()) {
                    keys(except, Set.of("role", "evidence", "cause", "tolerance"));
                }
                Quantity.Metric quantity = new Quantity.Metric(scenario, metric, cell, Set.of(), scale, false);
                add(
                        value.named(id),
                        new Claim(
                                id,
                                source,
                                template.replace("{column}", column.key()).replace("{row}", row.key()),
                                quantity,
                                over,
                                Take.EACH,
                                Relation.EQUALS,
                                value.node().doubleValue(),
                                tolerance(
                                        except.has("tolerance") ? except : table,
                                        value.node().doubleValue()),
                                text(table, "unit"),
                                false,
                                role(except, role(table, Role.PREDICTION)),
                                evidence(except, evidence(table, Evidence.of(quantity))),
                                except.has("cause") ? cause(except) : cause(table)));
            }
        }
        if (!unused.isEmpty()) {
            String place = unused.iterator().next();
            throw refuseKey(exceptions.child(place), "\"except\" names " + place + ", which the table does not have");
        }
    }

    private void add(Part entry, Claim claim) throws Refused {
        if (!ids.add(claim.id())) {
            throw refuse(entry.has("id") ? entry.child("id") : entry, "the id comes twice");
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
                throw refuseKey(
                        entry.child("over").child(key),
                        "\"over\" has " + key + ", but every cell fixes it or is without it");
            }
        }
        claims.add(claim);
    }

    private Quantity quantity(String scenario, Part part) throws Refused {
        String form = part.key();
        if (!part.node().isObject()) {
            throw refuse(part, "\"" + form + "\" must be keys and values" + butIs(part));
        }
        return switch (form) {
            case "value" -> metric(scenario, part);
            case "ratio" -> {
                keys(part, Set.of("of", "to"));
                yield new Quantity.Ratio(operand(scenario, part, "of"), operand(scenario, part, "to"));
            }
            case "difference" -> {
                keys(part, Set.of("of", "minus"));
                yield new Quantity.Difference(operand(scenario, part, "of"), operand(scenario, part, "minus"));
            }
            case "product" -> {
                keys(part, Set.of("of", "by"));
                yield new Quantity.Product(operand(scenario, part, "of"), operand(scenario, part, "by"));
            }
            case "drop-percent" -> {
                keys(part, Set.of("of", "from"));
                yield new Quantity.DropPercent(operand(scenario, part, "of"), operand(scenario, part, "from"));
            }
            case "rise-percent" -> {
                keys(part, Set.of("of", "over"));
                yield new Quantity.RisePercent(operand(scenario, part, "of"), operand(scenario, part, "over"));
            }
            case "largest", "smallest" -> {
                keys(part, Set.of("of", "at", "among"));
                Map<String, Object> at = cell(part.child("at"));
                Map<String, Axis> among = axes(part.child("among"));
                if (at.isEmpty() || !at.keySet().equals(among.keySet())) {
                    throw refuse(part, "\"at\" and \"among\" must have the same keys");
                }
                yield new Quantity.RelativeToExtreme(form.equals("largest"), operand(scenario, part, "of"), at, among);
            }
            case "significance" -> {
                keys(part, Set.of("of", "against", "is", "level"));
                yield new Quantity.PValue(metric(scenario, part.child("of")), metric(scenario, part.child("against")));
            }
            default -> throw refuse(part, "unknown quantity \"" + form + "\"");
        };
    }

    private Quantity operand(String scenario, Part parent, String key) throws Refused {
        Part part = parent.child(key);
        if (!part.node().isObject()) {
            throw refuse(part, "\"" + key + "\" is missing; it must be a value or a quantity");
        }
        if (part.node().size() == 1) {
            Part only = part.children().getFirst();
            if (QUANTITIES.contains(only.key()) && !only.key().equals("significance")) {
                return quantity(scenario, only);
            }
        }
        return metric(scenario, part);
    }

    private Quantity.Metric metric(String scenario, Part part) throws Refused {
        if (!part.node().isObject()) {
            throw refuse(part, "a value must have a metric and a cell" + butIs(part));
        }
        keys(part, VALUE_KEYS);
        Set<String> without = new HashSet<>();
        for (JsonNode key : part.node().path("without").values()) {
            without.add(key.asString());
        }
        return new Quantity.Metric(
                part.has("scenario") ? scenario(part) : scenario,
                metric(part),
                cell(part.child("cell")),
                without,
                scale(part),
                part.node().path("complement").booleanValue(false));
    }

    private String scenario(Part part) throws Refused {
        String name = text(part, "scenario");
        if (names != null && !names.scenarios.contains(name)) {
            throw refuse(part.child("scenario"), unknown("scenario", name, names.scenarios));
        }
        return name;
    }

    private String metric(Part part) throws Refused {
        String name = text(part, "metric");
        int dot = name.indexOf('.');
        String family = dot < 0 ? name : name.substring(0, dot);
        if (names != null && !names.metrics.contains(family)) {
            throw refuse(part.child("metric"), unknown("metric", family, names.metrics));
        }
        return name;
    }

    private double scale(Part part) throws Refused {
        double scale = part.has("scale") ? number(part, "scale") : 1;
        if (scale == 0) {
            throw refuse(part.child("scale"), "\"scale\" must not be 0");
        }
        return scale;
    }

    private Map<String, Object> cell(Part part) throws Refused {
        Map<String, Object> cell = new LinkedHashMap<>();
        if (part.node().isMissingNode()) {
            return cell;
        }
        if (!part.node().isObject()) {
            throw refuse(part, "\"" + part.key() + "\" must be keys and values" + butIs(part));
        }
        for (Part value : part.children()) {
            cell.put(value.key(), scalar(value, value.key()));
        }
        return cell;
    }

    private Object scalar(Part part, String key) throws Refused {
        JsonNode value = part.node();
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
        throw refuse(part, key + " must be text, a number, true or false" + butIs(part));
    }

    private Map<String, Axis> axes(Part part) throws Refused {
        Map<String, Axis> axes = new LinkedHashMap<>();
        if (part.node().isMissingNode()) {
            return axes;
        }
        if (!part.node().isObject()) {
            throw refuse(part, "\"" + part.key() + "\" must be keys and their values" + butIs(part));
        }
        for (Part axis : part.children()) {
            axes.put(axis.key(), axis(axis));
        }
        return axes;
    }

    private Axis axis(Part part) throws Refused {
        JsonNode node = part.node();
        if (node.isArray() && !node.isEmpty()) {
            List<Object> values = new ArrayList<>();
            for (Part value : part.items()) {
                values.add(scalar(value, part.key()));
            }
            return new Axis.Listed(values);
        }
        if (node.isString() && node.stringValue().equals("all")) {
            return new Axis.Found(Double.NEGATIVE_INFINITY, Double.POSITIVE_INFINITY);
        }
        if (node.isObject() && !node.isEmpty()) {
            keys(part, Set.of("at-least", "at-most"));
            return new Axis.Found(
                    part.has("at-least") ? number(part, "at-least") : Double.NEGATIVE_INFINITY,
                    part.has("at-most") ? number(part, "at-most") : Double.POSITIVE_INFINITY);
        }
        throw refuse(part, part.key() + " must be a list of values, all, or at-least and at-most" + butIs(part));
    }

    private Take take(Part entry, Map<String, Axis> over) throws Refused {
        Part part = entry.child("take");
        String word = text(entry, "take");
        List<Take> allowed = List.of(Take.EACH, Take.LOWEST, Take.HIGHEST, Take.MEAN, Take.SPREAD);
        for (Take take : allowed) {
            if (take.word().equals(word)) {
                if (over.isEmpty()) {
                    throw refuse(part, "\"take\" needs \"over\": the cells to take the " + word + " of");
                }
                return take;
            }
        }
        throw refuse(
                part, unknown("take", word, allowed.stream().map(Take::word).toList()));
    }

    private double tolerance(Part entry, double published) throws Refused {
        Part part = entry.child("tolerance");
        JsonNode node = part.node();
        if (node.isMissingNode() || (node.isString() && node.stringValue().equals("exact"))) {
            return 0;
        }
        if (node.isObject() && node.size() == 1) {
            if (node.has("percent")) {
                return notNegative(part, number(part, "percent")) / 100 * Math.abs(published);
            }
            if (node.has("unit-of-last-digit")) {
                return notNegative(part, number(part, "unit-of-last-digit"));
            }
        }
        throw refuse(
                part, "\"tolerance\" must be exact, {percent: NUMBER} or {unit-of-last-digit: NUMBER}" + butIs(part));
    }

    private double notNegative(Part part, double tolerance) throws Refused {
        if (tolerance < 0) {
            throw refuse(part, "\"tolerance\" must not be negative");
        }
        return tolerance;
    }

    private Role role(Part entry, Role otherwise) throws Refused {
        return word(entry, "role", Role.values(), Role::word, otherwise);
    }

    private Evidence evidence(Part entry, Evidence otherwise) throws Refused {
        return word(entry, "evidence", Evidence.values(), Evidence::word, otherwise);
    }

    private <E> E word(Part entry, String key, E[] values, Function<E, String> words, E otherwise) throws Refused {
        if (!entry.has(key)) {
            return otherwise;
        }
        String word = text(entry, key);
        for (E value : values) {
            if (words.apply(value).equals(word)) {
                return value;
            }
        }
        throw refuse(
                entry.child(key),
                unknown(key, word, Arrays.stream(values).map(words).toList()));
    }

    private @Nullable String cause(Part entry) throws Refused {
        return entry.has("cause") ? text(entry, "cause") : null;
    }

    private String text(Part entry, String key) throws Refused {
        Part part = present(entry, key);
        if (!part.node().isString() || part.node().stringValue().isBlank()) {
            throw refuse(part, "\"" + key + "\" must be text" + butIs(part));
        }
        return part.node().stringValue().strip();
    }

    private double number(Part entry, String key) throws Refused {
        Part part = present(entry, key);
        if (!part.node().isNumber() || !Double.isFinite(part.node().doubleValue())) {
            throw refuse(part, "\"" + key + "\" must be a number" + butIs(part));
        }
        return part.node().doubleValue();
    }

    private Part present(Part entry, String key) throws Refused {
        Part part = entry.child(key);
        if (part.node().isMissingNode()) {
            throw refuse(part, "\"" + key + "\" is missing");
        }
        return part;
    }

    private void keys(Part part, Set<String> allowed) throws Refused {
        boolean refused = false;
        for (Part child : part.children()) {
            if (!allowed.contains(child.key())) {
                refuseKey(child, unknown("key", child.key(), allowed));
                refused = true;
            }
        }
        if (refused) {
            throw new Refused();
        }
    }

    private Refused refuse(Part part, String message) {
        problems.add(document.problem(part.pointer(), part.id() + ": " + message));
        return new Refused();
    }

    private Refused refuseKey(Part part, String message) {
        problems.add(document.keyProblem(part.pointer(), part.id() + ": " + message));
        return new Refused();
    }

    private static String butIs(Part part) {
        return part.node().isMissingNode() ? ", but is missing" : ", but is " + Document.shown(part.node());
    }

    private static String unknown(String what, String word, Collection<String> allowed) {
        Set<String> sorted = new TreeSet<>(allowed);
        String hint = Spelling.hint(word, sorted);
        return "unknown " + what + " \"" + word + "\""
                + (hint.isEmpty() ? "; allowed: " + String.join(", ", sorted) : hint);
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
