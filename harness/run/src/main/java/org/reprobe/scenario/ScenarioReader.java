package org.reprobe.scenario;

import static org.reprobe.analysis.document.Document.child;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.cards.CardPoint;
import org.reprobe.analysis.cards.CardPoints;
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
import org.reprobe.system.FaultSpec;
import org.reprobe.system.NamedWorkloads;
import org.reprobe.system.Run;
import org.reprobe.system.Settings;
import org.reprobe.system.Systems;
import org.reprobe.workload.NamedWorkload;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Reader of scenario files: checks them, applies the command line and the scale, and sweeps. */
public final class ScenarioReader {
    /** Maximum number of cells; a typing error in a sweep soon exceeds it. */
    static final long MAX_CELLS = 100_000;

    /** Maximum number of runs of all cells; each is kept in memory while a scenario runs. */
    public static final long MAX_RUNS = 500_000;

    /** Maximum length of file names, as in {@link FigureSpec#FILE_NAME}. */
    private static final int MAX_NAME_LENGTH = 100;

    private static final String NO_POINTS = "none";

    private static final Pattern UNDRAWABLE = Pattern.compile(FigureSpec.UNDRAWABLE);

    private static final Pattern RESULT_FILE =
            Pattern.compile("(?i).*\\.(html|jsonl?|yaml|csv|hlog|svg|png|part)|latest");

    private final Path nics;
    private final @Nullable Reproducible reproducible;

    /** Reader with NIC profiles from the folder {@code nics} that accepts any name in {@code reproduces}. */
    public ScenarioReader(Path nics) {
        this.nics = nics;
        this.reproducible = null;
    }

    /** Reader that accepts known names in {@code reproduces} only. */
    public ScenarioReader(Path nics, Reproducible reproducible) {
        this.nics = nics;
        this.reproducible = reproducible;
    }

    /**
     * Names that scenarios may reproduce, such as {@code linear-probing/table-1}; read when a scenario has such names.
     */
    public interface Reproducible {
        /** Returns true for a known name; needs the file of its paper alone. */
        boolean contains(String name) throws InvalidInputException;

        Set<String> all() throws InvalidInputException;
    }

    /** Options of the command line; a fabric or NIC replaces the file's, and filters are parts of labels. */
    public record Options(
            List<String> sets,
            @Nullable String fabric,
            @Nullable String nic,
            Scale scale,
            List<String> filters) {
        public Options {
            sets = List.copyOf(sets);
            filters = List.copyOf(filters);
        }

        public Options(List<String> sets, @Nullable String fabric, @Nullable String nic, Scale scale) {
            this(sets, fabric, nic, scale, List.of());
        }

        public static Options of(Scale scale) {
            return new Options(List.of(), null, null, scale);
        }
    }

    /** Reads a scenario; fails with every problem of the file and the options. */
    public Scenario read(Path file, Options options) throws InvalidInputException {
        return read(Document.read(file), options);
    }

    /** Reads a scenario from its document, to read one file with several options. */
    public Scenario read(Document file, Options options) throws InvalidInputException {
        Overrides overrides = new Overrides(file);
        options.sets().forEach(overrides::set);
        String fabric = options.fabric();
        if (fabric != null) {
            overrides.set("fabric", JsonNodeFactory.instance.stringNode(fabric), "--fabric " + fabric);
        }
        String nic = options.nic();
        if (nic != null) {
            overrides.set("nic", JsonNodeFactory.instance.stringNode(nic), "--nic " + nic);
        }
        return new Reading(overrides, options.scale(), false, options.filters()).scenario();
    }

    /** Reads the resolved scenario of a result folder, which was checked when it was written. */
    public Scenario readStored(Path file, Scale scale) throws InvalidInputException {
        return new Reading(new Overrides(Document.read(file)), scale, true, List.of()).scenario();
    }

    private final class Reading {
        private final Document document;
        private final Set<String> overridden;
        private final Scale scale;
        private final boolean stored;
        private final List<String> filters;
        private final boolean narrowed;
        private final LinkedHashSet<Problem> problems = new LinkedHashSet<>();
        private final Set<String> wrong = new HashSet<>();

        Reading(Overrides overrides, Scale scale, boolean stored, List<String> filters) {
            this.stored = stored;
            this.filters = filters;
            this.overridden = overrides.keys();
            this.narrowed = overrides.narrowsSweep() || !filters.isEmpty();
            this.scale = scale;
            problems.addAll(overrides.problems());
            this.document = usable(withTrace(withPoints(overrides.document())));
        }

        Scenario scenario() throws InvalidInputException {
            ScenarioFile given =
                    ScenarioKeys.FILES.bind(document, "", document.root(), ScenarioFile.class, new ArrayList<>());
            if (given == null) {
                throw new IllegalStateException("the schema accepted a document that can't be bound");
            }
            List<ScenarioFile.ListedCell> listed = listed(given);
            List<Sweep.PlacedRule> rules = rules(given);
            Map<String, CellValues.Value> base = base(given.settings(), rules, listed);
            Sweep all = new Sweep(given.sweep(), listed, base, rules, given.skip(), List.of());
            Map<String, List<JsonNode>> swept = all.values();
            List<ScenarioFile.Condition> only = only(given, swept, base);
            Sweep sweep = new Sweep(given.sweep(), listed, base, rules, given.skip(), only);
            List<Scenario.PlannedCell> cells = new ArrayList<>();
            List<Cell> skipped = new ArrayList<>();
            if (sweep.size() > MAX_CELLS) {
                problems.add(document.keyProblem(
                        "/sweep", "the sweep has %d cells; at most %d are allowed".formatted(sweep.size(), MAX_CELLS)));
            } else {
                cells.addAll(cells(sweep, given.faults(), skipped));
                checkRuns(sweep, cells);
                if (cells.isEmpty()) {
                    problems.add(noCell(given));
                }
            }
            List<FigureSpec> figures = figures(given, swept.keySet(), cells);
            String name = name(given.name());
            checkReproduces(given.reproduces());
            if (!problems.isEmpty()) {
                throw new InvalidInputException(List.copyOf(problems));
            }
            ScenarioFile resolved = new ScenarioFile(
                    given.title(),
                    name,
                    given.reproduces(),
                    settings(sweep.base(), cells),
                    given.sweep(),
                    NO_POINTS,
                    listed,
                    given.skip(),
                    only,
                    sweep.rules().stream().map(Sweep.PlacedRule::rule).toList(),
                    ScenarioFile.Scales.NONE,
                    given.faults(),
                    figures);
            return new Scenario(
                    name, given.title(), given.reproduces(), cells, figures, ResolvedYaml.of(resolved), skipped);
        }

        /** Returns the document with the rows of its measurements as cells. */
        private Document withPoints(Document given) {
            JsonNode points = given.root().path("points");
            if (!points.isString() || points.stringValue().equals(NO_POINTS)) {
                return given;
            }
            if (given.root().has("cells")) {
                problems.add(given.keyProblem("/cells", "cells and points exclude each other"));
                return given.without("/points");
            }
            ArrayNode cells = JsonNodeFactory.instance.arrayNode();
            String file = points.stringValue();
            try {
                Path path = Path.of(given.name()).resolveSibling(file).normalize();
                if (!Files.isRegularFile(path)) {
                    problems.add(given.problem("/points", "there is no file " + path));
                } else {
                    for (CardPoint point : CardPoints.read(path)) {
                        if (point.isExpressible()) {
                            ObjectNode cell = cells.addObject();
                            point.cell().forEach((key, value) -> cell.set(key, CellValues.node(value)));
                        }
                    }
                    if (cells.isEmpty()) {
                        problems.add(given.problem("/points", "no row of " + file + " can be repeated"));
                    }
                }
            } catch (InvalidPathException e) {
                problems.add(given.problem("/points", "\"" + file + "\" can't be the name of a file"));
            } catch (InvalidInputException unusable) {
                problems.addAll(unusable.problems());
            }
            if (cells.isEmpty()) {
                // It is not known which keys would be swept.
                ScenarioKeys.scalars().forEach(key -> wrong.add(key.name()));
            }
            return given.without("/points").with("/cells", cells, file);
        }

        /** Returns the document with the rows of its trace as phases of the load. */
        private Document withTrace(Document given) {
            JsonNode trace = given.root().at("/load/trace");
            if (!trace.isString() || trace.stringValue().equals(Settings.Load.NO_TRACE)) {
                return given;
            }
            if (!given.root().at("/load/phases").isMissingNode()) {
                problems.add(given.keyProblem("/load/trace", "phases and trace exclude each other"));
                return given.without("/load/trace");
            }
            ArrayNode phases = JsonNodeFactory.instance.arrayNode();
            try {
                phases = LoadTrace.phases(Path.of(given.name())
                        .resolveSibling(trace.stringValue())
                        .normalize());
            } catch (InvalidPathException e) {
                problems.add(
                        given.problem("/load/trace", "\"" + trace.stringValue() + "\" can't be the name of a file"));
            } catch (InvalidInputException unusable) {
                for (Problem problem : unusable.problems()) {
                    problems.add(
                            problem.line() > 0
                                    ? problem
                                    : given.problem("/load/trace", problem.file() + ": " + problem.message()));
                }
            }
            if (phases.isEmpty()) {
                wrong.addAll(List.of("load.phases", "load.scale"));
            }
            return given.without("/load/trace").with("/load/phases", phases, trace.stringValue());
        }

        /** Returns the selected cells of the file; invalid filters are reported and select all. */
        private List<ScenarioFile.Condition> only(
                ScenarioFile given, Map<String, List<JsonNode>> swept, Map<String, CellValues.Value> base) {
            CellFilter filter = new CellFilter(name(given.name()), swept, base);
            List<ScenarioFile.Condition> filtered =
                    filters.stream().map(filter::condition).toList();
            boolean wrongKeys = ScenarioKeys.scalars().stream().anyMatch(key -> wrong.contains(key.name()));
            if (!filter.problems().isEmpty()) {
                problems.addAll(wrongKeys ? List.of() : filter.problems());
                return given.only();
            }
            List<ScenarioFile.Condition> only = CellFilter.both(given.only(), filtered);
            if (only.isEmpty() && !filtered.isEmpty()) {
                problems.add(Problem.of(
                        "--filter " + filters.getFirst(), "no cell matches both the filter and the file's only"));
            }
            return only;
        }

        private Problem noCell(ScenarioFile given) {
            if (!filters.isEmpty()) {
                return Problem.of(
                        "--filter " + String.join(" --filter ", filters),
                        "no cell of " + name(given.name()) + " matches all filters together");
            }
            return given.only().isEmpty()
                    ? document.keyProblem("/skip", "skip excludes every cell")
                    : document.keyProblem("/only", "no cell matches an entry of only and is not excluded by skip");
        }

        private void checkRuns(Sweep sweep, List<Scenario.PlannedCell> cells) {
            long runs = cells.stream()
                    .map(cell -> cell.settings().measure())
                    .mapToLong(measure -> measure.repeats() + measure.drawnProfiles())
                    .sum();
            if (runs > MAX_RUNS) {
                String pointer = Objects.requireNonNull(sweep.base().get("measure.repeats"))
                        .pointer();
                problems.add(document.problem(
                        pointer.isEmpty() ? "/sweep" : pointer,
                        "%d cells and their repeats make %d runs; at most %d are allowed"
                                .formatted(cells.size(), runs, MAX_RUNS)));
            }
        }

        /** Returns the folder's name for several scenarios: not the name of a file beside it. */
        private String name(@Nullable String given) {
            String fileName = Path.of(document.name()).getFileName().toString();
            int dot = fileName.lastIndexOf('.');
            String name = given != null ? given : dot < 1 ? fileName : fileName.substring(0, dot);
            if (name.length() > MAX_NAME_LENGTH) {
                problems.add(document.problem(
                        "/name",
                        "the name must have at most %d characters, but has %d"
                                .formatted(MAX_NAME_LENGTH, name.length())));
            }
            if (RESULT_FILE.matcher(name).matches()) {
                problems.add(document.problem("/name", "\"" + name + "\" is the name of a result file"));
            }
            return name;
        }

        private void checkReproduces(List<String> given) {
            if (reproducible == null || given.isEmpty()) {
                return;
            }
            try {
                for (int i = 0; i < given.size(); i++) {
                    String name = given.get(i);
                    if (!reproducible.contains(name)) {
                        problems.add(document.problem(
                                "/reproduces/" + i,
                                "results/published/ has no claims on \"" + name + "\""
                                        + Spelling.hint(name, reproducible.all())));
                    }
                }
            } catch (InvalidInputException e) {
                problems.addAll(e.problems());
            }
        }

        /** Records all violations; returns the document without the values concerned, so that the rest is checked. */
        private Document usable(Document given) {
            Document rest = given;
            for (DocumentSchema.Violation violation : ScenarioKeys.FILES.violations(given)) {
                problems.add(named(given, violation));
                // Removing one element of a list would shift the others: the whole list is removed, and so is a whole
                // mapping.
                String pointer = ofKey(violation.pointer().replaceFirst("/[0-9].*", ""));
                doubt(pointer);
                if (!pointer.isEmpty()) {
                    rest = rest.without(pointer);
                }
            }
            return rest;
        }

        /** Returns the problem; for a key of earlier versions with its successors. */
        private static Problem named(Document given, DocumentSchema.Violation violation) {
            String dotted = violation.pointer().replaceFirst("^/(sweep/)?", "").replace('/', '.');
            String successors = ScenarioKeys.gone(dotted);
            return successors.isEmpty()
                    ? violation.problem()
                    : given.keyProblem(violation.pointer(), "unknown key \"" + dotted + "\"" + successors);
        }

        private static String ofKey(String pointer) {
            for (String at = pointer; !at.isEmpty(); at = Document.parent(at)) {
                KeyedRecord.Entry key = ScenarioKeys.scalar(at.substring(1).replace('/', '.'));
                if (key != null && !key.key().family()) {
                    return at;
                }
            }
            return pointer;
        }

        /** Marks the keys of a pointer as wrong; all keys if the cells depend on it as a whole. */
        private void doubt(String pointer) {
            String dotted = pointer.isEmpty() ? "" : pointer.substring(1).replace('/', '.');
            String name = dotted.startsWith("sweep.") ? dotted.substring("sweep.".length()) : dotted;
            if (ScenarioKeys.scalar(name) != null) {
                wrong.add(name);
                return;
            }
            boolean cells = dotted.matches("(sweep|points|cells|skip|only|rules|scales|faults)(\\..*)?");
            for (KeyedRecord.Entry any : ScenarioKeys.scalars()) {
                if (cells || any.name().startsWith(dotted + ".")) {
                    wrong.add(any.name());
                }
            }
        }

        /** Returns the cells of the list, with the values that the command line sets. */
        private List<ScenarioFile.ListedCell> listed(ScenarioFile given) {
            List<ScenarioFile.ListedCell> listed = new ArrayList<>();
            for (int i = 0; i < given.cells().size(); i++) {
                Map<String, JsonNode> keys =
                        new LinkedHashMap<>(given.cells().get(i).keys());
                keys.keySet()
                        .removeIf(
                                key -> overridden.contains(key) && given.sweep().containsKey(key));
                keys.replaceAll((key, value) ->
                        overridden.contains(key) ? given.settings().at("/" + key.replace('.', '/')) : value);
                for (String key : keys.keySet()) {
                    if (given.sweep().containsKey(key)) {
                        problems.add(document.keyProblem(
                                child("/cells/" + i, key),
                                "\"" + key + "\" is swept, so a cell of the list can't set it"));
                    }
                }
                listed.add(new ScenarioFile.ListedCell(keys));
            }
            return listed;
        }

        private Map<String, CellValues.Value> base(
                JsonNode settings, List<Sweep.PlacedRule> rules, List<ScenarioFile.ListedCell> listed) {
            Map<String, CellValues.Value> base = new LinkedHashMap<>();
            for (KeyedRecord.Entry key : ScenarioKeys.scalars()) {
                String pointer = "/" + key.name().replace('.', '/');
                JsonNode given = settings.at(pointer);
                base.put(
                        key.name(),
                        given.isMissingNode()
                                ? new CellValues.Value(key.byDefault(), "")
                                : new CellValues.Value(given, pointer));
            }
            for (String family : ScenarioKeys.families()) {
                String pointer = "/" + family.replace('.', '/');
                settings.at(pointer)
                        .properties()
                        .forEach(entry -> base.put(
                                family + "." + entry.getKey(),
                                new CellValues.Value(entry.getValue(), child(pointer, entry.getKey()))));
            }
            // A key of a family that only rules or listed cells set has no value in the other cells.
            CellValues.Value none = new CellValues.Value(JsonNodeFactory.instance.stringNode(""), "");
            rules.forEach(placed -> placed.rule().settings().keySet().forEach(key -> base.putIfAbsent(key, none)));
            listed.forEach(cell -> cell.keys().keySet().forEach(key -> base.putIfAbsent(key, none)));
            return base;
        }

        private List<Sweep.PlacedRule> rules(ScenarioFile given) {
            Set<String> swept = new HashSet<>(given.sweep().keySet());
            given.cells().forEach(cell -> swept.addAll(cell.keys().keySet()));
            List<Sweep.PlacedRule> inForce = new ArrayList<>(placed(given.rules(), "/rules", swept));
            for (Scale each : Scale.values()) {
                List<Sweep.PlacedRule> ofScale = placed(given.scales().of(each), "/scales/" + each.key(), swept);
                inForce.addAll(each == scale ? ofScale : List.of());
            }
            return inForce;
        }

        private List<Sweep.PlacedRule> placed(List<ScenarioFile.Rule> rules, String pointer, Set<String> swept) {
            List<Sweep.PlacedRule> placed = new ArrayList<>();
            for (int i = 0; i < rules.size(); i++) {
                String at = pointer + "/" + i;
                Map<String, JsonNode> settings =
                        new LinkedHashMap<>(rules.get(i).settings());
                settings.keySet().removeAll(overridden);
                for (String key : settings.keySet()) {
                    if (swept.contains(key)) {
                        problems.add(document.keyProblem(
                                child(at, key), "\"" + key + "\" is swept, so a rule can't set it"));
                    }
                }
                if (!settings.isEmpty()) {
                    placed.add(new Sweep.PlacedRule(
                            new ScenarioFile.Rule(rules.get(i).when(), settings), at));
                }
            }
            return placed;
        }

        private List<Scenario.PlannedCell> cells(Sweep sweep, List<FaultSpec> faults, List<Cell> skipped) {
            Map<String, @Nullable NicProfile> profiles = new HashMap<>();
            CellChecks checks = new CellChecks(document, wrong, profiles, overridden, narrowed);
            FaultChecks faultChecks = new FaultChecks(document, wrong, faults);
            Map<List<Object>, Record> sections = new HashMap<>();
            List<Sweep.Combination> combinations = sweep.combinations(skipped);
            Set<String> ruled = sweep.ruled(combinations);
            List<Scenario.PlannedCell> cells = new ArrayList<>();
            for (Sweep.Combination combination : combinations) {
                CellValues values = combination.values();
                profile(values, profiles);
                Settings settings = withFaults(values.settings(sections), faults, combination.cell());
                if (!stored) {
                    checks.check(values, settings);
                    NicProfile nic = profiles.get(settings.nic());
                    if (nic != null && !settings.faults().isEmpty()) {
                        Run any = Systems.of(settings.scheme()).deployment(settings, nic, 0);
                        faultChecks.check(settings, any, combination.cell());
                    }
                }
                // Cells that also differ in settings that are not swept are displayed with these.
                Map<String, Object> shown =
                        new LinkedHashMap<>(combination.cell().values());
                ruled.forEach(key -> shown.put(key, CellValues.plain(values.node(key))));
                if (!stored) {
                    shown.forEach((key, value) -> checkDrawable(values.pointer(key), key, value));
                }
                Map<String, Object> read = values.plain(ScenarioKeys.readBy(settings.scheme()));
                NamedWorkloads.values(settings).forEach(read::replace);
                cells.add(new Scenario.PlannedCell(combination.cell(), settings, new Cell(shown), read));
            }
            problems.addAll(checks.problems());
            if (!stored) {
                problems.addAll(faultChecks.problems());
            }
            return cells;
        }

        private void checkDrawable(String pointer, String key, @Nullable Object value) {
            Matcher undrawable = UNDRAWABLE.matcher(String.valueOf(value));
            if (undrawable.find()) {
                problems.add(document.problem(
                        pointer,
                        "%s can't contain the control character U+%04X: figures show it in labels"
                                .formatted(key, undrawable.group().codePointAt(0))));
            }
        }

        private static Settings withFaults(Settings settings, List<FaultSpec> faults, Cell cell) {
            List<FaultSpec> own =
                    faults.stream().filter(fault -> cell.matches(fault.where())).toList();
            return own.isEmpty() ? settings : settings.with(own);
        }

        private void profile(CellValues values, Map<String, @Nullable NicProfile> profiles) {
            String nic = values.word("nic");
            if (profiles.containsKey(nic)) {
                return;
            }
            profiles.put(nic, null);
            try {
                String missing = NicProfiles.missing(nics, nic);
                if (missing == null) {
                    profiles.put(nic, NicProfiles.load(nics, nic));
                } else if (!wrong.contains("nic")) {
                    problems.add(document.problem(values.pointer("nic"), missing));
                }
            } catch (InvalidInputException unusable) {
                problems.addAll(unusable.problems());
            }
        }

        /** Returns false, with a problem, if only one of this x and this y is used: each needs the other. */
        private boolean goesOnlyWith(FigureSpec figure, String x, FigureQuantity y, String at) {
            boolean is = figure.x().equals(x);
            if (is != (figure.y() == y)) {
                problems.add(document.problem(
                        at + (is ? "/y" : "/x"), "x: " + x + " and y: " + y.key() + " need each other"));
            }
            return is;
        }

        private List<FigureSpec> figures(ScenarioFile given, Set<String> keys, List<Scenario.PlannedCell> cells) {
            Set<String> swept = new LinkedHashSet<>(keys);
            swept.add(ScenarioKeys.SCHEME);
            swept.add(ScenarioKeys.LOAD_FACTOR);
            List<FigureSpec> figures = new ArrayList<>();
            Set<String> names = new HashSet<>();
            checkDrawable("/title", "title", given.title());
            for (int i = 0; i < given.figures().size(); i++) {
                FigureSpec figure = given.figures().get(i);
                String at = "/figures/" + i;
                checkDrawable(at + "/title", "title", figure.title());
                if (!names.add(figure.name())) {
                    problems.add(document.problem(at + "/name", "two figures are named \"" + figure.name() + "\""));
                }
                boolean percentiles = goesOnlyWith(figure, FigureSpec.PERCENTILE, FigureQuantity.LATENCY, at);
                boolean phases = goesOnlyWith(figure, FigureSpec.PHASE, FigureQuantity.PHASE_LATENCY, at);
                boolean kinds = goesOnlyWith(figure, FigureSpec.KIND, FigureQuantity.KIND_LATENCY, at);
                boolean overTime = figure.isOverTime();
                if (overTime
                        && cells.stream()
                                .allMatch(cell -> cell.settings().conditions().sliceNs() == 0)) {
                    problems.add(document.problem(
                            at + "/x", "these runs have no time series: set series.slice-ms, or faults"));
                } else if (overTime
                        && figure.y() == FigureQuantity.LATENCY_P99
                        && cells.stream()
                                .allMatch(cell -> cell.settings().conditions().windowNs() == 0)) {
                    problems.add(document.problem(
                            at + "/y", "only runs with series.worst-window-ms keep percentiles of slices"));
                }
                if (overTime && !figure.y().isOfSlices()) {
                    problems.add(document.problem(
                            at + "/y",
                            "time series have operations, failures, latency-mean, latency-p99 and latency-max"));
                }
                if (!percentiles && !phases && !kinds && !overTime) {
                    checkSwept(
                            figure.x(),
                            swept,
                            at + "/x",
                            ", " + FigureSpec.PERCENTILE + ", " + FigureSpec.PHASE + ", " + FigureSpec.KIND + ", "
                                    + FigureSpec.TIME);
                }
                boolean one = document.root().at(at + "/series").isString();
                for (int j = 0; j < figure.series().size(); j++) {
                    checkSwept(figure.series().get(j), swept, at + "/series" + (one ? "" : "/" + j), "");
                }
                if (!figure.panels().isEmpty()) {
                    checkSwept(figure.panels(), swept, at + "/panels", "");
                }
                figure.where().keySet().forEach(key -> checkSwept(key, swept, child(at + "/where", key), ""));
                if (wrong.isEmpty()
                        && !figure.where().isEmpty()
                        && cells.stream().noneMatch(cell -> cell.cell().matches(figure.where()))) {
                    if (!overridden.isEmpty()
                            || !filters.isEmpty()
                            || !given.only().isEmpty()) {
                        continue; // not an error: the command line excluded the cells
                    }
                    problems.add(document.problem(at + "/where", "no cell has these values"));
                }
                figures.add(figure);
            }
            return figures;
        }

        private void checkSwept(String key, Set<String> swept, String pointer, String others) {
            if (!swept.contains(key) && !wrong.contains(key)) {
                String hint = Spelling.keyHint(key, swept);
                problems.add(document.problem(
                        pointer,
                        "\"" + key + "\" is not swept"
                                + (hint.isEmpty() ? "; swept keys: " + String.join(", ", swept) + others : hint)));
            }
        }

        /** Returns the values of keys that some cell reads, in sections. */
        private static ObjectNode settings(Map<String, CellValues.Value> base, List<Scenario.PlannedCell> cells) {
            Set<String> read = new HashSet<>();
            cells.forEach(
                    cell -> read.addAll(ScenarioKeys.readBy(cell.settings().scheme())));
            if (cells.stream().allMatch(cell -> cell.settings().workload().isNamed())) {
                read.removeAll(NamedWorkload.SETS);
            }
            ObjectNode settings = JsonNodeFactory.instance.objectNode();
            base.forEach((key, value) -> {
                if (read.contains(key)) {
                    int dot = key.indexOf('.');
                    ObjectNode holder = dot < 0 ? settings : settings.withObjectProperty(key.substring(0, dot));
                    holder.set(key.substring(dot + 1), value.node());
                }
            });
            return settings;
        }
    }
}
