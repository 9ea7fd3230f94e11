package org.reprobe.scenario;

import static org.reprobe.analysis.document.Document.child;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.DocumentSchema;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.plots.FigureQuantity;
import org.reprobe.plots.FigureSpec;
import org.reprobe.system.Settings;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLWriteFeature;

/** Reads scenario files: checks them, applies the command line and the scale, sweeps. */
public final class ScenarioReader {
    /** More cells than anybody wants; a slip in a sweep gets there quickly. */
    static final long MAX_CELLS = 100_000;

    /** Of all cells together; each is kept in memory while a scenario runs. */
    public static final long MAX_RUNS = 500_000;

    private static final DocumentSchema SCHEMA = new DocumentSchema(ScenarioKeys.schema());
    private static final Pattern RESULT_FILE =
            Pattern.compile("(?i).*\\.(html|jsonl?|yaml|csv|hlog|svg|png|part)|latest");
    private static final String PERCENTILE = "percentile";

    private final Path nics;
    private final @Nullable Reproducible reproducible;

    /** A reader that finds NIC profiles in the folder {@code nics}, and takes any word for what a scenario reproduces. */
    public ScenarioReader(Path nics) {
        this.nics = nics;
        this.reproducible = null;
    }

    /** A reader that knows what can be reproduced. */
    public ScenarioReader(Path nics, Reproducible reproducible) {
        this.nics = nics;
        this.reproducible = reproducible;
    }

    /** What of which paper scenarios may reproduce; asked for when one says that it does. */
    @FunctionalInterface
    public interface Reproducible {
        /** All of it: {@code linear-probing/table-1}. */
        Set<String> all() throws InvalidInputException;
    }

    /**
     * What the command line says.
     *
     * @param sets {@code key=value}, in order
     * @param fabric in place of the file's, or null
     * @param nic in place of the file's, or null
     */
    public record Options(
            List<String> sets,
            @Nullable String fabric,
            @Nullable String nic,
            Scale scale) {
        public Options {
            sets = List.copyOf(sets);
        }

        /** Nothing but a scale. */
        public static Options of(Scale scale) {
            return new Options(List.of(), null, null, scale);
        }
    }

    /**
     * Reads a scenario.
     *
     * @throws InvalidInputException with every problem of the file and the options
     */
    public Scenario read(Path file, Options options) throws InvalidInputException {
        Overrides overrides = new Overrides(Document.read(file));
        options.sets().forEach(overrides::set);
        String fabric = options.fabric();
        if (fabric != null) {
            overrides.set("fabric", JsonNodeFactory.instance.stringNode(fabric), "--fabric " + fabric);
        }
        String nic = options.nic();
        if (nic != null) {
            overrides.set("nic", JsonNodeFactory.instance.stringNode(nic), "--nic " + nic);
        }
        return new Reading(file, overrides, options.scale(), false).scenario();
    }

    /**
     * Reads the resolved scenario of a result folder, which was checked when it was written.
     *
     * @throws InvalidInputException with every problem of the file
     */
    public Scenario readStored(Path file, Scale scale) throws InvalidInputException {
        return new Reading(file, new Overrides(Document.read(file)), scale, true).scenario();
    }

    /** One axis of the sweep. */
    private record Axis(String name, String dotted, List<JsonNode> values) {}

    /** One rule: settings for the cells that agree. */
    private record Rule(JsonNode node, String pointer) {}

    /** The reading of one file. */
    private final class Reading {
        private final Path file;
        private final Document document;
        private final Set<String> overridden;
        private final Scale scale;
        private final boolean stored;
        private final LinkedHashSet<Problem> problems = new LinkedHashSet<>();
        private final Set<String> wrong = new HashSet<>();

        Reading(Path file, Overrides overrides, Scale scale, boolean stored) {
            this.stored = stored;
            this.file = file;
            this.overridden = overrides.keys();
            this.scale = scale;
            problems.addAll(overrides.problems());
            this.document = usable(overrides.document());
        }

        Scenario scenario() throws InvalidInputException {
            JsonNode root = document.root();
            List<Axis> axes = axes(root);
            Map<String, CellValues.Value> base = base(root);
            List<Rule> rules = rules(root, axes);
            List<Scenario.PlannedCell> cells = new ArrayList<>();
            List<Cell> skipped = new ArrayList<>();
            long product = 1;
            for (Axis axis : axes) {
                product = Math.min(product * axis.values.size(), Long.MAX_VALUE / 1_000_000);
            }
            if (product > MAX_CELLS) {
                problems.add(document.keyProblem(
                        "/sweep", "the sweep has %d cells; at most %d are allowed".formatted(product, MAX_CELLS)));
            } else {
                sweep(axes, base, rules, cells, skipped);
                checkRuns(base, cells);
                if (cells.isEmpty()) {
                    problems.add(document.keyProblem("/skip", "skip leaves out every cell"));
                }
            }
            List<FigureSpec> figures = figures(root, axes, cells);
            String name = name(root);
            checkReproduces(root.path("reproduces"));
            if (!problems.isEmpty()) {
                throw new InvalidInputException(List.copyOf(problems));
            }
            List<String> reproduces = new ArrayList<>();
            root.path("reproduces").forEach(what -> reproduces.add(what.stringValue()));
            String title = root.get("title").stringValue();
            return new Scenario(
                    name,
                    title,
                    reproduces,
                    cells,
                    figures,
                    resolved(name, title, reproduces, read(base, cells), axes, rules, figures),
                    skipped);
        }

        private void checkRuns(Map<String, CellValues.Value> base, List<Scenario.PlannedCell> cells) {
            long runs = cells.stream()
                    .mapToLong(cell -> cell.settings().measure().repeats())
                    .sum();
            if (runs > MAX_RUNS) {
                String pointer =
                        Objects.requireNonNull(base.get("measure.repeats")).pointer();
                problems.add(document.problem(
                        pointer.isEmpty() ? "/sweep" : pointer,
                        "%d cells and their repeats make %d runs; at most %d are allowed"
                                .formatted(cells.size(), runs, MAX_RUNS)));
            }
        }

        /** What the results' folder is called where several scenarios are run: no name of a file that stands beside it. */
        private String name(JsonNode root) {
            String fileName = file.getFileName().toString();
            int dot = fileName.lastIndexOf('.');
            String name =
                    root.has("name") ? root.get("name").stringValue() : dot < 1 ? fileName : fileName.substring(0, dot);
            if (name.length() > ScenarioKeys.MAX_NAME_LENGTH) {
                problems.add(document.problem(
                        "/name",
                        "the name must have at most %d characters, but has %d"
                                .formatted(ScenarioKeys.MAX_NAME_LENGTH, name.length())));
            }
            if (RESULT_FILE.matcher(name).matches()) {
                problems.add(document.problem("/name", "\"" + name + "\" is what a file of results is called"));
            }
            return name;
        }

        private void checkReproduces(JsonNode what) throws InvalidInputException {
            if (reproducible == null || what.isEmpty()) {
                return;
            }
            Set<String> all = reproducible.all();
            for (int i = 0; i < what.size(); i++) {
                String word = what.get(i).stringValue();
                if (!all.contains(word)) {
                    problems.add(document.problem(
                            "/reproduces/" + i,
                            "no claims of results/published/ are about \"" + word + "\"" + Spelling.hint(word, all)));
                }
            }
        }

        /** Notes all violations and returns the document without what they are about, so that the rest can be checked. */
        private Document usable(Document given) {
            Document rest = given;
            for (DocumentSchema.Violation violation : SCHEMA.violations(given)) {
                problems.add(violation.problem());
                String pointer = violation.pointer();
                // Taking one member out of a list would move the others: the whole list goes.
                for (int i = 0; (i = pointer.indexOf('/', i)) >= 0; i++) {
                    if (i + 1 < pointer.length() && Character.isDigit(pointer.charAt(i + 1))) {
                        pointer = pointer.substring(0, i);
                        break;
                    }
                }
                doubt(pointer);
                if (!pointer.isEmpty()) {
                    rest = rest.without(pointer);
                }
            }
            return rest;
        }

        /** Marks the keys that a pointer is about as wrong; all of them where the cells depend on it as a whole. */
        private void doubt(String pointer) {
            String dotted = pointer.isEmpty() ? "" : pointer.substring(1).replace('/', '.');
            String name = dotted.startsWith("sweep.") ? dotted.substring("sweep.".length()) : dotted;
            String key = ScenarioKeys.dotted(name);
            if (key != null) {
                wrong.add(key);
            }
            for (KeyedRecord.Entry any : ScenarioKeys.scalars()) {
                boolean cells = dotted.matches("(sweep|skip|rules|scales)(\\..*)?") && key == null;
                if (cells || any.name().startsWith(dotted + ".")) {
                    wrong.add(any.name());
                }
            }
        }

        private List<Axis> axes(JsonNode root) {
            List<Axis> axes = new ArrayList<>();
            Map<String, String> seen = new HashMap<>();
            for (Map.Entry<String, JsonNode> entry : root.path("sweep").properties()) {
                String dotted = dotted(entry.getKey());
                String before = seen.put(dotted, entry.getKey());
                if (before != null) {
                    problems.add(document.keyProblem(
                            child("/sweep", entry.getKey()),
                            "\"" + entry.getKey() + "\" and \"" + before + "\" are the same key"));
                    continue;
                }
                axes.add(new Axis(
                        entry.getKey(), dotted, List.copyOf(entry.getValue().values())));
            }
            return axes;
        }

        private Map<String, CellValues.Value> base(JsonNode root) {
            Map<String, CellValues.Value> base = new LinkedHashMap<>();
            for (KeyedRecord.Entry key : ScenarioKeys.scalars()) {
                String pointer = "/" + key.name().replace('.', '/');
                JsonNode given = root.at(pointer);
                base.put(
                        key.name(),
                        given.isMissingNode()
                                ? new CellValues.Value(key.byDefault(), "")
                                : new CellValues.Value(given, pointer));
            }
            return base;
        }

        /** The rules in force, those of the scale last. */
        private List<Rule> rules(JsonNode root, List<Axis> axes) {
            List<Rule> rules = new ArrayList<>();
            for (String pointer : List.of("/rules", "/scales/quick", "/scales/full")) {
                int index = 0;
                for (JsonNode rule : root.at(pointer)) {
                    String at = pointer + "/" + index++;
                    for (String name : rule.propertyNames()) {
                        if (!name.equals("when") && !overridden.contains(dotted(name)) && isSwept(name, axes)) {
                            problems.add(document.keyProblem(
                                    child(at, name), "\"" + name + "\" is swept, so a rule can't set it"));
                        }
                    }
                    if (pointer.equals("/rules") || pointer.endsWith(scale.key())) {
                        rules.add(new Rule(rule, at));
                    }
                }
            }
            return rules;
        }

        private void sweep(
                List<Axis> axes,
                Map<String, CellValues.Value> base,
                List<Rule> rules,
                List<Scenario.PlannedCell> cells,
                List<Cell> skipped) {
            Map<String, @Nullable NicProfile> profiles = new HashMap<>();
            CellChecks checks = new CellChecks(document, wrong, profiles, overridden);
            Map<List<Object>, Record> sections = new HashMap<>();
            List<CellValues> all = new ArrayList<>();
            int[] at = new int[axes.size()];
            do {
                CellValues values = CellValues.of(base);
                Map<String, Object> cell = new LinkedHashMap<>();
                for (int i = 0; i < at.length; i++) {
                    Axis axis = axes.get(i);
                    JsonNode value = axis.values.get(at[i]);
                    values.set(axis.dotted, value, child("/sweep", axis.name) + "/" + at[i]);
                    Object plain = CellValues.plain(value);
                    cell.put(
                            axis.name,
                            plain instanceof Double number && ScenarioKeys.isWhole(axis.dotted)
                                    ? (Object) number.longValue()
                                    : plain);
                }
                for (Rule rule : rules) {
                    if (values.agree(rule.node.path("when"))) {
                        for (Map.Entry<String, JsonNode> entry : rule.node.properties()) {
                            String name = entry.getKey();
                            if (!name.equals("when") && !overridden.contains(dotted(name))) {
                                values.set(dotted(name), entry.getValue(), child(rule.pointer, name));
                            }
                        }
                    }
                }
                cell.putIfAbsent("scheme", values.word("scheme"));
                cell.putIfAbsent("load-factor", values.number("load-factor"));
                if (isSkipped(values)) {
                    skipped.add(new Cell(cell));
                } else {
                    profile(values, profiles);
                    Settings settings = values.settings(sections);
                    if (!stored) {
                        checks.check(values, settings);
                    }
                    all.add(values);
                    cells.add(new Scenario.PlannedCell(
                            new Cell(cell),
                            settings,
                            new Cell(cell),
                            values.plain(ScenarioKeys.readBy(settings.scheme()))));
                }
            } while (next(at, axes));
            show(rules, all, cells);
            problems.addAll(checks.problems());
        }

        /** Cells that differ in more than what is swept are not comparable in that alone: it is shown with each. */
        private void show(List<Rule> rules, List<CellValues> all, List<Scenario.PlannedCell> cells) {
            Set<String> ruled = new LinkedHashSet<>();
            for (Rule rule : rules) {
                rule.node.propertyNames().stream()
                        .filter(name -> !name.equals("when") && !name.equals("scheme") && !name.equals("load-factor"))
                        .forEach(name -> ruled.add(dotted(name)));
            }
            for (String key : ruled) {
                if (all.stream()
                                .map(values -> CellValues.plain(values.node(key)))
                                .distinct()
                                .count()
                        > 1) {
                    String name = key.substring(key.lastIndexOf('.') + 1);
                    for (int i = 0; i < cells.size(); i++) {
                        Scenario.PlannedCell planned = cells.get(i);
                        Map<String, Object> shown =
                                new LinkedHashMap<>(planned.shown().values());
                        shown.put(name, CellValues.plain(all.get(i).node(key)));
                        cells.set(
                                i,
                                new Scenario.PlannedCell(
                                        planned.cell(), planned.settings(), new Cell(shown), planned.values()));
                    }
                }
            }
        }

        /** Steps to the next combination, the last axis fastest; false after the last one. */
        private static boolean next(int[] at, List<Axis> axes) {
            for (int i = at.length - 1; i >= 0; i--) {
                if (++at[i] < axes.get(i).values.size()) {
                    return true;
                }
                at[i] = 0;
            }
            return false;
        }

        private boolean isSkipped(CellValues values) {
            for (JsonNode entry : document.root().path("skip")) {
                if (!entry.isEmpty() && values.agree(entry)) {
                    return true;
                }
            }
            return false;
        }

        private void profile(CellValues values, Map<String, @Nullable NicProfile> profiles) {
            String nic = values.word("nic");
            if (profiles.containsKey(nic)) {
                return;
            }
            profiles.put(nic, null);
            try {
                List<String> names = NicProfiles.names(nics);
                if (names.contains(nic)) {
                    profiles.put(nic, NicProfiles.load(nics, nic));
                } else if (!wrong.contains("nic")) {
                    problems.add(document.problem(values.pointer("nic"), NicProfiles.missing(nic, names)));
                }
            } catch (InvalidInputException unusable) {
                problems.addAll(unusable.problems());
            }
        }

        private List<FigureSpec> figures(JsonNode root, List<Axis> axes, List<Scenario.PlannedCell> cells) {
            List<FigureSpec> figures = new ArrayList<>();
            Set<String> names = new HashSet<>();
            int index = 0;
            for (JsonNode figure : root.path("figures")) {
                String at = "/figures/" + index++;
                String name = figure.get("name").stringValue();
                if (!names.add(name)) {
                    problems.add(document.problem(at + "/name", "there are two figures named \"" + name + "\""));
                }
                FigureQuantity y = quantity(figure.get("y").stringValue());
                String x = figure.get("x").stringValue();
                if (x.equals(PERCENTILE) != (y == FigureQuantity.LATENCY)) {
                    problems.add(document.problem(
                            at + (x.equals(PERCENTILE) ? "/y" : "/x"),
                            "x: percentile goes with y: latency and only so"));
                }
                if (!x.equals(PERCENTILE)) {
                    x = cellKey(x, axes, at + "/x", true);
                }
                List<String> series = new ArrayList<>();
                JsonNode given = figure.get("series");
                if (given == null) {
                    series.add("scheme");
                } else if (given.isArray()) {
                    for (int i = 0; i < given.size(); i++) {
                        series.add(cellKey(given.get(i).stringValue(), axes, at + "/series/" + i, false));
                    }
                } else {
                    series.add(cellKey(given.stringValue(), axes, at + "/series", false));
                }
                String panels = figure.path("panels").asString("");
                if (!panels.isEmpty()) {
                    panels = cellKey(panels, axes, at + "/panels", false);
                }
                Map<String, Object> where = new LinkedHashMap<>();
                for (Map.Entry<String, JsonNode> entry : figure.path("where").properties()) {
                    String key = cellKey(entry.getKey(), axes, child(at + "/where", entry.getKey()), false);
                    where.put(key, CellValues.plain(entry.getValue()));
                }
                if (wrong.isEmpty()
                        && !where.isEmpty()
                        && cells.stream().noneMatch(cell -> cell.cell().matches(where))) {
                    if (!overridden.isEmpty()) {
                        continue; // no fault of the file: its override took the cells away
                    }
                    problems.add(document.problem(at + "/where", "no cell has these values"));
                }
                figures.add(new FigureSpec(
                        name,
                        figure.path("title").asString(""),
                        x,
                        y,
                        series,
                        panels,
                        FigureSpec.Shape.valueOf(
                                figure.path("shape").asString("line").toUpperCase(Locale.ROOT)),
                        figure.path("log-x").asBoolean(false),
                        figure.path("log-y").asBoolean(false),
                        where));
            }
            return figures;
        }

        /** The name by which cells carry a key that a figure speaks of. */
        private String cellKey(String name, List<Axis> axes, String pointer, boolean orPercentile) {
            String dotted = ScenarioKeys.dotted(name);
            if (name.equals("scheme") || name.equals("load-factor") || (dotted != null && wrong.contains(dotted))) {
                return name;
            }
            Set<String> known = new LinkedHashSet<>();
            for (Axis axis : axes) {
                if (axis.dotted.equals(dotted)) {
                    return axis.name;
                }
                known.add(axis.name);
            }
            known.add("scheme");
            known.add("load-factor");
            if (orPercentile) {
                known.add(PERCENTILE);
            }
            String hint = Spelling.hint(name, known);
            String message = "\"" + name + "\" is not swept"
                    + (hint.isEmpty() ? "; cells have " + String.join(", ", known) : hint);
            problems.add(document.problem(pointer, message));
            return name;
        }

        /** The values of keys that some cell reads. */
        private static Map<String, CellValues.Value> read(
                Map<String, CellValues.Value> base, List<Scenario.PlannedCell> cells) {
            Set<String> schemes = new HashSet<>();
            cells.forEach(cell -> schemes.add(cell.settings().scheme()));
            Map<String, CellValues.Value> read = new LinkedHashMap<>(base);
            read.keySet()
                    .removeIf(key -> schemes.stream()
                            .noneMatch(scheme -> ScenarioKeys.readBy(scheme).contains(key)));
            return read;
        }

        private String resolved(
                String name,
                String title,
                List<String> reproduces,
                Map<String, CellValues.Value> base,
                List<Axis> axes,
                List<Rule> rules,
                List<FigureSpec> figures) {
            ObjectNode root = JsonNodeFactory.instance.objectNode();
            root.put("name", name).put("title", title);
            ArrayNode what = root.putArray("reproduces");
            reproduces.forEach(what::add);
            base.forEach((dotted, value) -> {
                int dot = dotted.indexOf('.');
                ObjectNode holder = root;
                if (dot > 0) {
                    String section = dotted.substring(0, dot);
                    holder = root.has(section) ? (ObjectNode) root.get(section) : root.putObject(section);
                }
                holder.set(dotted.substring(dot + 1), value.node());
            });
            ObjectNode sweep = root.putObject("sweep");
            axes.forEach(axis -> sweep.putArray(axis.name).addAll(axis.values));
            root.set("skip", document.root().has("skip") ? document.root().get("skip") : root.arrayNode());
            ArrayNode inForce = root.putArray("rules");
            for (Rule rule : rules) {
                ObjectNode kept = (ObjectNode) rule.node.deepCopy();
                kept.remove(kept.propertyNames().stream()
                        .filter(key -> !key.equals("when") && overridden.contains(dotted(key)))
                        .toList());
                if (kept.size() > (kept.has("when") ? 1 : 0)) {
                    inForce.add(kept);
                }
            }
            ArrayNode drawn = root.putArray("figures");
            for (FigureSpec figure : figures) {
                ObjectNode node = drawn.addObject()
                        .put("name", figure.name())
                        .put("title", figure.title())
                        .put("x", figure.x())
                        .put("y", figure.y().key());
                ArrayNode series = node.putArray("series");
                figure.series().forEach(series::add);
                node.put("panels", figure.panels())
                        .put("shape", figure.shape().name().toLowerCase(Locale.ROOT))
                        .put("log-x", figure.logX())
                        .put("log-y", figure.logY());
                ObjectNode where = node.putObject("where");
                new java.util.TreeMap<>(figure.where()).forEach(where::putPOJO);
            }
            return YAMLMapper.builder()
                    .disable(YAMLWriteFeature.WRITE_DOC_START_MARKER)
                    .enable(YAMLWriteFeature.MINIMIZE_QUOTES)
                    .enable(YAMLWriteFeature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
                    .build()
                    .writeValueAsString(root);
        }
    }

    private static FigureQuantity quantity(String key) {
        for (FigureQuantity quantity : FigureQuantity.ofScenarios()) {
            if (quantity.key().equals(key)) {
                return quantity;
            }
        }
        throw new IllegalArgumentException("unknown quantity \"" + key + "\"");
    }

    private static boolean isSwept(String name, List<Axis> axes) {
        return axes.stream().anyMatch(axis -> axis.dotted.equals(dotted(name)));
    }

    private static String dotted(String name) {
        String dotted = ScenarioKeys.dotted(name);
        if (dotted == null) {
            throw new IllegalStateException("the schema let \"" + name + "\" pass");
        }
        return dotted;
    }
}
