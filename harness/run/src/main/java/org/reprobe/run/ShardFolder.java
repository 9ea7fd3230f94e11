package org.reprobe.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.WholeFile;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;

/**
 * Result folder whose runs are made in shards by independent processes. All is in {@code shards/}: the runs
 * ({@code plan.json}, {@code scenarios/}), and {@code I/ATTEMPT/} for each attempt at shard I, a result folder of its
 * own. Each file has one writer and nothing is locked, so attempts may fail, be lost and be repeated; merging takes the
 * union.
 */
public final class ShardFolder {
    public static final String FOLDER = "shards";
    private static final String SCENARIOS = "scenarios";
    private static final String SHARD = "shard";
    private static final String PLAN = "plan";
    private static final String NODE = "node";
    private static final String STARTED = "started";
    /** Facts of attempts that are not joined for the whole: the machines may differ. */
    private static final Set<String> NOT_JOINED =
            Set.of("command", SHARD, PLAN, NODE, STARTED, Environment.LEGS, Environment.DURATION);

    private final Path dir;
    private final RunPlan plan;
    private final Shards shards;
    private final ShardPlan stored;
    private final Path nics;

    /** Facts of a run before it is divided. */
    public record Origin(
            boolean combined,
            long maxMemoryBytes,
            String command,
            Map<String, String> facts,
            @Nullable String ownNic) {}

    /** Union of all attempts: one part per scenario, and runs that two attempts made with unequal results. */
    record Union(List<ScenarioFolder> parts, List<Problem> differing, List<Attempt> attempts) {
        List<RunPlan.Unit> withoutValidRun(List<RunPlan.Unit> units) {
            Map<String, ScenarioFolder> byName = new HashMap<>();
            parts.forEach(part -> byName.put(part.scenario().name(), part));
            return units.stream()
                    .filter(unit -> !Objects.requireNonNull(
                                    byName.get(unit.scenario().name()))
                            .isKept(unit))
                    .toList();
        }

        int done() {
            return parts.stream().mapToInt(ScenarioFolder::done).sum();
        }
    }

    /** An attempt on disk: shard 0 is the folder itself, as left by an earlier merge or a run without shards. */
    record Attempt(int shard, Path dir, Map<String, String> environment) {
        String node() {
            return environment.getOrDefault(NODE, "this folder")
                    + (environment.containsKey("cpu") ? " (" + environment.get("cpu") + ")" : "");
        }

        @Nullable
        OffsetDateTime started() {
            try {
                return OffsetDateTime.parse(environment.getOrDefault(STARTED, ""));
            } catch (DateTimeException e) {
                return null;
            }
        }
    }

    private ShardFolder(Path dir, RunPlan plan, Shards shards, ShardPlan stored, Path nics) {
        this.dir = dir;
        this.plan = plan;
        this.shards = shards;
        this.stored = stored;
        this.nics = nics;
    }

    public static boolean isOne(Path dir) {
        return Files.exists(planFile(dir));
    }

    private static Path planFile(Path dir) {
        return dir.resolve(FOLDER).resolve(ShardPlan.NAME);
    }

    /** Divides a run, or joins its earlier division with its memory limit; fails if the folder has another one. */
    public static ShardFolder prepare(Path dir, RunPlan plan, int count, Origin origin, Path home, Path nics)
            throws InvalidInputException, IOException {
        Shards shards = Shards.of(plan, count);
        ShardPlan ours = ShardPlan.of(
                plan,
                shards,
                origin.combined,
                origin.maxMemoryBytes,
                Environment.commit(home),
                origin.command,
                origin.facts,
                nics);
        Path folder = dir.resolve(FOLDER);
        Path file = planFile(dir);
        if (!Files.exists(file)) {
            Files.createDirectories(folder.resolve(SCENARIOS));
            for (Scenario scenario : plan.scenarios()) {
                WholeFile.write(scenarioFile(dir, scenario.name()), scenario.resolvedYaml());
            }
            if (origin.ownNic != null) {
                OwnNics.keep(nics, origin.ownNic, folder);
                OwnNics.keep(nics, origin.ownNic, dir);
            }
            for (int shard = 1; shard <= count; shard++) {
                Files.createDirectories(folder.resolve(String.valueOf(shard)));
            }
            ours.writeFirst(file);
        }
        ShardPlan theirs = ShardPlan.read(file);
        if (!theirs.digest().equals(ours.digest())) {
            throw new InvalidInputException(
                    Problem.of(
                            dir.toString(),
                            theirs.shards().size() != count
                                    ? "its run was divided into "
                                            + Quantities.count(theirs.shards().size(), "shard") + ", not " + count
                                            + ": all shards need the same N"
                                    : "has the shards of another run: its scenarios, options or NIC profiles differ from these"));
        }
        return new ShardFolder(dir, plan, shards, theirs, nics).ofCommit(home);
    }

    private static Path scenarioFile(Path dir, String name) {
        return dir.resolve(FOLDER).resolve(SCENARIOS).resolve(name + ".yaml");
    }

    /** Reads a folder; fails if it has no shards or is of another version. */
    public static ShardFolder open(Path dir, Path nics) throws InvalidInputException, IOException {
        if (!Files.isDirectory(dir)) {
            throw new InvalidInputException(dir, "no such folder");
        }
        if (!isOne(dir)) {
            throw new InvalidInputException(
                    dir,
                    "has no shards: it has no " + FOLDER + "/" + ShardPlan.NAME
                            + ". Name the folder of run --shard --out");
        }
        Path real = dir.toRealPath();
        Path file = planFile(real);
        ShardPlan stored = ShardPlan.read(file);
        Path all = OwnNics.beside(nics, real.resolve(FOLDER));
        ScenarioReader reader = new ScenarioReader(all);
        List<Scenario> scenarios = new ArrayList<>();
        for (String name : stored.scenarios()) {
            scenarios.add(ResultFolder.stored(
                    reader,
                    scenarioFile(real, name),
                    name,
                    ResultFolder.scale(stored.facts().get("scale"))));
        }
        RunPlan plan = RunPlan.of(scenarios, all);
        return new ShardFolder(real, plan, stored.shards(plan, file, all), stored, all);
    }

    /** Returns this folder; fails unless this program's commit divided the run. */
    public ShardFolder ofCommit(Path home) throws InvalidInputException {
        String commit = Environment.commit(home);
        if (!commit.equals(stored.commit())) {
            throw new InvalidInputException(
                    dir,
                    "its run was begun by commit " + stored.commit() + ", but this program is of commit " + commit
                            + ": all shards must be run by the same commit");
        }
        return this;
    }

    public Path dir() {
        return dir;
    }

    public RunPlan plan() {
        return plan;
    }

    public Shards shards() {
        return shards;
    }

    public Path nics() {
        return nics;
    }

    public String command() {
        return stored.command();
    }

    public Map<String, String> facts() {
        return Map.copyOf(stored.facts());
    }

    public Scale scale() {
        return ResultFolder.scale(stored.facts().get("scale"));
    }

    public long maxMemoryBytes() {
        return stored.maxMemoryBytes();
    }

    public Path shardDir(int shard) {
        return dir.resolve(FOLDER).resolve(String.valueOf(shard));
    }

    /** Returns units without a valid run in any attempt; {@code notes} receives omissions. */
    public List<RunPlan.Unit> missing(int shard, List<String> notes) throws InvalidInputException, IOException {
        return union(List.of(shard), notes).withoutValidRun(shards.units(shard));
    }

    public List<List<RunPlan.Unit>> missing(List<String> notes) throws InvalidInputException, IOException {
        Union union = union(notes);
        return shards.parts().stream().map(union::withoutValidRun).toList();
    }

    /** Creates an attempt at some of a shard's units, in a folder of its own, with its own command and more facts. */
    ResultFolder begin(int shard, List<RunPlan.Unit> units, String command, Map<String, String> more, Path home)
            throws IOException {
        Set<String> names = units.stream().map(unit -> unit.scenario().name()).collect(Collectors.toSet());
        RunPlan part = new RunPlan(
                plan.scenarios().stream()
                        .filter(scenario -> names.contains(scenario.name()))
                        .toList(),
                units);
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("command", command);
        environment.putAll(stored.facts());
        environment.putAll(more);
        environment.putAll(Environment.current(home));
        environment.put(NODE, Environment.host());
        environment.put(SHARD, shard + " of " + shards.count());
        environment.put(PLAN, stored.digest());
        FolderLock own = FolderLock.ofOwn(shardDir(shard), attemptName());
        return ResultFolder.create(own, part, stored.combined(), environment, command);
    }

    /** Returns a name from the batch system's job, or from the process. */
    private static String attemptName() {
        // Tasks of an array also have numbers of their own, which differ from those that sbatch printed.
        String array = System.getenv("SLURM_ARRAY_JOB_ID");
        String job = array == null ? System.getenv("SLURM_JOB_ID") : array;
        String restarts = System.getenv("SLURM_RESTART_COUNT");
        return job == null
                ? Environment.host() + "." + ProcessHandle.current().pid()
                : job + "." + (restarts == null ? "0" : restarts);
    }

    public List<Path> attemptDirs(int shard) throws IOException {
        return folders(shardDir(shard));
    }

    private static List<Path> folders(Path dir) throws IOException {
        if (!Files.isDirectory(dir)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(dir)) {
            return all.filter(Files::isDirectory).sorted().toList();
        }
    }

    /** Returns the attempts at a shard, by their names. An attempt without an environment has not started. */
    List<Attempt> attempts(int shard) throws InvalidInputException, IOException {
        List<Attempt> attempts = new ArrayList<>();
        for (Path attempt : folders(shardDir(shard))) {
            if (Files.exists(attempt.resolve(Environment.NAME))) {
                Map<String, String> environment = Environment.read(attempt);
                if (!stored.digest().equals(environment.get(PLAN))) {
                    throw new InvalidInputException(
                            attempt, "belongs to another run, or to other shards of this run: remove it");
                }
                attempts.add(new Attempt(shard, attempt, environment));
            }
        }
        return attempts;
    }

    Union union(List<String> notes) throws InvalidInputException, IOException {
        List<Integer> all = new ArrayList<>();
        for (int shard = 1; shard <= shards.count(); shard++) {
            all.add(shard);
        }
        return union(all, notes);
    }

    private Union union(Collection<Integer> of, List<String> notes) throws InvalidInputException, IOException {
        List<Attempt> attempts = new ArrayList<>();
        for (int shard : of) {
            attempts.addAll(attempts(shard));
        }
        if (Files.exists(dir.resolve(Status.NAME))) {
            attempts.add(new Attempt(0, dir, Environment.read(dir)));
        }
        for (Attempt attempt : attempts) {
            String otherVersion = ArtifactVersion.difference(attempts.getFirst().environment, attempt.environment);
            if (otherVersion != null) {
                throw new InvalidInputException(
                        Problem.of(attempts.getFirst().dir + " and " + attempt.dir, "the first " + otherVersion));
            }
        }
        List<ScenarioFolder> parts = new ArrayList<>();
        List<Problem> differing = new ArrayList<>();
        for (Scenario scenario : plan.scenarios()) {
            List<RunPlan.Unit> units = ResultFolder.unitsOf(plan, scenario);
            ScenarioFolder whole = ScenarioFolder.empty(Path.of(""), scenario, units);
            Map<Integer, Attempt> from = new HashMap<>();
            for (Attempt attempt : attempts) {
                Path part = stored.combined() ? attempt.dir.resolve(scenario.name()) : attempt.dir;
                if (!Files.isDirectory(part)) {
                    continue; // no results of this scenario
                }
                ScenarioFolder other = ScenarioFolder.read(part, scenario, units, notes);
                for (RunPlan.Unit unit : units) {
                    if (!other.isKept(unit)) {
                        continue;
                    }
                    Attempt first = from.putIfAbsent(unit.index(), attempt);
                    if (first != null
                            && unit.kind() != Kind.MEASURED
                            && !whole.stored(unit).equals(other.stored(unit))) {
                        differing.add(Problem.of(
                                unit.name() + ", repeat " + unit.repeat(),
                                "has different results on " + first.node() + " and on " + attempt.node() + ": "
                                        + first.dir + " and " + attempt.dir
                                        + ". Simulated runs must be equal: remove the wrong one"));
                    }
                }
                whole.take(other);
            }
            parts.add(whole);
        }
        return new Union(parts, differing, attempts);
    }

    /** Returns {@code environment.json} of the whole: each distinct value of the attempts once. */
    private Map<String, String> environment(Union union) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("command", stored.command());
        environment.putAll(stored.facts());
        Map<String, Set<String>> joined = new LinkedHashMap<>();
        Set<String> nodes = new LinkedHashSet<>();
        OffsetDateTime from = null;
        OffsetDateTime to = null;
        for (Attempt attempt : union.attempts) {
            if (attempt.shard == 0) {
                continue;
            }
            attempt.environment.forEach((key, value) -> {
                if (!NOT_JOINED.contains(key) && !stored.facts().containsKey(key)) {
                    joined.computeIfAbsent(key, _ -> new LinkedHashSet<>()).add(value);
                }
            });
            nodes.add(attempt.environment.getOrDefault(NODE, "unknown"));
            OffsetDateTime started = attempt.started();
            if (started != null) {
                OffsetDateTime ended = started.plusNanos((long) (1e9 * seconds(attempt)));
                from = from == null || started.isBefore(from) ? started : from;
                to = to == null || ended.isAfter(to) ? ended : to;
            }
        }
        if (from != null) {
            environment.put(STARTED, from.toString());
        }
        joined.forEach((key, values) -> environment.put(key, String.join(", ", values)));
        environment.put(FOLDER, String.valueOf(shards.count()));
        environment.put("nodes", String.join(", ", nodes));
        if (from != null && to != null) {
            environment.put(
                    Environment.DURATION,
                    String.format(
                            Locale.ROOT, "%.1f s", Duration.between(from, to).toMillis() / 1e3));
        }
        return environment;
    }

    private static double seconds(Attempt attempt) {
        String duration = attempt.environment.getOrDefault(Environment.DURATION, "");
        return duration.matches("\\d{1,12}\\.\\d s")
                ? Double.parseDouble(duration.substring(0, duration.length() - 2))
                : 0;
    }

    /** Result of a merge; nothing was written, and there are no findings, if runs have different results. */
    public record Merged(
            List<Problem> differing,
            @Nullable ResultFolder merged,
            Map<Integer, List<RunPlan.Unit>> missing,
            @Nullable Findings findings) {}

    /** Merges all attempts into an interrupted run; writes nothing if it returns runs with different results. */
    public List<Problem> collect(List<String> notes) throws InvalidInputException, IOException {
        try (FolderLock lock = FolderLock.take(dir)) {
            Union union = union(notes);
            if (union.differing.isEmpty()) {
                try (ResultFolder collected = assemble(lock, union, Status.State.INTERRUPTED)) {
                    collected.end(Status.State.INTERRUPTED, 0);
                    collected.writeEnd();
                }
            }
            return union.differing;
        }
    }

    private ResultFolder assemble(FolderLock lock, Union union, Status.State state) throws IOException {
        Status status = new Status(
                state, union.done(), 0, plan.units().size(), stored.command(), stored.scenarios(), stored.combined());
        return ResultFolder.assemble(lock, plan, status, environment(union), union.parts);
    }

    /** Merges all attempts and writes findings; fails if one is damaged or another process writes to the folder. */
    public Merged merge(Published published, List<String> notes, @Nullable Path latestIn)
            throws InvalidInputException, IOException {
        FolderLock lock = FolderLock.take(dir);
        ResultFolder merged = null;
        try {
            Union union = union(notes);
            if (!union.differing.isEmpty()) {
                return new Merged(union.differing, null, Map.of(), null);
            }
            Set<Integer> missing = new LinkedHashSet<>();
            union.parts.forEach(part -> part.missing().forEach(unit -> missing.add(unit.index())));
            boolean valid = union.parts.stream().anyMatch(ScenarioFolder::hasValidRuns);
            Status.State state =
                    !missing.isEmpty() ? Status.State.INTERRUPTED : valid ? Status.State.COMPLETE : Status.State.FAILED;
            merged = assemble(lock, union, state);
            merged.end(state, 0);
            Findings findings = Findings.write(merged, published);
            merged.writeEnd(); // last: a folder with state "complete" has everything
            if (state == Status.State.COMPLETE && latestIn != null) {
                merged.becomeLatest(latestIn);
            }
            if (latestIn != null) {
                ResultsIndex.update(latestIn, notes::add);
            }
            Map<Integer, List<RunPlan.Unit>> byShard = new LinkedHashMap<>();
            for (int shard = 1; shard <= shards.count(); shard++) {
                List<RunPlan.Unit> left = shards.units(shard).stream()
                        .filter(unit -> missing.contains(unit.index()))
                        .toList();
                if (!left.isEmpty()) {
                    byShard.put(shard, left);
                }
            }
            return new Merged(List.of(), merged, byShard, findings);
        } finally {
            if (merged != null) {
                merged.close();
            }
            lock.close();
        }
    }
}
