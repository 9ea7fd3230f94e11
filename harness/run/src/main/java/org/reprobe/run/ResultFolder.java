package org.reprobe.run;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.sample.TimeSeries;
import org.reprobe.scenario.ResolvedYaml;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;

/**
 * Results on disk. One scenario's files are directly in the folder; each of several has its own folder in it, with the
 * combined report and claims beside them.
 */
public final class ResultFolder implements Closeable, Runner.Sink {
    private static final long STATUS_EVERY_NS = 1_000_000_000L;

    private final Path dir;
    private final RunPlan plan;
    private final List<ScenarioFolder> parts;
    private final Map<String, ScenarioFolder> byName = new LinkedHashMap<>();
    private final Map<String, String> environment;
    private boolean ended;
    private Status status;
    private @Nullable Path nics; // null for the shipped ones
    private @Nullable FolderLock lock; // null while it is only read
    private long statusWrittenNs;
    private Status.@Nullable State onDisk; // null before it is
    private boolean abandoned;
    /** Hook that writes the status on an unhandled signal or {@code System.exit}. */
    private final Thread atExit = new Thread(this::abandon);

    private ResultFolder(
            Path dir, RunPlan plan, List<ScenarioFolder> parts, Map<String, String> environment, Status status) {
        this.dir = dir;
        this.plan = plan;
        this.parts = parts;
        this.environment = new LinkedHashMap<>(environment);
        this.status = status;
        parts.forEach(part -> byName.put(part.scenario().name(), part));
    }

    /** Reason why a folder, or its nearest existing ancestor, can't be written to; null if it can. Leaves no files. */
    public static @Nullable String unwritable(Path dir) {
        Path at = dir.toAbsolutePath();
        while (at != null && !Files.exists(at)) {
            at = at.getParent();
        }
        if (at == null || !Files.isDirectory(at)) {
            return "can't be created: " + at + " is a file, not a folder";
        }
        try {
            // Permissions don't suffice: root may write anywhere, except to a read-only file system.
            Files.delete(Files.createTempDirectory(at, ".reprobe"));
            return null;
        } catch (AccessDeniedException e) {
            return "can't be written: no permission to write to " + at;
        } catch (IOException e) { // a full disk, a read-only file system
            String reason = e instanceof FileSystemException file ? file.getReason() : e.getMessage();
            return "can't be written: no file can be created in " + at + " (" + reason + ")";
        }
    }

    /**
     * Creates results in a locked empty folder, files for a resumption first. On failure it is empty or has a status.
     */
    static ResultFolder create(
            FolderLock lock, RunPlan plan, boolean combined, Map<String, String> environment, String command)
            throws IOException {
        Path dir = lock.dir();
        List<ScenarioFolder> parts = new ArrayList<>();
        for (Scenario scenario : plan.scenarios()) {
            Path part = combined ? dir.resolve(scenario.name()) : dir;
            parts.add(ScenarioFolder.empty(part, scenario, unitsOf(plan, scenario)));
        }
        List<String> names = plan.scenarios().stream().map(Scenario::name).toList();
        Status status = new Status(Status.State.RUNNING, 0, 0, plan.units().size(), command, names, combined);
        ResultFolder folder = new ResultFolder(dir, plan, parts, environment, status);
        folder.take(lock);
        boolean begun = false;
        try {
            for (ScenarioFolder part : parts) {
                part.writeScenario();
            }
            folder.writeEnvironment();
            folder.writeStatus();
            for (ScenarioFolder part : parts) {
                part.open();
            }
            begun = true;
            return folder;
        } finally {
            if (!begun) {
                if (folder.onDisk == null) {
                    folder.deleteBeginning();
                }
                folder.close();
            }
        }
    }

    /** Deletes files that are useless without a status, so that the folder can be used again. */
    private void deleteBeginning() {
        List<Path> begun = new ArrayList<>();
        for (ScenarioFolder part : parts) {
            Stream.of(ScenarioFolder.SCENARIO, Environment.NAME, Status.NAME)
                    .map(part.dir()::resolve)
                    .forEach(begun::add);
            begun.add(part.dir());
        }
        begun.remove(dir);
        begun.add(dir.resolve(Environment.NAME));
        for (Path each : begun) {
            try {
                Files.deleteIfExists(each);
            } catch (IOException e) {
                // The failure to write is the one to report.
            }
        }
    }

    private void take(FolderLock own) {
        lock = own;
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** Reads a complete or incomplete folder, unless damaged or of another version; {@code notes} gets omissions. */
    public static ResultFolder read(Path dir, Path nics, List<String> notes) throws InvalidInputException, IOException {
        Path real = Files.exists(dir) ? dir.toRealPath() : dir;
        Status status = Status.read(real);
        Map<String, String> environment = Environment.read(real);
        Path all = OwnNics.beside(nics, real);
        ScenarioReader reader = new ScenarioReader(all);
        Scale scale = scale(environment.get("scale"));
        List<Problem> problems = new ArrayList<>();
        List<Scenario> scenarios = new ArrayList<>();
        for (String name : status.scenarios()) {
            Path part = status.combined() ? real.resolve(name) : real;
            try {
                scenarios.add(stored(reader, part.resolve(ScenarioFolder.SCENARIO), name, scale));
            } catch (InvalidInputException e) {
                problems.addAll(e.problems());
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        RunPlan plan = RunPlan.of(scenarios, all);
        List<ScenarioFolder> parts = new ArrayList<>();
        for (Scenario scenario : scenarios) {
            Path part = status.combined() ? real.resolve(scenario.name()) : real;
            parts.add(ScenarioFolder.read(part, scenario, unitsOf(plan, scenario), notes));
        }
        ResultFolder folder = new ResultFolder(real, plan, parts, environment, status);
        folder.nics = all;
        return folder;
    }

    static Scenario stored(ScenarioReader reader, Path file, String name, Scale scale)
            throws InvalidInputException, IOException {
        Scenario scenario = reader.readStored(file, scale);
        return new Scenario(
                name,
                scenario.title(),
                scenario.reproduces(),
                scenario.cells(),
                scenario.figures(),
                ResolvedYaml.stored(Files.readString(file)),
                scenario.skipped());
    }

    /** Returns the scale with this name; quick for others. */
    static Scale scale(@Nullable String word) {
        for (Scale candidate : Scale.values()) {
            if (candidate.key().equals(word)) {
                return candidate;
            }
        }
        return Scale.QUICK;
    }

    /** Stores merged results in place of the folder's; durable when this returns, except for findings. */
    static ResultFolder assemble(
            FolderLock lock, RunPlan plan, Status state, Map<String, String> environment, List<ScenarioFolder> runs)
            throws IOException {
        Path dir = lock.dir();
        List<ScenarioFolder> parts = new ArrayList<>();
        for (ScenarioFolder run : runs) {
            Path part = state.combined() ? dir.resolve(run.scenario().name()) : dir;
            ScenarioFolder own = ScenarioFolder.empty(part, run.scenario(), run.units());
            own.writeScenario();
            own.take(run);
            parts.add(own);
        }
        ResultFolder folder = new ResultFolder(dir, plan, parts, environment, state);
        folder.take(lock);
        folder.status = state.with(
                Status.State.RUNNING, folder.done(), folder.failures().size());
        folder.writeEnd();
        folder.rewrite();
        folder.ended = true; // the environment has the duration
        return folder;
    }

    static List<RunPlan.Unit> unitsOf(RunPlan plan, Scenario scenario) {
        return plan.units().stream()
                .filter(unit -> unit.scenario().name().equals(scenario.name()))
                .toList();
    }

    /** Reads and locks a folder to complete it, unless another run has it; {@code notes} receives omissions. */
    public static ResultFolder take(Path dir, Path nics, List<String> notes) throws InvalidInputException, IOException {
        Status.read(dir); // before the lock's file is created in it
        FolderLock lock = FolderLock.take(dir);
        ResultFolder folder = null;
        try {
            folder = read(dir, nics, notes);
            folder.take(lock);
            folder.onDisk = folder.status.state();
            return folder;
        } finally {
            if (folder == null) {
                lock.close();
            }
        }
    }

    void resume() throws IOException {
        if (lock == null) {
            throw new IllegalStateException(dir + " is not this run's");
        }
        WholeFile.deleteParts(dir);
        for (ScenarioFolder part : parts) {
            if (status.combined()) {
                WholeFile.deleteParts(part.dir());
            }
            part.resume();
        }
        if (status.state() == Status.State.RUNNING) {
            Environment.addLeg(environment, null); // of unknown duration
            writeEnvironment();
        }
        status = status.with(Status.State.RUNNING, done(), failures().size());
        writeStatus();
    }

    @Override
    public synchronized void store(
            RunPlan.Unit unit, Measurement measurement, @Nullable Histogram latencyNs, TimeSeries series)
            throws IOException {
        part(unit.scenario()).store(unit, measurement, latencyNs, series);
        long nowNs = System.nanoTime();
        if (statusWrittenNs == 0 || nowNs - statusWrittenNs > STATUS_EVERY_NS) {
            status = status.with(Status.State.RUNNING, done(), failures().size());
            writeStatus();
            statusWrittenNs = nowNs;
        }
    }

    /** Returns a copy of a scenario's runs so far. Called from any thread. */
    synchronized ScenarioFolder soFar(Scenario scenario) {
        return part(scenario).copy();
    }

    private ScenarioFolder part(Scenario scenario) {
        ScenarioFolder part = byName.get(scenario.name());
        if (part == null) {
            throw new IllegalStateException("no folder for " + scenario.name());
        }
        return part;
    }

    void rewrite() throws IOException {
        for (ScenarioFolder part : parts) {
            part.rewrite();
        }
    }

    /** Sets the final state of the run; written by {@link #writeEnd}. */
    void end(Status.State state, double seconds) {
        status = status.with(state, done(), failures().size());
        if (!ended) { // a failure after the end makes it a failed run, once
            ended = true;
            Environment.addLeg(environment, seconds);
        }
    }

    void writeEnd() throws IOException {
        writeEnvironment();
        writeStatus();
    }

    /** Writes that the run failed, as far as there is space. */
    void writeFailure(double seconds) {
        end(Status.State.FAILED, seconds);
        try {
            writeEnvironment();
        } catch (IOException e) {
            // The environment stays unchanged; the status matters more.
        }
        writeLastStatus();
    }

    /** Adds facts of a resumption to those found before; written by {@link #writeEnd}. */
    public void addFacts(Map<String, String> facts) {
        facts.forEach((key, value) -> environment.merge(
                key, value, (before, now) -> before.equals(now) ? before : before + "; resumed: " + now));
    }

    private void writeEnvironment() throws IOException {
        Environment.write(dir, environment);
        if (status.combined()) {
            for (ScenarioFolder part : parts) {
                Environment.write(part.dir(), environment);
            }
        }
    }

    private synchronized void writeStatus() throws IOException {
        if (!abandoned) {
            for (Map.Entry<Path, Status> each : statuses().entrySet()) {
                each.getValue().write(each.getKey());
            }
            onDisk = status.state();
        }
    }

    private Map<Path, Status> statuses() {
        Map<Path, Status> statuses = new LinkedHashMap<>();
        for (ScenarioFolder part : status.combined() ? parts : List.<ScenarioFolder>of()) {
            int done = part.done();
            int planned = part.units().size();
            boolean complete = done == planned && status.state() != Status.State.RUNNING;
            statuses.put(
                    part.dir(),
                    new Status(
                            !complete
                                    ? status.state()
                                    : part.hasValidRuns() ? Status.State.COMPLETE : Status.State.FAILED,
                            done,
                            Math.toIntExact(part.failures().count()),
                            planned,
                            status.command(),
                            List.of(part.scenario().name()),
                            false));
        }
        statuses.put(dir, status);
        return statuses;
    }

    /** Replaces the status "running" for good if the process ends before the run. Thread-safe. */
    private synchronized void abandon() {
        if (onDisk == Status.State.RUNNING && !abandoned) {
            status = status.with(Status.State.INTERRUPTED, done(), failures().size());
            writeLastStatus();
        }
        abandoned = true;
    }

    private synchronized void writeLastStatus() {
        if (abandoned) {
            return;
        }
        statuses().forEach((folder, last) -> {
            try {
                try {
                    last.write(folder);
                } catch (IOException e) {
                    last.overwrite(folder);
                }
            } catch (IOException e) {
                // The status stays "running"; readers detect that its process has ended.
            }
        });
        onDisk = status.state();
    }

    /** Sets the link {@code results/latest} to this folder; a failure is ignored. */
    void becomeLatest(Path parent) {
        Path link = parent.resolve("latest");
        Path fresh = parent.resolve(".latest." + ProcessHandle.current().pid());
        try {
            if (Files.exists(link, LinkOption.NOFOLLOW_LINKS) && !Files.isSymbolicLink(link)) {
                return; // a folder of the user
            }
            Files.deleteIfExists(fresh);
            Files.createSymbolicLink(fresh, dir.getFileName());
            Files.move(fresh, link, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException | UnsupportedOperationException e) {
            // Some file systems have no links.
        }
    }

    /** Returns the folder of NIC profiles that a folder's runs need, if it is not the program's. */
    public Path nics(Path ofProgram) {
        return nics == null ? ofProgram : nics;
    }

    void keepNic(Path from, String name) throws IOException {
        OwnNics.keep(from, name, dir);
        if (status.combined()) {
            for (ScenarioFolder part : parts) {
                OwnNics.keep(from, name, part.dir());
            }
        }
    }

    Path ownFolder(RunPlan.Unit unit) {
        return part(unit.scenario()).ownFolder(unit);
    }

    /** Returns the folders that may contain recordings: of all runs, and of each of several scenarios. */
    public List<Path> profiles() {
        return Stream.concat(Stream.of(dir), parts.stream().map(ScenarioFolder::dir))
                .distinct()
                .map(each -> each.resolve(Profiling.FOLDER))
                .toList();
    }

    Path profileFolder(RunPlan.Unit unit) {
        return part(unit.scenario()).profileFolder(unit);
    }

    public Path dir() {
        return dir;
    }

    public RunPlan plan() {
        return plan;
    }

    public Status status() {
        return status;
    }

    public Map<String, String> environment() {
        return Map.copyOf(environment);
    }

    Map<String, String> orderedEnvironment() {
        return environment;
    }

    List<ScenarioFolder> parts() {
        return parts;
    }

    public List<Measurement> failures() {
        return parts.stream().flatMap(ScenarioFolder::failures).toList();
    }

    public int done() {
        return parts.stream().mapToInt(ScenarioFolder::done).sum();
    }

    /** Returns true if any run has succeeded: otherwise the folder has no results. */
    public boolean hasValidRuns() {
        return parts.stream().anyMatch(ScenarioFolder::hasValidRuns);
    }

    public List<RunPlan.Unit> missing() {
        return parts.stream().flatMap(part -> part.missing().stream()).toList();
    }

    /** Returns all stored measurements of a scenario; their cells have all settings in which they differ. */
    public List<Measurement> shownMeasurements(Scenario scenario) {
        return part(scenario).shownMeasurements();
    }

    /** Returns the measurements of a scenario by drawn profiles, with cells as in {@link #shownMeasurements}. */
    public List<Measurement> shownDrawn(Scenario scenario) {
        return part(scenario).shownDrawn();
    }

    @Override
    public void close() throws IOException {
        for (ScenarioFolder part : parts) {
            part.close();
        }
        if (lock != null) {
            abandon();
            lock.close();
            lock = null;
            try {
                Runtime.getRuntime().removeShutdownHook(atExit);
            } catch (IllegalStateException e) {
                // It is running.
            }
        }
    }
}
