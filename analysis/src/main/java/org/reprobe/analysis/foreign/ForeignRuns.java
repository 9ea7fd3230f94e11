package org.reprobe.analysis.foreign;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;

/** Results accumulated by readers of foreign files. */
final class ForeignRuns {
    final List<Measurement> runs = new ArrayList<>();
    final List<Problem> problems;
    final Set<String> notes;
    final Map<String, String> environment = new LinkedHashMap<>();
    final Map<ForeignResults.Place, Map<String, String>> settings = new LinkedHashMap<>();
    final Map<ForeignResults.Place, Map<String, String>> software = new LinkedHashMap<>();
    /** Machines by name, each with its first file. */
    final Map<String, String> machines = new LinkedHashMap<>();

    final Set<String> mixedSettings = new LinkedHashSet<>();
    /** Results of a time series, which share problems and notes. */
    final Map<ForeignResults.Origin, ForeignRuns> series = new LinkedHashMap<>();
    /** Latencies of the clients of one run that were read so far. */
    final Map<HistogramResults.Place, Histogram> clients = new LinkedHashMap<>();
    /** True while further clients of the run follow. */
    boolean moreClients;

    private final ForeignFormat format;
    private final Map<ForeignResults.Place, Integer> repeats = new LinkedHashMap<>();
    private @Nullable OffsetDateTime when;

    ForeignRuns(ForeignFormat format) {
        this(format, new ArrayList<>(), new LinkedHashSet<>());
    }

    private ForeignRuns(ForeignFormat format, List<Problem> problems, Set<String> notes) {
        this.format = format;
        this.problems = problems;
        this.notes = notes;
    }

    /** Returns the result of a time series that has an origin; a new one if there is none. */
    ForeignRuns at(ForeignResults.Origin origin) {
        return series.computeIfAbsent(origin, _ -> new ForeignRuns(format, problems, notes));
    }

    void add(String scenario, Cell cell, Map<String, Double> metrics) {
        add(scenario, cell, metrics, true, null);
    }

    void addFailed(String scenario, Cell cell, String problem) {
        add(scenario, cell, Map.of(), false, problem);
    }

    /** Adds a missing or unusable repeat of a cell, with the reason. */
    void addWithout(String scenario, Cell cell, String reason) {
        add(scenario, cell, Map.of(), true, reason);
    }

    private void add(String scenario, Cell cell, Map<String, Double> metrics, boolean valid, @Nullable String problem) {
        int repeat = repeats.merge(new ForeignResults.Place(scenario, cell), 1, Integer::sum) - 1;
        runs.add(new Measurement(scenario, cell, repeat, 0, format.word(), Kind.MEASURED, valid, problem, metrics));
    }

    /** Records the machine of a file, "" for one without a name, and its number of CPUs if known. */
    void machine(String file, String host, @Nullable String cpus) {
        if (!host.isEmpty()) {
            environment.putIfAbsent("host_name", host);
        }
        if (cpus != null) {
            environment.putIfAbsent("num_cpus", cpus);
        }
        machines.putIfAbsent(machineName(host, cpus), file);
    }

    static String machineName(String host, @Nullable String cpus) {
        return (host.isEmpty() ? ForeignResults.UNNAMED : host) + (cpus == null ? "" : ", " + cpus + " CPUs");
    }

    /** Records a property of the environment; differing values are noted. */
    void fact(String name, String value) {
        String before = environment.putIfAbsent(name, value);
        if (before != null && !before.equals(value)) {
            notes.add("results differ in " + name + ": " + before + " and " + value);
        }
    }

    /** Records the settings and the software of a repeat, which must be equal in all repeats of a cell. */
    void conditions(
            String file, ForeignResults.Place place, Map<String, String> itsSettings, Map<String, String> itsSoftware) {
        mix(file, settings.putIfAbsent(place, itsSettings), itsSettings);
        mix(file, software.putIfAbsent(place, itsSoftware), itsSoftware);
        itsSoftware.forEach(environment::putIfAbsent);
    }

    private void mix(String file, @Nullable Map<String, String> before, Map<String, String> now) {
        if (before == null || before.equals(now)) {
            return;
        }
        Set<String> names = new TreeSet<>(before.keySet());
        names.addAll(now.keySet());
        for (String name : names) {
            String first = before.getOrDefault(name, "absent");
            String other = now.getOrDefault(name, "absent");
            if (!first.equals(other)) {
                mixedSettings.add(name + " " + other + " (" + file + ") and " + first);
            }
        }
    }

    /** Records when measurements began. A text that is no time is ignored, since the file has a date. */
    void began(String text) {
        OffsetDateTime time = WrittenTime.of(text);
        when = time != null && (when == null || time.isBefore(when)) ? time : when;
    }

    @Nullable
    OffsetDateTime when() {
        return when;
    }
}
