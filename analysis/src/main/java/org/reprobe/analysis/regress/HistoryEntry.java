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
 * @param modified true if the checkout had uncommitted changes
 * @param machine identity of the machine: CPU, cores, memory, architecture, or a name given by the user
 * @param environment of the runs, as in {@code environment.json}
 */
public record HistoryEntry(
        OffsetDateTime when,
        String commit,
        boolean modified,
        String machine,
        Map<String, String> environment,
        List<Values> cells) {

    /** Key of a run's own number, which distinguishes runs of the same second. Older results have none. */
    public static final String RUN_ID = "run-id";

    /** Key of an environment: name of the measured user programs; missing for Reprobe's own code. */
    public static final String ARTIFACT = "artifact";

    /** Key of an environment: version of these programs. */
    public static final String ARTIFACT_VERSION = "artifact-version";

    /** Key of an environment: "yes" if that version is a commit with uncommitted changes. */
    public static final String ARTIFACT_CHANGES = "artifact-uncommitted-changes";

    /** Key of an environment: branch of the measured version. */
    public static final String BRANCH = "branch";

    public static final String UNKNOWN = "unknown";

    private static final Pattern HASH = Pattern.compile("[0-9a-f]{13,64}");
    private static final int SHORT = 12;
    private static final int MAX_VERSION = 60;

    public HistoryEntry {
        environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
        cells = List.copyOf(cells);
    }

    /**
     * Metrics of a cell, medians over its valid runs. Settings are those that the label does not show; different ones
     * form a different series, and results of earlier versions have none.
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

        Place place() {
            return new Place(scenario, cell, fabric, kind);
        }
    }

    /** Identity of a series, together with the settings. */
    record Place(String scenario, String cell, String fabric, Kind kind) {}

    /**
     * Creates an entry from results; a machine of "" is derived from the environment. Runs in {@link #losses} are
     * omitted, and cells without any other.
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

    /** Returns the cells with failed runs or without values, each with their number and the first reason. */
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

    /** Returns the entry with defaults for settings that are newer than the line. */
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

    /** Returns a machine's identity, without its kernel and JDK: changes of those are explained by notes. */
    public static String fingerprint(Map<String, String> environment) {
        String memory = environment.getOrDefault("memory", "unknown memory");
        // Kernels reserve different amounts.
        if (memory.matches("[0-9.]+ GiB")) {
            memory = Math.round(Double.parseDouble(memory.replace(" GiB", ""))) + " GiB";
        }
        return environment.getOrDefault("cpu", "unknown CPU") + ", " + environment.getOrDefault("cores", "?")
                + " cores, " + memory + ", " + environment.getOrDefault("architecture", "unknown architecture");
    }

    /** Returns the measured version: the artifact's, or the commit of Reprobe for its own code. */
    public static String version(Map<String, String> environment) {
        return environment.containsKey(ARTIFACT)
                ? environment.getOrDefault(ARTIFACT_VERSION, UNKNOWN)
                : environment.getOrDefault("commit", UNKNOWN);
    }

    public static boolean isModified(Map<String, String> environment) {
        return environment
                .getOrDefault(environment.containsKey(ARTIFACT) ? ARTIFACT_CHANGES : "uncommitted-changes", "no")
                .equals("yes");
    }

    /** Returns a version for display: twelve digits of a commit. */
    public static String shortVersion(String version) {
        return HASH.matcher(version).matches()
                ? version.substring(0, SHORT)
                : version.length() > MAX_VERSION ? version.substring(0, MAX_VERSION) : version;
    }

    /** Returns the commit in short, with a mark for uncommitted changes. */
    public String shortCommit() {
        return shortVersion(commit) + (modified ? "+changes" : "");
    }

    /** Returns the branch, "" if it is not known. Results of different branches are different series. */
    public String branch() {
        return environment.getOrDefault(BRANCH, "");
    }

    /** Returns true if both name their artifact, and these differ. Results of earlier versions of Reprobe name none. */
    boolean isOfOtherArtifact(HistoryEntry other) {
        String artifact = environment.getOrDefault(ARTIFACT, "");
        String others = other.environment.getOrDefault(ARTIFACT, "");
        return !artifact.isEmpty() && !others.isEmpty() && !artifact.equals(others);
    }

    public boolean differsOnlyInDate(HistoryEntry other) {
        return commit.equals(other.commit)
                && machine.equals(other.machine)
                && branch().equals(other.branch())
                && cells.equals(other.cells);
    }

    boolean isOfSameRun(HistoryEntry other) {
        String id = environment.getOrDefault(RUN_ID, "");
        String otherId = other.environment.getOrDefault(RUN_ID, id);
        return when.isEqual(other.when)
                && commit.equals(other.commit)
                && machine.equals(other.machine)
                && branch().equals(other.branch())
                && (id.isEmpty() || id.equals(otherId));
    }
}
