package org.reprobe.run;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.MeasurementFile;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.plots.Course;
import org.reprobe.sample.TimeSeries;
import org.reprobe.scenario.Scenario;

/**
 * One scenario's results on disk: {@code scenario.yaml}, {@code measurements.jsonl}, {@code histograms.hlog} and, for
 * runs with time series, {@code series.jsonl}; runs by drawn profiles are in {@code drawn.jsonl} alone. A run is
 * appended when it ends, its histogram and its slices first, so that a stored measurement always has them. In the end
 * these files are rewritten in the plan's order.
 */
final class ScenarioFolder implements Closeable {
    static final String SCENARIO = "scenario.yaml";

    private static final String DRAWN = "drawn.jsonl";

    /** Folder of output of external programs. */
    private static final String OWN_RUNS = "runs";

    private static final int MAX_LABEL = 120;

    private final Path dir;
    private final Scenario scenario;
    private final List<RunPlan.Unit> units;
    private final Map<Integer, Measurement> measurements = new HashMap<>();
    private final Map<String, String> histograms = new HashMap<>();
    /** Slices of runs with time series, by the unit's index. */
    private final Map<Integer, List<Measurement>> slices = new HashMap<>();

    private MeasurementFile.@Nullable Appender measurementFile;
    private MeasurementFile.@Nullable Appender sliceFile;
    private MeasurementFile.@Nullable Appender drawnFile;
    private @Nullable FileChannel histogramFile;

    private ScenarioFolder(Path dir, Scenario scenario, List<RunPlan.Unit> units) {
        this.dir = dir;
        this.scenario = scenario;
        this.units = units;
    }

    static ScenarioFolder empty(Path dir, Scenario scenario, List<RunPlan.Unit> units) {
        return new ScenarioFolder(dir, scenario, units);
    }

    /** Returns a copy of the runs so far, for reading. */
    ScenarioFolder copy() {
        ScenarioFolder copy = new ScenarioFolder(dir, scenario, units);
        copy.measurements.putAll(measurements);
        copy.slices.putAll(slices);
        return copy;
    }

    void writeScenario() throws IOException {
        Files.createDirectories(dir);
        WholeFile.write(dir.resolve(SCENARIO), scenario.resolvedYaml());
    }

    void open() throws IOException {
        measurementFile = MeasurementFile.Appender.create(dir.resolve(MeasurementFile.NAME));
        histogramFile = HistogramLog.open(dir.resolve(HistogramLog.NAME));
        HistogramLog.append(histogramFile, HistogramLog.header());
        if (keepsCourse()) {
            sliceFile = MeasurementFile.Appender.create(dir.resolve(SliceFile.NAME));
        }
        if (hasDrawn()) {
            drawnFile = MeasurementFile.Appender.create(dir.resolve(DRAWN));
        }
    }

    /** Reads a scenario's results, complete or not; {@code notes} receives omissions. */
    static ScenarioFolder read(Path dir, Scenario scenario, List<RunPlan.Unit> units, List<String> notes)
            throws InvalidInputException, IOException {
        ScenarioFolder folder = new ScenarioFolder(dir, scenario, units);
        Map<String, RunPlan.Unit> byRun = new HashMap<>();
        units.forEach(unit -> byRun.put(run(unit.planned().cell(), unit.repeat()), unit));
        folder.histograms.putAll(HistogramLog.read(dir.resolve(HistogramLog.NAME)));
        folder.readSlices(byRun);
        List<Problem> mismatches = new ArrayList<>();
        folder.readMeasurements(dir.resolve(MeasurementFile.NAME), byRun, notes, mismatches);
        folder.readMeasurements(dir.resolve(DRAWN), byRun, notes, mismatches);
        if (!mismatches.isEmpty()) {
            throw new InvalidInputException(mismatches);
        }
        return folder;
    }

    private void readMeasurements(
            Path file, Map<String, RunPlan.Unit> byRun, List<String> notes, List<Problem> mismatches)
            throws InvalidInputException, IOException {
        if (!Files.exists(file)) {
            return; // ended before its first run, or has none
        }
        MeasurementFile.Recovered recovered = MeasurementFile.recover(file);
        for (Problem ignored : recovered.ignored()) {
            notes.add(ignored.file() + ":" + ignored.line() + ": the last line is damaged and ignored ("
                    + ignored.message() + ")");
        }
        for (Measurement measurement : recovered.measurements()) {
            RunPlan.Unit unit = byRun.get(run(measurement.cell(), measurement.repeat()));
            if (unit == null || !measurement.scenario().equals(scenario.name())) {
                mismatches.add(Problem.of(
                        file.toString(),
                        "repeat " + measurement.repeat() + " of "
                                + measurement.cell().label() + " is not a run of scenario.yaml"));
                continue;
            }
            Measurement before =
                    measurements.put(unit.index(), measurement.in(unit.planned().cell()));
            if (before != null) {
                notes.add(file + ": repeat " + measurement.repeat() + " of "
                        + measurement.cell().label() + " occurs twice; the last one counts");
            }
        }
    }

    /** Adds another folder's runs with histograms: those missing here, and valid ones in place of failed ones. */
    void take(ScenarioFolder other) {
        for (RunPlan.Unit unit : units) {
            Measurement added = other.measurements.get(unit.index());
            Measurement existing = measurements.get(unit.index());
            boolean kept = other.isKept(unit);
            if (added != null && (kept || !added.valid()) && (existing == null || (kept && !existing.valid()))) {
                measurements.put(unit.index(), added);
                String tag = HistogramLog.tag(unit);
                String line = other.histograms.get(tag);
                if (line == null) {
                    histograms.remove(tag);
                } else {
                    histograms.put(tag, line);
                }
                slices.put(unit.index(), other.slices.getOrDefault(unit.index(), List.of()));
            }
        }
    }

    /** Returns all stored data of a run as text: equal for runs with equal results. */
    String stored(RunPlan.Unit unit) {
        Measurement measurement = measurements.get(unit.index());
        StringBuilder text = new StringBuilder();
        if (measurement != null) {
            text.append(MeasurementFile.line(measurement)).append('\n');
            text.append(histograms.getOrDefault(HistogramLog.tag(unit), ""));
            slices.getOrDefault(unit.index(), List.of())
                    .forEach(slice -> text.append(MeasurementFile.line(slice)).append('\n'));
        }
        return text.toString();
    }

    /** Returns true if a run need not be repeated: it is valid and its histogram is stored. */
    boolean isKept(RunPlan.Unit unit) {
        Measurement measurement = measurements.get(unit.index());
        return measurement != null
                && measurement.valid()
                && (unit.isDrawn() || unit.content() == null || histograms.containsKey(HistogramLog.tag(unit)));
    }

    private boolean keepsCourse() {
        return scenario.cells().stream()
                .anyMatch(cell -> cell.settings().conditions().sliceNs() > 0);
    }

    private boolean hasDrawn() {
        return units.stream().anyMatch(RunPlan.Unit::isDrawn);
    }

    /** Reads slices of finished runs; those of an interrupted one are useless without its measurement. */
    private void readSlices(Map<String, RunPlan.Unit> byRun) throws InvalidInputException, IOException {
        Path file = dir.resolve(SliceFile.NAME);
        if (!Files.exists(file)) {
            return;
        }
        for (Measurement slice : MeasurementFile.recover(file).measurements()) {
            RunPlan.Unit unit = byRun.get(run(SliceFile.cellOf(slice), slice.repeat()));
            if (unit != null) {
                slices.computeIfAbsent(unit.index(), _ -> new ArrayList<>()).add(slice);
            }
        }
    }

    /** Continues with results that were read: keeps valid runs with their histograms, discards the others. */
    void resume() throws IOException {
        units.forEach(unit -> {
            if (!isKept(unit)) {
                measurements.remove(unit.index());
            }
        });
        rewrite();
        Path file = dir.resolve(MeasurementFile.NAME);
        measurementFile = MeasurementFile.Appender.resume(file, Files.size(file));
        histogramFile = HistogramLog.open(dir.resolve(HistogramLog.NAME));
        if (keepsCourse()) {
            Path series = dir.resolve(SliceFile.NAME);
            sliceFile = MeasurementFile.Appender.resume(series, Files.size(series));
        }
        if (hasDrawn()) {
            Path drawn = dir.resolve(DRAWN);
            drawnFile = MeasurementFile.Appender.resume(drawn, Files.size(drawn));
        }
    }

    void store(RunPlan.Unit unit, Measurement measurement, @Nullable Histogram latencyNs, TimeSeries series)
            throws IOException {
        if (unit.isDrawn()) {
            if (drawnFile != null) {
                drawnFile.append(measurement);
            }
            measurements.put(unit.index(), measurement);
            return;
        }
        if (latencyNs != null && histogramFile != null) {
            String tag = HistogramLog.tag(unit);
            String line = HistogramLog.line(tag, latencyNs);
            HistogramLog.append(histogramFile, line);
            histograms.put(tag, line);
        }
        if (sliceFile != null && series.slices() > 0) {
            List<Measurement> own = SliceFile.slices(measurement, series);
            for (Measurement slice : own) {
                sliceFile.append(slice);
            }
            slices.put(unit.index(), own);
        }
        if (measurementFile != null) {
            measurementFile.append(measurement);
        }
        measurements.put(unit.index(), measurement);
    }

    void rewrite() throws IOException {
        close();
        StringBuilder lines = new StringBuilder();
        StringBuilder drawn = new StringBuilder();
        StringBuilder log = new StringBuilder(HistogramLog.header());
        for (RunPlan.Unit unit : units) {
            Measurement measurement = measurements.get(unit.index());
            if (measurement != null) {
                (unit.isDrawn() ? drawn : lines)
                        .append(MeasurementFile.line(measurement))
                        .append('\n');
                log.append(histograms.getOrDefault(HistogramLog.tag(unit), ""));
            }
        }
        if (keepsCourse()) {
            StringBuilder series = new StringBuilder();
            slices().forEach(slice -> series.append(MeasurementFile.line(slice)).append('\n'));
            WholeFile.write(dir.resolve(SliceFile.NAME), series.toString());
        }
        if (hasDrawn()) {
            WholeFile.write(dir.resolve(DRAWN), drawn.toString());
        }
        WholeFile.write(dir.resolve(HistogramLog.NAME), log.toString());
        WholeFile.write(dir.resolve(MeasurementFile.NAME), lines.toString());
    }

    Path dir() {
        return dir;
    }

    Path ownFolder(RunPlan.Unit unit) {
        return dir.resolve(OWN_RUNS).resolve(name(unit));
    }

    Path profileFolder(RunPlan.Unit unit) {
        return dir.resolve(Profiling.FOLDER).resolve(name(unit));
    }

    private static String name(RunPlan.Unit unit) {
        String label = unit.planned().cell().label();
        String plain = label.replaceAll("[^A-Za-z0-9=.,_-]+", "_");
        boolean changed = !plain.equals(label) || plain.length() > MAX_LABEL;
        String name = plain.substring(0, Math.min(plain.length(), MAX_LABEL))
                + (changed ? "." + Integer.toHexString(label.hashCode()) : "");
        return name + "." + unit.repeat();
    }

    Scenario scenario() {
        return scenario;
    }

    List<RunPlan.Unit> units() {
        return units;
    }

    Stream<Measurement> failures() {
        return measurements.values().stream().filter(measurement -> !measurement.valid());
    }

    boolean hasValidRuns() {
        return measurements.values().stream().anyMatch(Measurement::valid);
    }

    List<RunPlan.Unit> missing() {
        return units.stream()
                .filter(unit -> !measurements.containsKey(unit.index()))
                .toList();
    }

    /** Returns the number of runs that have ended. */
    int done() {
        return measurements.size();
    }

    List<Measurement> measurements() {
        return ordered(false, false);
    }

    /** Returns the measurements by drawn profiles. */
    List<Measurement> drawnMeasurements() {
        return ordered(true, false);
    }

    /** Returns {@link #drawnMeasurements} for display. */
    List<Measurement> shownDrawn() {
        return ordered(true, true);
    }

    private List<Measurement> ordered(boolean drawn, boolean shown) {
        List<Measurement> ordered = new ArrayList<>();
        for (RunPlan.Unit unit : units) {
            Measurement measurement = measurements.get(unit.index());
            if (measurement != null && unit.isDrawn() == drawn) {
                ordered.add(shown ? measurement.in(unit.planned().shown()) : measurement);
            }
        }
        return ordered;
    }

    List<Measurement> slices() {
        List<Measurement> ordered = new ArrayList<>();
        for (RunPlan.Unit unit : units) {
            if (measurements.containsKey(unit.index())) {
                ordered.addAll(slices.getOrDefault(unit.index(), List.of()));
            }
        }
        return ordered;
    }

    Course course() {
        return new Course(
                slices(),
                FaultPlan.marks(scenario.cells().stream()
                        .flatMap(cell -> cell.settings().faults().stream())
                        .distinct()
                        .toList()));
    }

    /** Returns {@link #measurements} for display: cells have all settings in which they differ. */
    List<Measurement> shownMeasurements() {
        return ordered(false, true);
    }

    /** Returns {@link #measurements} with a failed one for each missing run: no conclusion is valid without it. */
    List<Measurement> measurementsAndGaps() {
        List<Measurement> ordered = new ArrayList<>();
        for (RunPlan.Unit unit : units) {
            Measurement measurement = measurements.get(unit.index());
            if (!unit.isDrawn()) {
                ordered.add(measurement == null ? unit.failed("not run yet") : measurement);
            }
        }
        return ordered;
    }

    @Override
    public void close() throws IOException {
        if (measurementFile != null) {
            measurementFile.close();
            measurementFile = null;
        }
        if (sliceFile != null) {
            sliceFile.close();
            sliceFile = null;
        }
        if (drawnFile != null) {
            drawnFile.close();
            drawnFile = null;
        }
        if (histogramFile != null) {
            histogramFile.close();
            histogramFile = null;
        }
    }

    /** Returns a run's name, independent of the notation of numbers. */
    private static String run(Cell cell, int repeat) {
        Map<String, Object> values = new TreeMap<>();
        cell.values().forEach((key, value) -> values.put(key, Cell.canonical(value)));
        return repeat + " " + new Cell(values).label();
    }
}
