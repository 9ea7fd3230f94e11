package org.reprobe.conformance;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.KeyedRecord;
import org.reprobe.analysis.measurement.Metrics;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.plan.PlannedScheme;
import org.reprobe.analysis.plan.TableShape;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.fabric.FabricException;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.Explorable;
import org.reprobe.system.Plannable;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Run;
import org.reprobe.system.RunOutcome;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.WatchedLookups;
import org.reprobe.system.Workload;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.Survey;
import org.reprobe.trial.SystemTrials;

/**
 * Conformance tests for systems. Each method returns the problems found, as text; an empty list means success. The
 * tests need no test framework, only the program's own jars, so systems outside Reprobe can use them as well.
 */
public final class Conformance {
    /** Relative tolerance of a predicted mean number of READs, since these runs are short. */
    private static final double READS_TOLERANCE = 0.05;

    /** Relative tolerance of a table's bytes, since a plan estimates how full a heap's blocks are. */
    private static final double BYTES_TOLERANCE = 0.02;

    private static final int MIN_ANSWERS = 20;

    private static final double[] LOADS = {0.25, 0.65, 0.9, 0.95};
    private static final List<String> STORAGES = List.of("inline", "heap");
    private static final int[] RECORD_BYTES = {8, 32, 128};
    private static final List<String> KEYS = List.of("uniform", "distinct", "zipf");

    /** Settings of a short run with few clients. */
    private static final Map<String, Object> SHORT = Map.of(
            "clients.machines", 1,
            "clients.threads", 3,
            "connection.send-queue", 64,
            "measure.warm-up-ms", 0.005,
            "measure.duration-ms", 0.8);

    private final SystemUnderTest system;
    private final NicProfile nic;
    private final Cells cells;

    public Conformance(SystemUnderTest system, NicProfile nic) {
        this.system = system;
        this.nic = nic;
        this.cells = new Cells(system, nic);
    }

    private static Map<String, Object> with(Map<String, ?> values, Map<String, ?> more) {
        Map<String, Object> all = new LinkedHashMap<>(values);
        all.putAll(more);
        return all;
    }

    /**
     * Runs a scheme once on the simulated card: short, with few clients, unless {@code values} (by dotted key) have
     * other settings. The same values and seed give the same result, so that tests can compare it with an earlier one.
     *
     * @throws RefusedException if the system refuses the values, or the table is impossible
     */
    public RunOutcome run(String scheme, Map<String, ?> values, long seed)
            throws RefusedException, InterruptedException {
        Map<String, Object> all = new LinkedHashMap<>(SHORT);
        all.put("seed", seed & 0xFFFF_FFFFL);
        all.putAll(values);
        Settings settings = cells.settings(scheme, all);
        Set<String> refusals = cells.check(settings).complaints.keySet();
        if (!refusals.isEmpty()) {
            throw new RefusedException(String.join("; ", refusals));
        }
        return CellRun.run(
                system.deployment(settings, nic, 0), settings, nic, settings.tableSeed(0), UnaryOperator.identity());
    }

    // ---- lookups

    /**
     * Performs lookups in tables of several load factors, record sizes, storages and key distributions, as far as the
     * scheme reads these keys and permits the tables. Every lookup must return all records with the key, each once and
     * complete, and no others. Keys in {@code values}, by dotted name, have these values; others vary or have their
     * defaults.
     */
    public List<String> lookups(String scheme, Map<String, ?> values, long seed) throws InterruptedException {
        List<String> problems = new ArrayList<>();
        int run = 0;
        int table = 0;
        for (double load : LOADS) {
            for (String storage : STORAGES) {
                for (int i = 0; i < KEYS.size(); i++, table++) {
                    String keys = KEYS.get((i + table / KEYS.size()) % KEYS.size());
                    Map<String, Object> varied = new LinkedHashMap<>(SHORT);
                    varied.put("table.records", 3000);
                    varied.put("load-factor", load);
                    varied.put("table.storage", storage);
                    varied.put("table.record-bytes", RECORD_BYTES[i]);
                    varied.put("workload.keys", keys);
                    if (!keys.equals("distinct")) {
                        varied.put("table.keys-per-record", 4);
                    }
                    varied.put("seed", seed & 0xFFFF_FFFFL);
                    Map<String, Object> all = with(cells.thoseRead(scheme, varied), values);
                    Settings settings = cells.settings(scheme, all);
                    Cells.Checked checked = cells.check(settings);
                    if (checked.complaints.isEmpty()
                            && checked.withoutEffect.stream().noneMatch(all::containsKey)) {
                        run += answers(scheme + " " + all, settings, table, problems) ? 1 : 0;
                    }
                }
            }
        }
        if (run == 0 && problems.isEmpty()) {
            problems.add(scheme + " " + values + ": no lookup was made, since every table that was tried was refused");
        }
        return problems;
    }

    /** Checks the lookups of one table; returns false if the table is refused. */
    private boolean answers(String words, Settings settings, int repeat, List<String> problems)
            throws InterruptedException {
        List<LookupResults> seen = new ArrayList<>();
        UnaryOperator<Workload> watching = workload -> {
            if (!(workload instanceof WatchedLookups lookups)) {
                throw new IllegalStateException(words + ": its clients do not implement WatchedLookups");
            }
            LookupResults answers = new LookupResults(lookups);
            seen.add(answers);
            return lookups.watchedBy(answers);
        };
        RunOutcome outcome;
        try {
            outcome = CellRun.run(
                    system.deployment(settings, nic, repeat), settings, nic, settings.tableSeed(repeat), watching);
        } catch (RefusedException e) {
            return false;
        }
        if (seen.isEmpty()) {
            problems.add(words + ": " + outcome.problem());
            return true;
        }
        LookupResults answers = seen.getFirst();
        answers.problems().forEach(problem -> problems.add(words + ": " + problem));
        if (answers.answers() < MIN_ANSWERS) {
            problems.add(words + ": only " + answers.answers() + " lookups ended; " + outcome.problem());
        }
        return true;
    }

    // ---- settings

    /**
     * Checks that each scheme accepts its defaults, that the keys it reads exist, and that its refusals name keys. Also
     * checks that each of the system's own keys changes a table or the results of a run. Each key must have an effect
     * in one situation (values of other keys by dotted name; an empty list stands for the defaults). Keys that apply to
     * other fabrics only fail this check.
     */
    public List<String> settings(List<? extends Map<String, ?>> situations) throws InterruptedException {
        List<? extends Map<String, ?>> tried = situations.isEmpty() ? List.of(Map.of()) : situations;
        List<String> problems = new ArrayList<>();
        for (Scheme scheme : system.schemes()) {
            for (String read : system.reads(scheme.name())) {
                if (!cells.isKeyOrSection(read)) {
                    problems.add(scheme.name() + " reads " + read + ", which is neither a key nor a section");
                }
            }
            List<Cells.Checked> said = tried.stream()
                    .map(situation -> cells.check(cells.settings(scheme.name(), situation)))
                    .toList();
            if (said.stream().noneMatch(each -> each.complaints.isEmpty())) {
                problems.add(scheme.name() + ": its defaults are refused: "
                        + said.getFirst().complaints.keySet());
            }
        }
        for (KeyedRecord.Entry key : cells.own()) {
            if (system.schemes().stream().noneMatch(scheme -> cells.reads(scheme.name(), key.name()))) {
                problems.add(key.name() + ": no scheme reads it");
            } else if (key.isFor("sim") && !hasEffect(key, tried, problems)) {
                problems.add(key.name() + ": no value changes a table or a run's results; is it used?");
            }
        }
        return problems;
    }

    private boolean hasEffect(KeyedRecord.Entry key, List<? extends Map<String, ?>> situations, List<String> problems)
            throws InterruptedException {
        boolean effect = false;
        for (Map<String, ?> situation : situations) {
            for (Scheme scheme : system.schemes()) {
                if (effect || !cells.reads(scheme.name(), key.name())) {
                    continue;
                }
                Map<String, Object> values = new LinkedHashMap<>(SHORT);
                values.put("table.records", 600);
                Map<String, Object> base = with(cells.thoseRead(scheme.name(), values), situation);
                List<Object> seen = new ArrayList<>();
                for (Object value : CandidateValues.of(key)) {
                    Settings settings = cells.settings(scheme.name(), with(base, Map.of(key.name(), value)));
                    Cells.Checked checked = cells.check(settings);
                    complaintsNameKeys(scheme.name() + " " + key.name() + "=" + value, checked, problems);
                    if (checked.complaints.isEmpty() && !checked.withoutEffect.contains(key.name())) {
                        Object shown = shown(settings);
                        if (shown != null) {
                            seen.add(shown);
                        }
                    }
                    if (seen.stream().distinct().count() > 1) {
                        effect = true;
                        break;
                    }
                }
            }
        }
        return effect;
    }

    private void complaintsNameKeys(String words, Cells.Checked checked, List<String> problems) {
        checked.complaints.forEach((message, keys) -> {
            if (keys.isEmpty()) {
                problems.add(words + ": refused without naming a key: " + message);
            }
            keys.stream()
                    .filter(name -> !cells.isKey(name))
                    .forEach(name ->
                            problems.add(words + ": refused with " + name + ", which is not a key: " + message));
        });
    }

    /** Returns the content and the results of a run; null if the table is refused. */
    private @Nullable Object shown(Settings settings) throws InterruptedException {
        Run run = system.deployment(settings, nic, 0);
        Content content = SharedContent.of(run);
        try {
            RunOutcome outcome = CellRun.run(run, settings, nic, 1, UnaryOperator.identity());
            List<Object> shown = new ArrayList<>();
            shown.add(outcome.metrics());
            shown.add(String.valueOf(outcome.problem()));
            if (content != null) {
                shown.add(content);
            }
            return shown;
        } catch (RefusedException e) {
            return null;
        }
    }

    // ---- plans

    /**
     * Compares plans with tables and runs. The names, titles and keys of plans must be those of schemes. The bytes of a
     * table and the mean READs per lookup must match a table that is built and read.
     */
    public List<String> plans() throws InterruptedException {
        List<String> problems = new ArrayList<>();
        for (PlannedScheme planned : ((Plannable) system).planned()) {
            if (system.schemes().stream()
                    .noneMatch(scheme -> scheme.name().equals(planned.key())
                            && scheme.title().equals(planned.title()))) {
                problems.add(planned.key() + ", " + planned.title() + ": no scheme has this name and title");
                continue;
            }
            int shapes = 0;
            for (double load : new double[] {0.25, 0.75}) {
                for (boolean inline : new boolean[] {true, false}) {
                    TableShape shape = planned.shape(nic, load, inline, 16, planned.readSizes() - 1);
                    if (shape != null) {
                        shapes++;
                        plan(shape, problems);
                    }
                }
            }
            if (shapes == 0) {
                problems.add(planned.key() + ": it has no table of records of 16 bytes");
            }
        }
        return problems;
    }

    private void plan(TableShape shape, List<String> problems) throws InterruptedException {
        String scheme = shape.scheme().key();
        Map<String, Object> values = new LinkedHashMap<>(SHORT);
        values.put("table.records", 20_000);
        values.put("load-factor", shape.loadFactor());
        values.put("table.record-bytes", shape.recordBytes());
        values.put("table.storage", shape.inline() ? "inline" : "heap");
        values.put("workload.keys", "distinct");
        values.put("measure.duration-ms", 1.5);
        Map<String, Object> all = with(cells.thoseRead(scheme, values), shape.settings());
        String words = scheme + " " + all;
        for (String key : shape.settings().keySet()) {
            if (!cells.reads(scheme, key)) {
                problems.add(words + ": a plan sets " + key + ", which the scheme does not read");
            }
        }
        Settings settings = cells.settings(scheme, all);
        cells.check(settings).complaints.keySet().forEach(message -> problems.add(words + ": " + message));
        Run run = system.deployment(settings, nic, 0);
        Content content = SharedContent.of(run);
        try {
            RunOutcome outcome = CellRun.run(run, settings, nic, 1, UnaryOperator.identity());
            Double reads = outcome.metrics()
                    .getOrDefault(Metrics.REQUESTS, outcome.metrics().get(Metrics.OPERATION_REQUESTS));
            if (!outcome.valid() || reads == null) {
                problems.add(words + ": " + outcome.problem());
                return;
            }
            compare(words, "READs per lookup", shape.demand().reads(), reads, READS_TOLERANCE, problems);
            if (content != null) {
                try (BuiltContent built = content.build(Content.Builder.anew(1))) {
                    compare(
                            words,
                            "bytes per record",
                            shape.bytesPerRecord(),
                            built.bytes() / (double) settings.table().records(),
                            BYTES_TOLERANCE,
                            problems);
                }
            }
        } catch (RefusedException e) {
            problems.add(words + ": the plan contains this table, but it is refused: " + e.getMessage());
        }
    }

    private static void compare(
            String words, String what, double planned, double found, double tolerance, List<String> problems) {
        if (Math.abs(planned / found - 1) > tolerance) {
            problems.add("%s: %s: %.4g by the plan, %.4g in the run".formatted(words, what, planned, found));
        }
    }

    // ---- trials

    /** Returns the first failing schedule of a configuration, or null: up to two switches first, then random ones. */
    public static @Nullable Counterexample explored(CheckedSystem system, long schedules, long seed)
            throws FabricException, InterruptedException {
        Exploration exploration = new Exploration(system.trial().get(), system.limits());
        Counterexample found = exploration
                .exhaustive(Math.min(2, system.switches()), schedules)
                .counterexample();
        return found != null ? found : exploration.random(seed, schedules / 10).counterexample();
    }

    /**
     * Explores the trials: {@code schedules} per hand-picked configuration, {@code configurations} per derived system.
     * Protocols as printed are left out, since they may fail.
     */
    public List<String> trials(long schedules, int configurations, long seed)
            throws FabricException, InterruptedException {
        List<String> problems = new ArrayList<>();
        SystemTrials trials = ((Explorable) system).trials();
        for (CheckedSystem picked : trials.systems()) {
            Counterexample found = picked.printed() ? null : explored(picked, schedules, seed);
            if (found != null) {
                problems.add(picked.name() + ": " + found.violation());
            }
        }
        for (DerivedSystem derived : trials.derived()) {
            Survey.Result result = Survey.of(derived, configurations, 1, () -> false);
            if (result.found() != null) {
                problems.add(Objects.requireNonNull(result.refutedSystem()).name() + ": "
                        + result.found().violation());
            }
            result.refuted()
                    .forEach(way -> problems.add(derived.name() + ": taken, but listed as unreachable: " + way));
        }
        return problems;
    }
}
