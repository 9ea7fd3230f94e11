package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.MeasurementFile;
import org.reprobe.scenario.StoredSettings;

/**
 * Runs in a result folder of any version of Reprobe: unlike {@link ResultFolder}, it needs no scenario that the present
 * version can read.
 */
public record StoredRuns(
        Path dir,
        Status status,
        Map<String, String> environment,
        List<Measurement> runs,
        Map<String, StoredSettings> settings) {

    public StoredRuns {
        runs = List.copyOf(runs);
        settings = Map.copyOf(settings);
    }

    /** Reads a folder; fails if it is not a result folder, has no runs or is damaged. */
    public static StoredRuns read(Path dir) throws InvalidInputException, IOException {
        Status status = Status.read(dir);
        List<Problem> problems = new ArrayList<>();
        List<Measurement> runs = new ArrayList<>();
        Map<String, StoredSettings> settings = new LinkedHashMap<>();
        Map<String, String> environment = Map.of();
        try {
            environment = Environment.read(dir);
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
        }
        for (String name : status.scenarios()) {
            Path part = status.combined() ? dir.resolve(name) : dir;
            Path file = part.resolve(MeasurementFile.NAME);
            try {
                if (Files.exists(file)) {
                    Map<List<Object>, Measurement> last = new LinkedHashMap<>(); // the last line of a run counts
                    MeasurementFile.recover(file)
                            .measurements()
                            .forEach(run -> last.put(List.of(run.cell().label(), run.repeat()), run));
                    last.values().forEach(run -> runs.add(run.in(StoredSettings.full(run.cell()))));
                }
                Path scenario = part.resolve(ScenarioFolder.SCENARIO);
                if (Files.exists(scenario)) {
                    settings.put(
                            name,
                            StoredSettings.of(
                                    scenario.toString(), Document.text(scenario), Profiling.isOf(environment)));
                }
            } catch (InvalidInputException e) {
                problems.addAll(e.problems());
            }
        }
        if (problems.isEmpty() && runs.isEmpty()) {
            problems.add(Problem.of(dir.toString(), "has no runs: it was interrupted before the end of the first one"));
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return new StoredRuns(dir, status, environment, runs, settings);
    }

    public List<String> failures() {
        long failed = runs.stream().filter(run -> !run.valid()).count();
        return failed == 0
                ? List.of()
                : List.of(failed + " of " + Quantities.count(runs.size(), "run") + " in " + dir
                        + " failed: their cells have fewer repeats than planned");
    }

    /** Returns the settings that determine a run's metrics to the last digit; none if not recorded. */
    public Map<String, String> exactSettings(Measurement run) {
        StoredSettings recorded = settings.get(run.scenario());
        return recorded == null ? Map.of() : recorded.exact(run.cell(), run.kind());
    }

    public boolean isOfScheme(String scheme) {
        return runs.stream()
                .anyMatch(run -> scheme.equals(run.cell().values().get("scheme"))
                        || scheme.equals(exactSettings(run).get("scheme")));
    }

    /** Returns the start of the runs; the folder's date if not recorded. */
    public OffsetDateTime started() throws IOException {
        try {
            return OffsetDateTime.parse(environment.getOrDefault("started", ""));
        } catch (DateTimeException e) {
            return Files.getLastModifiedTime(dir.resolve(Environment.NAME))
                    .toInstant()
                    .atOffset(ZoneOffset.UTC);
        }
    }
}
