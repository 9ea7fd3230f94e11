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
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.regress.HistoryEntry;
import org.reprobe.fabric.TimeSeries;
import org.reprobe.plots.FigureLayout;
import org.reprobe.profile.FlightRecording;
import org.reprobe.profile.HotMethods;
import org.reprobe.system.Content;
import org.reprobe.table.FreeMemory;

/** Runs what is missing in a result folder and writes what follows from it. */
public final class Experiment {
    /** Most memory for tables, unless the user says more. */
    public static final long MAX_MEMORY_BYTES = 20L << 30;

    private static final double MOST_OF_FREE = 0.85;

    private final ResultFolder folder;
    private final @Nullable Published published; // null: findings are left to the merge of all shards
    private final Options options;
    private final Progress progress;
    private final Runner runner;
    /** Whether some runs are this process's own. */
    private final boolean simulates;

    private final Map<Integer, String> refused = new LinkedHashMap<>();

    /**
     * How to run.
     *
     * @param jobs workers
     * @param memoryBytes most memory for tables
     * @param tables where tables are kept between runs; null to build them anew
     * @param real where runs on real fabrics go; closed at the end
     * @param profiled whether Flight Recorder is to record: processes of real runs each, this one for simulated runs
     * @param latestIn the folder of all results, whose {@code latest} is to point at these and which gets a page of all; null for none
     */
    public record Options(
            int jobs,
            long memoryBytes,
            @Nullable Path tables,
            boolean profiled,
            @Nullable Path latestIn,
            RealRuns real) {}

    /**
     * How it went.
     *
     * @param findings null when the runs were ended before anything could be written, and for a shard
     * @param invalid runs that failed
     */
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

    /** What tables may use by default: most of what is free, never over 20 GiB. */
    public static long defaultMemoryBytes() {
        return Math.min(MAX_MEMORY_BYTES, (long) (FreeMemory.bytes() * MOST_OF_FREE));
    }

    /**
     * Begins a plan's results and prepares to run it.
     *
     * @param lock of the empty folder for them; closed when this has run
     */
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
        environment.putAll(Environment.here(home));
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

    /**
     * Prepares to run some of a shard's units, in a new attempt.
     *
     * @param command this attempt's
     * @param facts of this attempt, besides those of the whole run
     */
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

    /** Keeps a NIC profile of the user's own with the results, which can't be completed without it. */
    public void keepNic(Path from, String name) throws IOException {
        folder.keepNic(from, name);
    }

    public ResultFolder folder() {
        return folder;
    }

    /** Ends all runs soon, keeping those that have ended. From any thread. */
    public void stop() {
        runner.stop();
    }

    /**
     * Runs what is missing, then writes findings.
     *
     * @throws IOException when results can't be stored; what was stored before is kept
     */
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
            folder.writeEnd(); // last: a folder that says "complete" has everything
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

    /** Whether all have ended. */
    private boolean runUnits() throws IOException, InterruptedException {
        if (!options.profiled || !simulates) {
            return runner.run(folder);
        }
        try (FlightRecording recording = FlightRecording.begin()) {
            boolean finished = runner.run(folder);
            Path profiles = folder.dir().resolve(Profiling.FOLDER);
            int leg = 0; // an earlier leg of the run has left another
            while (Files.exists(profiles.resolve("harness-" + leg + HotMethods.SUFFIX))) {
                leg++;
            }
            try {
                recording.end(profiles.resolve("harness-" + leg + HotMethods.SUFFIX));
            } catch (IOException e) {
                progress.note("the profile is not kept: " + e.getMessage()); // results don't depend on it
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

    /**
     * Writes findings again from files alone.
     *
     * @param dir where a report on several folders goes; one folder's goes into itself
     * @param layout of one folder's figures; several get none
     */
    public static Findings report(List<ResultFolder> folders, Path dir, Published published, FigureLayout layout)
            throws IOException {
        return folders.size() == 1
                ? Findings.write(folders.getFirst(), published, layout)
                : Findings.combine(folders, dir, published);
    }
}
