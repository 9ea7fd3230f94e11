package org.reprobe.analysis.regress;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.apache.commons.math3.stat.StatUtils;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;

/**
 * One result in a history: a line of its file.
 *
 * @param when the runs started
 * @param modified whether the checkout had uncommitted changes
 * @param machine what tells this machine from others: CPU, cores, memory, architecture, or a name that the user gave
 * @param environment where it ran, by name
 * @param cells what was found
 */
public record HistoryEntry(
        OffsetDateTime when,
        String commit,
        boolean modified,
        String machine,
        Map<String, String> environment,
        List<Values> cells) {

    /** Key of an environment: a run's own number, which distinguishes runs that began in the same second. Older results have none. */
    public static final String RUN_ID = "run-id";

    public HistoryEntry {
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
        cells = List.copyOf(cells);
    }

    /**
     * A cell's metrics: medians over its valid runs.
     *
     * @param cell its label
     * @param settings what it was run with, beside what the label says: with other ones it is another series. None where an
     *     earlier version has not recorded them
     */
    public record Values(
            String scenario,
            String cell,
            String fabric,
            Kind kind,
            int runs,
            Map<String, Double> metrics,
            Map<String, String> settings) {
        public Values {
            metrics = Collections.unmodifiableMap(new LinkedHashMap<>(metrics));
            settings = Collections.unmodifiableMap(new LinkedHashMap<>(settings));
        }

        /** Returns the place whose series its metrics are part of. */
        Place place() {
            return new Place(scenario, cell, fabric, kind);
        }
    }

    /** A cell over time, as long as its settings stay. */
    record Place(String scenario, String cell, String fabric, Kind kind) {}

    /**
     * The entry that results make. Runs that {@link #losses} names are left out, and cells without any other.
     *
     * @param environment as in {@code environment.json}
     * @param machine "" to tell it by the environment
     * @param settings of a run
     */
    public static HistoryEntry of(
            OffsetDateTime when,
            Map<String, String> environment,
            String machine,
            List<Measurement> runs,
            Function<Measurement, Map<String, String>> settings) {
        Map<List<String>, List<Measurement>> cells = new LinkedHashMap<>();
        for (Measurement run : runs) {
            if (!isLost(run)) {
                cells.computeIfAbsent(List.of(run.scenario(), run.cell().label(), run.fabric()), _ -> new ArrayList<>())
                        .add(run);
            }
        }
        List<Values> values = new ArrayList<>();
        cells.values().forEach(group -> {
            Measurement first = group.getFirst();
            Map<String, Double> medians = new LinkedHashMap<>();
            Set<String> metrics = new LinkedHashSet<>();
            group.forEach(run -> metrics.addAll(run.metrics().keySet()));
            metrics.forEach(metric -> {
                double[] all = group.stream()
                        .mapToDouble(run -> run.metric(metric))
                        .filter(Double::isFinite)
                        .toArray();
                if (all.length > 0) {
                    medians.put(metric, StatUtils.percentile(all, 50));
                }
            });
            values.add(new Values(
                    first.scenario(),
                    first.cell().label(),
                    first.fabric(),
                    first.kind(),
                    group.size(),
                    medians,
                    settings.apply(first)));
        });
        return new HistoryEntry(
                when,
                environment.getOrDefault("commit", "unknown"),
                environment.getOrDefault("uncommitted-changes", "no").equals("yes"),
                machine.isEmpty() ? fingerprint(environment) : machine,
                environment,
                values);
    }

    private static boolean isLost(Measurement run) {
        return !run.valid() || run.metrics().isEmpty();
    }

    /** Cells of which runs failed or have no value, each with their number and the first reason. */
    public static List<String> losses(List<Measurement> runs) {
        Map<List<String>, List<Measurement>> cells = new LinkedHashMap<>();
        for (Measurement run : runs) {
            cells.computeIfAbsent(List.of(run.scenario(), run.cell().label(), run.fabric()), _ -> new ArrayList<>())
                    .add(run);
        }
        List<String> losses = new ArrayList<>();
        cells.values().forEach(group -> {
            List<Measurement> lost = group.stream().filter(HistoryEntry::isLost).toList();
            if (!lost.isEmpty()) {
                losses.add(lost.getFirst().scenario() + " "
                        + lost.getFirst().cell().label() + " (" + lost.size() + " of "
                        + Quantities.count(group.size(), "run") + ": "
                        + lost.getFirst().problem() + ")");
            }
        });
        return losses;
    }

    /** The same where settings that a line does not have, since they are newer, have their defaults. */
    public HistoryEntry completed(Map<String, String> defaults) {
        List<Values> completed = new ArrayList<>();
        for (Values values : cells) {
            Map<String, String> settings = new LinkedHashMap<>(values.settings);
            if (!settings.isEmpty()) {
                defaults.forEach(settings::putIfAbsent);
            }
            completed.add(new Values(
                    values.scenario, values.cell, values.fabric, values.kind, values.runs, values.metrics, settings));
        }
        return new HistoryEntry(when, commit, modified, machine, environment, completed);
    }

    /** What tells a machine from others. Its kernel and JDK are not part of it: they are what notes explain. */
    public static String fingerprint(Map<String, String> environment) {
        String memory = environment.getOrDefault("memory", "unknown memory");
        // Kernels differ in how much they keep for themselves.
        if (memory.matches("[0-9.]+ GiB")) {
            memory = Math.round(Double.parseDouble(memory.replace(" GiB", ""))) + " GiB";
        }
        return environment.getOrDefault("cpu", "unknown CPU") + ", " + environment.getOrDefault("cores", "?")
                + " cores, " + memory + ", " + environment.getOrDefault("architecture", "unknown architecture");
    }

    /** The commit as people write it: twelve digits, and a mark where there were uncommitted changes. */
    public String shortCommit() {
        return (commit.length() > 12 ? commit.substring(0, 12) : commit) + (modified ? "+changes" : "");
    }

    /** Returns true if both are the same result, or parts of one run. */
    boolean isOfSameRun(HistoryEntry other) {
        String id = environment.getOrDefault(RUN_ID, "");
        String otherId = other.environment.getOrDefault(RUN_ID, id);
        return when.isEqual(other.when)
                && commit.equals(other.commit)
                && machine.equals(other.machine)
                && (id.isEmpty() || id.equals(otherId));
    }
}
