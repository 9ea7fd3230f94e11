package org.reprobe.analysis.claims;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.Claim.Take;
import org.reprobe.analysis.claims.ClaimResult.Role;
import org.reprobe.analysis.document.Binder;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.DocumentSchema.Violation;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.OneOf;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.document.Spelling;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * File of {@code results/published/}: the claims of one paper. {@code ./run.sh reference claims} prints all keys.
 *
 * <pre>{@code
 * paper: {name: linear-probing, title: ..., authors: [...], venue: ..., year: 2020}
 * claims:
 *   - id: linear-probing/figure-10/0.50/size-7
 *     source: Section 5.5
 *     text: ...                            # the paper's words
 *     scenario: figure-10
 *     ratio: {of: Q, to: Q}                # exactly one Quantity; Q is a quantity or a value without its key
 *     over: {load-factor: [0.25, 0.50]}
 *     published: 2.8                       # or at-least, at-most, above, below: a bound; or derived: not printed, but implied;
 *                                          # or equivalent-within: {percent: 7}: a statement of equality, here to 1
 *     unit: times
 *   - table: linear-probing/table-1        # one claim per cell, named TABLE/COLUMN/ROW
 *     text: "requests per lookup, {column}, load factor {row}"
 *     ...
 * }</pre>
 *
 * <p>Tolerances, the same in all files. Counts and shares printed with decimals, and percentages: one unit of the last
 * digit. Counts printed as whole numbers (slots, round trips): none. Performance (rates, latencies, and ratios of
 * them): 7 %. Relations ("higher", "at most", "never worse") and printed bounds ("more than 100"): none. Statements of
 * equality are relations, with a margin: 7 % for words ("comparable", "no impact", "negligible", "not sensitive"), 5 %
 * for "not significant". A sentence is checked as written even if the paper's own table contradicts it.
 *
 * <p>A claim presumes the settings of the shipped scenario that it names: see {@link Comparability}.
 */
public final class ClaimFile {
    static final String AN_AXIS = "a list of values, all, or at-least and at-most";

    /** Mappings of a claim whose keys are cell keys. */
    private static final Set<String> OF_CELLS = Set.of("cell", "at", "among");

    public static final Binder<Published> FILES = Binder.of(Published.class);

    private final Document document;
    private final @Nullable Names names;
    private final List<Problem> problems = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final Set<String> ids = new HashSet<>();
    private final List<Repetition> repetitions = new ArrayList<>();

    private ClaimFile(Document document, @Nullable Names names) {
        this.document = document;
        this.names = names;
    }

    @Section(meaning = "Claims of a paper: results/published/NAME.yaml.")
    public record Published(
            @Key(allowed = "a name, or a paper's name, title, authors, venue and year", meaning = "The paper.")
            Paper paper,

            @Key(allowed = "a list of claims", meaning = "Its claims.")
            List<Entry> claims) {}

    @OneOf(value = OneOf.By.MEMBER, meaning = "A claim, or a table of claims.")
    sealed interface Entry {}

    /** Keys of both claims and tables of claims. */
    @Section(meaning = "Description of a claim.")
    record Common(
            @Key(meaning = "Place in the paper: Table 1, Section 5.3.")
            String source,

            @Key(meaning = "The paper's words, shortened; in a table, {column} and {row} are replaced by their names.")
            String text,

            @Key(meaning = "Scenario whose runs the claim is checked against.")
            String scenario,

            @Key(
                    byDefault = "{}",
                    or = "all",
                    allowed = AN_AXIS,
                    meaning = "Cells that the claim covers: values of the keys that its quantity leaves open.")
            Map<String, CellCondition> over,

            @Key(
                    byDefault = "exact",
                    or = "exact",
                    allowed = "exact, {percent: NUMBER} or {unit-of-last-digit: NUMBER}",
                    meaning = "The largest difference that still agrees.")
            Tolerance tolerance,

            @Key(meaning = "Unit of the number, for display only.")
            String unit,

            @Key(optional = true, meaning = """
                    Choices made in view of the number: calibration, a constant was fitted to it; form-chosen, a form of the model or an \
                    interpretation of the paper; prediction (the default), nothing.""") @Nullable Role role,

            @Key(optional = true, meaning = """
                    Kind of evidence that agreement gives; by default performance, tables or model, derived from the metrics; repeated \
                    with the key repeats.""") @Nullable Evidence evidence,

            @Key(optional = true, meaning = "Known cause of a miss or of the effect.") @Nullable
            String cause) {}

    /** Published number or bound. */
    @Section(meaning = "Required relation to the published number.")
    record Bounds(
            @Key(meaning = "The number that the paper prints.")
            OptionalDouble published,

            @Key(meaning = "The number, if the paper implies it but does not print it.")
            OptionalDouble derived,

            @Key(meaning = "A lower bound.") OptionalDouble atLeast,
            @Key(meaning = "An upper bound.") OptionalDouble atMost,

            @Key(meaning = "An exclusive lower bound.") OptionalDouble above,

            @Key(meaning = "An exclusive upper bound.") OptionalDouble below,

            @Key(optional = true, meaning = """
                    For a statement of equality ("the same", "no impact"): margin within which the whole 95 % interval must be. Of a \
                    ratio, largest, smallest or take: spread, it is around 1; of rise-percent and drop-percent, around 0.""") @Nullable Margin equivalentWithin) {
        private static final List<String> NAMES =
                List.of("published", "derived", "at-least", "at-most", "above", "below", "equivalent-within");

        private Relation relation() {
            if (equivalentWithin != null) {
                return Relation.EQUIVALENT;
            }
            return atLeast.isPresent()
                    ? Relation.AT_LEAST
                    : atMost.isPresent()
                            ? Relation.AT_MOST
                            : above.isPresent() ? Relation.ABOVE : below.isPresent() ? Relation.BELOW : Relation.EQUALS;
        }

        private double number() {
            for (OptionalDouble bound : List.of(published, derived, atLeast, atMost, above, below)) {
                if (bound.isPresent()) {
                    return bound.getAsDouble();
                }
            }
            throw new IllegalStateException("nothing is published");
        }
    }

    @Section(meaning = "Margin of equality.")
    record Margin(@Key(min = 0, meaning = "In percent.") double percent) {
        /** Returns the margin in the unit of a quantity that is {@code equal} to a percentage of 0 or a ratio of 1. */
        private double around(double equal) {
            return equal == 0 ? percent : percent / 100;
        }
    }

    /** Largest difference that still agrees; none without either key. */
    @Section(exactlyOne = true, meaning = "The largest difference that still agrees.")
    record Tolerance(
            @Key(min = 0, meaning = "In percent of the published number.")
            OptionalDouble percent,

            @Key(min = 0, meaning = "In the claim's unit.") OptionalDouble unitOfLastDigit) {
        private double of(double published) {
            return percent.isPresent() ? percent.getAsDouble() / 100 * Math.abs(published) : unitOfLastDigit.orElse(0);
        }
    }

    /** One claim per cell. */
    @Section(name = "table", meaning = "A table: one claim per cell, named TABLE/COLUMN/ROW.")
    record Table(
            @Key(meaning = "linear-probing/table-1.") String table,
            @Key(unwrapped = true, meaning = "") Common common,
            @Key(meaning = "The metric's dotted name.") String metric,

            @Key(byDefault = "{}", meaning = "Keys and values of all cells.")
            Map<String, Object> cell,

            @Key(byDefault = "1", meaning = "Factor to the claims' unit.")
            double scale,

            @Key(meaning = "Keys and values of each column's cells.")
            Map<String, Map<String, Object>> columns,

            @Key(meaning = "The rows.") Map<String, Row> rows,

            @Key(byDefault = "{}", meaning = "Exceptions, by COLUMN/ROW.")
            Map<String, OtherCell> except)
            implements Entry {}

    @Section(meaning = "A row of a table.")
    record Row(
            @Key(byDefault = "{}", meaning = "Keys and values of the row's cells.")
            Map<String, Object> cell,

            @Key(meaning = "The numbers that the paper prints, one per column.")
            List<Double> published) {}

    @Section(meaning = "A cell that differs from the rest of its table.")
    record OtherCell(
            @Key(optional = true, meaning = "Its role.") @Nullable
            Role role,

            @Key(optional = true, meaning = "Its evidence.") @Nullable
            Evidence evidence,

            @Key(optional = true, meaning = "Its cause.") @Nullable
            String cause,

            @Key(optional = true, meaning = "Id of the claim that it repeats.") @Nullable
            String repeats,

            @Key(
                    optional = true,
                    or = "exact",
                    allowed = "exact, {percent: NUMBER} or {unit-of-last-digit: NUMBER}",
                    meaning = "Its tolerance.")
            @Nullable
            Tolerance tolerance) {
        private static final OtherCell NONE = new OtherCell(null, null, null, null, null);
    }

    @Section(name = "id", meaning = "A claim: exactly one quantity, and its published value or bound.")
    record Single(
            @Key(meaning = "linear-probing/figure-10/0.50/size-7.")
            String id,

            @Key(unwrapped = true, meaning = "") Common common,
            @Key(unwrapped = true, meaning = "") Quantity quantity,

            @Key(
                    byDefault = "each",
                    words = {"each", "lowest", "highest", "mean", "spread"},
                    meaning = "Aggregation of the values over several cells; spread is highest / lowest.")
            Take take,

            @Key(optional = true, meaning = """
                    Id of another claim of the file that states the same about the same runs; this one is no further evidence.""") @Nullable String repeats,

            @Key(unwrapped = true, meaning = "") Bounds bounds)
            implements Entry {}

    /** Claim with {@code id} that names another one at {@code pointer}. */
    private record Repetition(String entry, String pointer, String id, String of) {}

    /** Names that claims may use: keys by their full names, families of keys by their common beginning. */
    public record Names(Set<String> scenarios, Set<String> keys, Set<String> families, Set<String> metrics) {
        public Names {
            scenarios = Set.copyOf(scenarios);
            keys = Set.copyOf(keys);
            families = Set.copyOf(families);
            metrics = Set.copyOf(metrics);
        }

        private boolean has(String key) {
            return keys.contains(key) || families.stream().anyMatch(family -> key.startsWith(family + "."));
        }
    }

    public record Content(Paper paper, List<Claim> claims) {
        public Content {
            claims = List.copyOf(claims);
        }
    }

    /**
     * Reads a claims file, checking {@code names} unless null. The claims are in the file's order, tables row by row.
     * Throws an {@link InvalidInputException} if it cannot be read, or with every problem in it.
     */
    public static Content read(Path file, @Nullable Names names) throws InvalidInputException {
        return new ClaimFile(Document.read(file), names).content();
    }

    private Content content() throws InvalidInputException {
        Set<String> refused = new HashSet<>();
        for (Violation violation : FILES.violations(document)) {
            String entry = entryOf(violation.pointer());
            refused.add(entry);
            add(entry, violation.problem());
        }
        JsonNode list = document.root().path("claims");
        for (int i = 0; list.isArray() && i < list.size(); i++) {
            String pointer = "/claims/" + i;
            if (!refused.contains(pointer) && !refused.contains("")) {
                entry(pointer, (ObjectNode) list.get(i).deepCopy());
            }
        }
        if (refused.isEmpty()) {
            repetitions.forEach(this::checkRepetition);
        }
        JsonNode paper = document.root().path("paper");
        Paper bound = refused.contains("") ? null : FILES.bind(document, "/paper", paper, Paper.class, problems);
        if (!problems.isEmpty()) {
            problems.sort(Comparator.comparingInt(Problem::line).thenComparingInt(Problem::column));
            throw new InvalidInputException(problems);
        }
        return new Content(Objects.requireNonNull(bound), claims);
    }

    private void checkRepetition(Repetition repetition) {
        String message = null;
        if (repetition.of.equals(repetition.id)) {
            message = "repeats must name another claim";
        } else if (!ids.contains(repetition.of)) {
            String hint = Spelling.hint(repetition.of, new TreeSet<>(ids));
            message = "repeats names " + repetition.of + ", which is no claim of this file" + hint;
        } else {
            for (Repetition other : repetitions) {
                if (other.id.equals(repetition.of)) {
                    message = "repeats names " + other.id + ", which itself repeats " + other.of + "; name that claim";
                }
            }
        }
        if (message != null) {
            refuse(repetition.entry, repetition.pointer, message);
        }
    }

    /** Returns the pointer of the enclosing entry; "" outside all entries. */
    private static String entryOf(String pointer) {
        String[] parts = pointer.split("/", 4);
        return parts.length > 2 && parts[1].equals("claims") ? "/claims/" + parts[2] : "";
    }

    private void entry(String pointer, ObjectNode node) {
        int before = problems.size();
        checkNames(pointer, pointer, node, node.get("scenario").stringValue().strip());
        List<Problem> unplain = new ArrayList<>();
        Entry entry = FILES.bind(document, pointer, node, Entry.class, unplain);
        unplain.forEach(problem -> add(pointer, problem));
        if (entry == null || problems.size() > before) {
            return;
        }
        switch (entry) {
            case Single single -> single(pointer, node, single);
            case Table table -> table(pointer, table);
        }
    }

    /** Checks the names of scenarios and metrics, and sets each value's scenario to its claim's unless it names one. */
    private void checkNames(String entry, String pointer, ObjectNode node, String scenario) {
        JsonNode metric = node.get("metric");
        if (metric != null) {
            String family = metric.stringValue().strip().split("\\.", 2)[0];
            if (names != null && !names.metrics.contains(family)) {
                refuse(entry, pointer + "/metric", unknown("metric", family, names.metrics));
            }
            if (!node.has("scenario")) {
                node.put("scenario", scenario);
            }
            if (node.path("scale").asDouble(1) == 0) {
                refuse(entry, pointer + "/scale", "scale must not be 0");
            }
        }
        JsonNode own = node.get("scenario");
        if (own != null
                && names != null
                && !names.scenarios.contains(own.stringValue().strip())) {
            if (pointer.equals(entry) || !own.stringValue().equals(scenario)) {
                refuse(
                        entry,
                        pointer + "/scenario",
                        unknown("scenario", own.stringValue().strip(), names.scenarios));
            }
        }
        JsonNode among = node.get("among");
        if (among != null
                && !new HashSet<>(among.propertyNames())
                        .equals(new HashSet<>(node.get("at").propertyNames()))) {
            refuse(entry, pointer, "at and among must have the same keys");
        }
        node.forEachEntry((key, value) -> {
            String at = Document.child(pointer, key);
            if (OF_CELLS.contains(key) || (key.equals("over") && pointer.equals(entry))) {
                checkKeys(entry, at, value);
            } else if (key.equals("columns")) {
                value.forEachEntry((name, column) -> checkKeys(entry, Document.child(at, name), column));
            } else if (key.equals("rows")) {
                value.forEachEntry(
                        (name, row) -> checkKeys(entry, Document.child(at, name) + "/cell", row.path("cell")));
            } else if (!key.equals("except") && value instanceof ObjectNode inner) {
                checkNames(entry, at, inner, scenario);
            }
        });
    }

    private void checkKeys(String entry, String pointer, JsonNode cell) {
        for (String key : cell.propertyNames()) {
            if (names != null && !names.has(key)) {
                refuseKey(
                        entry,
                        Document.child(pointer, key),
                        "unknown key \"" + key + "\"" + Spelling.keyHint(key, new TreeSet<>(names.keys)));
            }
        }
    }

    private void single(String pointer, ObjectNode node, Single single) {
        List<String> given = Bounds.NAMES.stream().filter(node::has).toList();
        Take take = single.take;
        Relation relation;
        double published;
        if (single.quantity instanceof Quantity.Significance test) {
            for (String bound : given) {
                refuse(
                        pointer,
                        pointer + "/" + bound,
                        "significance does not allow " + bound + "; it has a level instead");
            }
            if (node.has("take")) {
                refuse(pointer, pointer + "/take", "significance does not allow take: it covers every cell of over");
            }
            boolean different = test.is().equals("significant");
            relation = different ? Relation.BELOW : Relation.AT_LEAST;
            take = different ? take : Take.LOWEST_OF_FAMILY;
            published = test.level();
        } else if (given.size() == 1) {
            relation = single.bounds.relation();
            published = relation == Relation.EQUIVALENT ? equal(pointer, single) : single.bounds.number();
        } else {
            refuse(pointer, pointer, "needs exactly one of " + String.join(", ", Bounds.NAMES));
            return;
        }
        if (node.has("take") && single.common.over.isEmpty()) {
            refuse(pointer, pointer + "/take", "take needs over: the cells to take the " + single.take.word() + " of");
        }
        Common common = single.common;
        Margin margin = single.bounds.equivalentWithin;
        if (margin != null && node.has("tolerance")) {
            refuse(pointer, pointer + "/tolerance", "equivalent-within is the tolerance; remove one of the two");
        }
        if (single.repeats != null && common.evidence != null && common.evidence != Evidence.REPEATED) {
            refuse(pointer, pointer + "/evidence", "a claim that repeats another has no evidence of its own");
        }
        add(
                pointer,
                pointer + "/id",
                new Claim(
                        single.id,
                        common.source,
                        common.text,
                        single.quantity,
                        common.over,
                        take,
                        relation,
                        published,
                        margin == null ? common.tolerance.of(published) : margin.around(published),
                        common.unit,
                        given.contains("derived"),
                        common.role == null ? Role.PREDICTION : common.role,
                        single.repeats != null
                                ? Evidence.REPEATED
                                : common.evidence == null ? Evidence.of(single.quantity) : common.evidence,
                        common.cause,
                        single.repeats));
        if (single.repeats != null) {
            repetitions.add(new Repetition(pointer, pointer + "/repeats", single.id, single.repeats));
        }
    }

    /** Returns the value of a quantity that states equality. */
    private double equal(String pointer, Single single) {
        if (single.take == Take.SPREAD) {
            return 1;
        }
        return switch (single.quantity) {
            case Quantity.Ratio _, Quantity.RelativeToExtreme _ -> 1;
            case Quantity.RisePercent _, Quantity.DropPercent _ -> 0;
            default -> {
                refuse(
                        pointer,
                        pointer + "/equivalent-within",
                        "equivalent-within needs a ratio, largest, smallest, rise-percent, drop-percent or take: spread");
                yield Double.NaN;
            }
        };
    }

    private void table(String pointer, Table table) {
        Common common = table.common;
        Set<String> unused = new LinkedHashSet<>(table.except.keySet());
        table.rows.forEach((name, row) -> {
            String at = Document.child(pointer + "/rows", name) + "/published";
            if (row.published.size() != table.columns.size()) {
                refuse(
                        pointer,
                        at,
                        "row \"" + name + "\" must publish " + Quantities.count(table.columns.size(), "value")
                                + ", one for each column");
                return;
            }
            int index = 0;
            for (Map.Entry<String, Map<String, Object>> column : table.columns.entrySet()) {
                double published = row.published.get(index);
                String place = column.getKey() + "/" + name;
                Map<String, Object> cell = new LinkedHashMap<>(table.cell);
                cell.putAll(column.getValue());
                cell.putAll(row.cell);
                OtherCell except = table.except.getOrDefault(place, OtherCell.NONE);
                unused.remove(place);
                Quantity.Metric quantity =
                        new Quantity.Metric(common.scenario, table.metric, cell, List.of(), table.scale, false);
                Role role = except.role == null ? common.role : except.role;
                Evidence evidence = except.evidence == null ? common.evidence : except.evidence;
                add(
                        pointer,
                        at + "/" + index++,
                        new Claim(
                                table.table + "/" + place,
                                common.source,
                                common.text.replace("{column}", column.getKey()).replace("{row}", name),
                                quantity,
                                common.over,
                                Take.EACH,
                                Relation.EQUALS,
                                published,
                                (except.tolerance == null ? common.tolerance : except.tolerance).of(published),
                                common.unit,
                                false,
                                role == null ? Role.PREDICTION : role,
                                except.repeats != null
                                        ? Evidence.REPEATED
                                        : evidence == null ? Evidence.of(quantity) : evidence,
                                except.cause == null ? common.cause : except.cause,
                                except.repeats));
                if (except.repeats != null) {
                    repetitions.add(new Repetition(
                            pointer,
                            Document.child(pointer + "/except", place) + "/repeats",
                            table.table + "/" + place,
                            except.repeats));
                }
            }
        });
        for (String place : unused) {
            refuseKey(
                    pointer,
                    Document.child(pointer + "/except", place),
                    "except names " + place + ", which the table does not have");
        }
    }

    /** Adds a claim; complaints about its id point at {@code idAt}. */
    private void add(String pointer, String idAt, Claim claim) {
        if (!ids.add(claim.id())) {
            refuse(pointer, idAt, "duplicate id");
        }
        for (String key : claim.over().keySet()) {
            if (claim.quantity().metrics().stream()
                    .allMatch(metric ->
                            metric.cell().containsKey(key) || metric.without().contains(key))) {
                refuseKey(
                        pointer,
                        Document.child(pointer + "/over", key),
                        "over has " + key + ", but every metric fixes it in cell or lists it in without");
            }
        }
        claims.add(claim);
    }

    private void refuse(String entry, String pointer, String message) {
        add(entry, document.problem(pointer, message));
    }

    private void refuseKey(String entry, String pointer, String message) {
        add(entry, document.keyProblem(pointer, message));
    }

    private void add(String entry, Problem problem) {
        if (entry.isEmpty()) {
            problems.add(problem);
            return;
        }
        JsonNode node = document.root().at(entry);
        String name = node.path("table").asString(node.path("id").asString(""));
        problems.add(new Problem(
                problem.file(),
                problem.line(),
                problem.column(),
                (name.isBlank() ? "claim " + (Integer.parseInt(Document.last(entry)) + 1) : name.strip()) + ": "
                        + problem.message(),
                problem.excerpt()));
    }

    private static String unknown(String what, String word, Collection<String> allowed) {
        Set<String> sorted = new TreeSet<>(allowed);
        String hint = Spelling.hint(word, sorted);
        return "unknown " + what + " \"" + word + "\""
                + (hint.isEmpty() ? "; allowed: " + String.join(", ", sorted) : hint);
    }
}
