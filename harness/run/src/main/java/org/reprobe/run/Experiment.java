package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.plots.FigureLayout;
import org.reprobe.plots.FigureSpec;
import org.reprobe.profile.FlightRecording;
import org.reprobe.profile.HotMethods;
import org.reprobe.sample.TimeSeries;
import org.reprobe.scenario.Scenario;
import org.reprobe.system.Content;
import org.reprobe.system.Run;
import org.reprobe.table.FreeMemory;

/** Execution of a result folder's missing runs, and writing of its findings. */
public final class Experiment {
    /** Upper bound of the default memory for tables, in bytes. */
    public static final long MAX_MEMORY_BYTES = 20L << 30;

    private static final double MOST_OF_FREE = 0.85;

    private final ResultFolder folder;
    private final @Nullable Published published; // null: the merge of all shards writes findings
    private final Options options;
    private final Progress progress;
    private final Runner runner;
    private final boolean simulates;

    private final Map<Integer, String> refused = new LinkedHashMap<>();

    /**
     * Options of an experiment.
     *
     * @param tables folder of tables that are kept between runs; null to build them anew
     * @param real executor of runs on real fabrics; closed at the end
     * @param profiled true to record with Flight Recorder: each process of real runs, this process for simulated runs
     * @param latestIn folder of all results, whose link {@code latest} and index are updated; null for none
     */
    public record Options(
            int jobs,
            long memoryBytes,
            @Nullable Path tables,
            boolean profiled,
            @Nullable Path latestIn,
            RealRuns real) {}

    /** Outcome of an experiment; no findings for a shard, or if the runs were stopped before they could be written. */
    public record Outcome(
            Status.State state, @Nullable Findings findings, int done, int planned, List<Measurement> invalid) {
        public Outcome {
            invalid = List.copyOf(invalid);
        }
    }

    private Experiment(ResultFolder folder, @Nullable Published published, Options options, Progress progress) {
        this.folder = folder;
        this.published = published;
        this.options = options;
        this.progress = progress;
        Map<Integer, String> refusals = folder.plan().refusals(options.memoryBytes);
        List<RunPlan.Unit> units = new ArrayList<>();
        for (RunPlan.Unit unit : folder.missing()) {
            String refusal = refusals.get(unit.index());
            if (refusal == null) {
                units.add(unit);
            } else {
                refused.put(unit.index(), refusal);
            }
        }
        ContentPool.Maker maker =
                (content, threads) -> content.build(new Content.Builder(threads, null, options.tables, progress::note));
        int jobs = RunPlan.jobs(units, options.jobs);
        this.simulates = units.stream().anyMatch(unit -> !unit.isReal());
        if (options.profiled) {
            options.real.profileInto(folder::profileFolder);
        }
        this.runner = new Runner(units, maker, options.real, folder::ownFolder, options.memoryBytes, jobs, progress);
    }

    /** Returns the default memory for tables in bytes: most of the free memory, at most 20 GiB. */
    public static long defaultMemoryBytes() {
        return Math.min(MAX_MEMORY_BYTES, (long) (FreeMemory.bytes() * MOST_OF_FREE));
    }

    /** Creates a plan's results in a locked empty folder, which is closed when this has run. */
    public static Experiment create(
            FolderLock lock,
            RunPlan plan,
            boolean combined,
            Path home,
            Map<String, String> facts,
            String command,
            Published published,
            Options options,
            Progress progress)
            throws IOException {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("command", command);
        environment.putAll(facts);
        environment.putAll(Environment.current(home));
        environment.put(HistoryEntry.RUN_ID, UUID.randomUUID().toString());
        ResultFolder folder = ResultFolder.create(lock, plan, combined, environment, command);
        return new Experiment(folder, published, options, progress);
    }

    /** Prepares to complete a folder that was {@link ResultFolder#take taken}. */
    public static Experiment resume(ResultFolder folder, Published published, Options options, Progress progress)
            throws IOException {
        folder.resume();
        return new Experiment(folder, published, options, progress);
    }

    /** Prepares to run some of a shard's units in a new attempt, with its own command and facts. */
    public static Experiment shard(
            ShardFolder shards,
            int shard,
            List<RunPlan.Unit> units,
            Path home,
            Map<String, String> facts,
            String command,
            Options options,
            Progress progress)
            throws IOException {
        return new Experiment(shards.begin(shard, units, command, facts, home), null, options, progress);
    }

    /** Stores a user's NIC profile with the results, which can't be completed without it. */
    public void keepNic(Path from, String name) throws IOException {
        folder.keepNic(from, name);
    }

    public ResultFolder folder() {
        return folder;
    }

    /** Stops all runs soon and keeps finished ones. Thread-safe. */
    public void stop() {
        runner.stop();
    }

    /** Returns a figure of a scenario's runs so far as an SVG document. Called from any thread. */
    public String drawn(Scenario scenario, FigureSpec figure) throws IOException, InvalidInputException {
        return Findings.svg(folder.soFar(scenario), figure, published == null ? Published.NOTHING : published);
    }

    /** Returns the state of each process of runs on real fabrics and of external programs. Called from any thread. */
    public List<Run.ProcessState> processes() {
        return Stream.concat(options.real.processes().stream(), runner.processes().stream())
                .toList();
    }

    /** Executes missing runs, then writes findings. If results can't be stored, those stored before are kept. */
    public Outcome run() throws IOException, InterruptedException {
        long startNs = System.nanoTime();
        Status.State state;
        Findings findings = null;
        boolean whole = false;
        try {
            storeRefused();
            boolean finished = runUnits();
            state = !finished
                    ? Status.State.INTERRUPTED
                    : folder.hasValidRuns() ? Status.State.COMPLETE : Status.State.FAILED;
            folder.rewrite();
            folder.end(state, (System.nanoTime() - startNs) / 1e9);
            if (finished && published != null) {
                findings = Findings.write(folder, published);
            }
            folder.writeEnd(); // last: a folder with state "complete" has everything
            whole = true;
        } finally {
            if (!whole) {
                folder.writeFailure((System.nanoTime() - startNs) / 1e9);
            }
            options.real.close();
            folder.close();
        }
        if (findings != null && state == Status.State.COMPLETE && options.latestIn != null) {
            folder.becomeLatest(options.latestIn);
        }
        if (options.latestIn != null) {
            ResultsIndex.update(options.latestIn, progress::note);
        }
        return new Outcome(state, findings, folder.done(), folder.plan().units().size(), folder.failures());
    }

    private boolean runUnits() throws IOException, InterruptedException {
        if (!options.profiled || !simulates) {
            return runner.run(folder);
        }
        try (FlightRecording recording = FlightRecording.begin()) {
            boolean finished = runner.run(folder);
            Path profiles = folder.dir().resolve(Profiling.FOLDER);
            int leg = 0; // an earlier leg of the run may have left one
            while (Files.exists(profiles.resolve("harness-" + leg + HotMethods.SUFFIX))) {
                leg++;
            }
            try {
                recording.end(profiles.resolve("harness-" + leg + HotMethods.SUFFIX));
            } catch (IOException e) {
                progress.note("the recording can't be stored: " + e.getMessage()); // results don't depend on it
            }
            return finished;
        }
    }

    private void storeRefused() throws IOException {
        Map<Integer, RunPlan.Unit> units = new HashMap<>();
        folder.plan().units().forEach(unit -> units.put(unit.index(), unit));
        for (Map.Entry<Integer, String> entry : refused.entrySet()) {
            RunPlan.Unit unit = units.get(entry.getKey());
            if (unit != null) {
                Measurement measurement = unit.failed(entry.getValue());
                folder.store(unit, measurement, null, new TimeSeries());
                progress.finished(unit, measurement);
            }
        }
    }

    /** Writes findings again from stored files; the report on one folder, with its figures' layout, goes into it. */
    public static Findings report(List<ResultFolder> folders, Path dir, Published published, FigureLayout layout)
            throws IOException {
        return folders.size() == 1
                ? Findings.write(folders.getFirst(), published, layout)
                : Findings.combine(folders, dir, published);
    }
}
