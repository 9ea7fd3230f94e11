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
import java.util.regex.Pattern;
import org.apache.commons.math3.stat.StatUtils;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;

/**
 * One result in a history: a line of its file.
 *
 * @param when the runs started
 * @param commit the version of what was measured
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

    /** Key of an environment: name of the user's programs that were measured; missing where Reprobe's own code was. */
    public static final String ARTIFACT = "artifact";

    /** Key of an environment: version of these programs. */
    public static final String ARTIFACT_VERSION = "artifact-version";

    /** Key of an environment: "yes" where that version is a commit and there were uncommitted changes. */
    public static final String ARTIFACT_CHANGES = "artifact-uncommitted-changes";

    public static final String UNKNOWN = "unknown";

    private static final Pattern HASH = Pattern.compile("[0-9a-f]{13,64}");
    private static final int SHORT = 12;
    private static final int MAX_VERSION = 60;

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
                version(environment),
                isModified(environment),
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

    /** Returns the version of what was measured: the artifact's, or the commit of Reprobe where it measured its own code. */
    public static String version(Map<String, String> environment) {
        return environment.containsKey(ARTIFACT)
                ? environment.getOrDefault(ARTIFACT_VERSION, UNKNOWN)
                : environment.getOrDefault("commit", UNKNOWN);
    }

    /** Returns true if that version had uncommitted changes. */
    public static boolean isModified(Map<String, String> environment) {
        return environment
                .getOrDefault(environment.containsKey(ARTIFACT) ? ARTIFACT_CHANGES : "uncommitted-changes", "no")
                .equals("yes");
    }

    /** Returns a version as people write it: twelve digits of a commit. */
    public static String shortVersion(String version) {
        return HASH.matcher(version).matches()
                ? version.substring(0, SHORT)
                : version.length() > MAX_VERSION ? version.substring(0, MAX_VERSION) : version;
    }

    /** Returns the commit in short, with a mark where there were uncommitted changes. */
    public String shortCommit() {
        return shortVersion(commit) + (modified ? "+changes" : "");
    }

    /** Returns true if both name their artifact, and these differ. Results of earlier versions of Reprobe name none. */
    boolean isOfOtherArtifact(HistoryEntry other) {
        String artifact = environment.getOrDefault(ARTIFACT, "");
        String others = other.environment.getOrDefault(ARTIFACT, "");
        return !artifact.isEmpty() && !others.isEmpty() && !artifact.equals(others);
    }

    /** Returns true if both have the same numbers of the same version and machine, whatever their dates. */
    public boolean isSameButDated(HistoryEntry other) {
        return commit.equals(other.commit) && machine.equals(other.machine) && cells.equals(other.cells);
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
