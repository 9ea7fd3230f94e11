package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.run.Experiment;
import org.reprobe.run.FolderLock;
import org.reprobe.run.Profiling;
import org.reprobe.run.Published;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.RunPlan;
import org.reprobe.run.ShardFolder;
import org.reprobe.run.Shards;
import org.reprobe.run.Status;
import org.reprobe.run.process.Coordinator;
import org.reprobe.run.process.SlurmNodes;
import org.reprobe.scenario.Scenario;
import org.reprobe.system.Settings;
import org.reprobe.trust.Printable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code run}: runs scenarios, or completes what was interrupted. Nothing is written before all input is found good. */
@Command(
        name = "run",
        description = "Runs scenarios: files, folders of them, or shipped names.",
        footer = {"", "JSON: " + RunSummary.JSON_FIELDS})
class RunCommand extends CheckedCommand {
    /** Options that can't be changed when a folder says what is run. */
    private static final List<String> FIXED_ON_RESUME =
            List.of("--set", "--fabric", "--nic", "--scale", "--filter", "--seed", "--out", "--profile");

    /** Options of one shard, which the command of the whole run has not. */
    private static final Set<String> OF_SHARD = Set.of("--shard", "--jobs", "--table-cache", "--detach");

    @Parameters(
            paramLabel = "FILE|DIR",
            arity = "0..*",
            completionCandidates = ScenarioOptions.Names.class,
            description = "What to run, for example figure-07.")
    private List<String> words = new ArrayList<>();

    @Mixin
    private ScenarioOptions options = new ScenarioOptions();

    @Mixin
    private SeedOption seed = new SeedOption();

    @Mixin
    private SlurmOptions slurm = new SlurmOptions();

    @Mixin
    private JobsOption jobs = new JobsOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private QuietOption quiet = new QuietOption();

    @Option(names = "--out", paramLabel = "DIR", description = "Where results go (default: a new folder in results/).")
    private @Nullable Path out;

    @Option(names = "--dry-run", description = "Show what would run, how much memory and time it needs; write nothing.")
    private boolean dryRun;

    @Option(names = "--resume", paramLabel = "DIR", description = "Complete the result folder of an interrupted run.")
    private @Nullable Path resume;

    @Option(
            names = "--shard",
            paramLabel = "I/N",
            converter = ShardOf.Converter.class,
            description =
                    "Run only share I of N, into the folder that all shares are given; \"merge\" puts them together.")
    private @Nullable ShardOf shard;

    @Option(names = "--strict", description = "Exit 1 when a claim is missed.")
    private boolean strict;

    @Option(
            names = "--max-memory",
            paramLabel = "SIZE",
            converter = MemorySize.class,
            description = "Most memory for tables and clients, like 8g (default: 85 %% of what is free, at most 20g).")
    private @Nullable Long maxMemoryBytes;

    @Option(
            names = "--table-cache",
            paramLabel = "DIR",
            converter = WritableFile.Folder.class,
            description = "Keep built tables here and use them again.")
    private @Nullable Path tableCache;

    @Mixin
    private ZooKeeperOption zookeeper = new ZooKeeperOption();

    @Option(
            names = "--profile",
            description =
                    "Record where time goes, by Java's Flight Recorder: one recording of each server and client process"
                            + " for each run, or of this process where runs are simulated. It takes time, so measured results are"
                            + " then comparable with profiled ones only.")
    private boolean profile;

    private final Library library = Library.here();

    /** Where clients that somebody starts by hand connect; null to start them. */
    @Nullable
    InetSocketAddress listen() {
        return null;
    }

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        int workers = jobs.orElse(Runtime.getRuntime().availableProcessors());
        CarrierThreads.forRuns(workers);
        long memoryBytes = maxMemoryBytes == null ? Experiment.defaultMemoryBytes() : maxMemoryBytes;
        return resume == null ? fresh(workers, memoryBytes) : resume(resume, workers, memoryBytes);
    }

    private Integer fresh(int workers, long memoryBytes)
            throws InvalidInputException, IOException, InterruptedException {
        checkShard();
        if (words.isEmpty()) {
            problems()
                    .add(Problem.of("run", "nothing to run: name a scenario, a file or a folder; \"list\" shows them"));
        }
        NicOption.Profile nic = options.nic().profile(library, problems());
        Path nics = nic.folder();
        List<String> seeds = seed.given() == null ? List.of() : List.of("seed=" + seed.given());
        Scenarios read = Scenarios.read(library, nics, words, options.forReader(nic, seeds), problems());
        RunPlan plan = plan(read.scenarios(), nics);
        if (slurm.isGiven() && problems().isEmpty() && SlurmRun.isMeasured(plan)) {
            List<String> sets = new ArrayList<>(seeds);
            sets.addAll(SlurmRun.hosts(plan));
            read = Scenarios.read(library, nics, words, options.forReader(nic, sets), problems());
            plan = plan(read.scenarios(), nics);
        }
        Map<String, String> lacking = dryRun ? Map.of() : plan.lacking(slurm.isGiven() || SlurmNodes.areHere());
        if (shard != null || slurm.isGiven()) {
            lacking.forEach((scenario, why) -> problems().add(Problem.of(scenario, why)));
        } else if (!lacking.isEmpty()) {
            plan = without(lacking, plan, nics);
        }
        if (profile) {
            checkProfile("--profile", plan);
        }
        Published published = published(plan.scenarios());
        if (!dryRun && !isGiven("--shard") && !isGiven("--on")) {
            library.checkOut(out, problems());
        } else if (!dryRun && out != null) {
            ShardRun.check(out, problems());
        }
        SlurmRun onSlurm = slurm.isGiven() ? new SlurmRun(slurm, plan, maxMemoryBytes) : null;
        SlurmRun.Ask ask = onSlurm == null || !problems().isEmpty() ? null : onSlurm.ask(null, problems());
        stopOnProblems();
        tellNotRun(lacking);
        RunPreview preview = new RunPreview(plan, workers, onSlurm == null ? memoryBytes : onSlurm.tableBytes());
        preview.tellRefusals(err());
        if (dryRun) {
            Shards shards = ask != null ? ask.shards() : shard == null ? null : Shards.of(plan, shard.count());
            preview.print(json.text(), plan.units());
            if (ask != null) {
                Path dir = out == null ? library.results().resolve("DATE-" + read.name()) : out;
                SlurmRun.preview(json.text(), plan, ask, dir.toAbsolutePath().normalize(), read.name());
            } else if (shards != null) {
                ShardPreview.print(json.text(), plan, shards);
            }
            json.write(preview.json(plan.units(), shards));
            return preview.allRefused() ? Reprobe.BAD_INPUT : Reprobe.FINE;
        }
        if (preview.allRefused()) {
            return Reprobe.BAD_INPUT;
        }
        Map<String, String> facts = RunHeader.facts(plan, read.combined(), read.name(), options.scale());
        facts.putAll(ArtifactVersion.facts(plan));
        if (read.combined()) {
            read.files().forEach((name, file) -> facts.put("command-of-" + name, Reprobe.typed(commandOf(file))));
        }
        if (shard != null || ask != null) {
            ShardFolder.Origin origin = new ShardFolder.Origin(
                    read.combined(),
                    onSlurm == null ? memoryBytes : onSlurm.tableBytes(),
                    Reprobe.typed(TypedCommand.words(parsed(), OF_SHARD)),
                    ShardRun.shared(facts),
                    nic.own() ? nic.name() : null);
            int count = ask != null
                    ? ask.shards().count()
                    : Objects.requireNonNull(shard).count();
            Path dir = shared(read.name());
            ShardFolder folder = ShardFolder.prepare(dir, plan, count, origin, library.home(), nics);
            return onSlurm != null && ask != null
                    ? (Integer) onSlurm.run(folder, ask, read.name(), library, json, quiet, err(), strict)
                    : run(folder, Objects.requireNonNull(shard), workers);
        }
        PrintWriter header = quiet.header(json.text());
        RunHeader.print(header, plan, facts, workers, memoryBytes);
        facts.putAll(RunHeader.noise(header, plan));
        if (profile) {
            facts.put(Profiling.FACT, Profiling.words(plan));
        }
        FolderLock lock = out == null
                ? FolderLock.takeNew(library.results(), read.name(), LocalDateTime.now(ZoneId.systemDefault()))
                : FolderLock.takeEmpty(out);
        header.println("# results: " + lock.dir());
        try (ProgressLine line = quiet.progress()) {
            RunProgress progress = new RunProgress(line, 0, plan.units().size(), plan.units());
            Experiment experiment;
            try {
                experiment = Experiment.create(
                        lock,
                        plan,
                        read.combined(),
                        library.home(),
                        facts,
                        TypedCommand.of(parsed()),
                        published,
                        new Experiment.Options(
                                workers,
                                memoryBytes,
                                tableCache,
                                profile,
                                out == null ? library.results() : null,
                                coordinator(progress, nics)),
                        progress);
                if (nic.own() && nic.name() != null) {
                    experiment.keepNic(nics, nic.name());
                }
            } catch (IOException e) {
                throw notStored(lock.dir(), e);
            }
            Integer code = perform(experiment, line);
            tellNotRun(lacking); // again, below all that was printed meanwhile
            return code;
        }
    }

    /** What must hold of a command line with {@code --shard} or {@code --on}. */
    private void checkShard() {
        if (slurm.isGiven()) {
            refuse("--shard", "is for one shard; --on makes all of them");
            refuse("--jobs", "is for this machine; with --on say --cpus");
            if (listen() != null) {
                problems().add(Problem.of("--on slurm", "can't be had where clients are started by hand"));
            }
        } else if (!isGiven("--on")) {
            SlurmOptions.NAMES.forEach(name -> refuse(name, "is for --on slurm"));
        }
        if (shard == null) {
            return;
        }
        if (out == null && resume == null) {
            problems()
                    .add(Problem.of(
                            "--shard " + shard,
                            "needs --out DIR, one folder for all shards, or --resume with that folder"));
        }
        if (listen() != null) {
            problems().add(Problem.of("--shard " + shard, "can't be had where clients are started by hand"));
        }
    }

    /** What must hold where runs are profiled. */
    private void checkProfile(String where, RunPlan plan) {
        if (!Profiling.isPossible()) {
            problems().add(Problem.of(where, "needs Java's module jdk.jfr, which this Java lacks: take a whole JDK"));
        }
        if (shard != null || slurm.isGiven()) {
            problems().add(Problem.of(where, "is for one run on this machine, not for shards"));
        }
        if (listen() != null) {
            problems()
                    .add(Problem.of(
                            where, "can't be had where clients are started by hand: their processes are not ours"));
        }
        plan.scenarios().stream()
                .filter(scenario -> plan.units().stream()
                        .filter(unit -> unit.scenario().name().equals(scenario.name()))
                        .anyMatch(unit -> unit.deployment().ownRun() != null))
                .forEach(scenario -> problems()
                        .add(Problem.of(
                                where, scenario.name() + " runs programs of its own, which Java can't profile")));
        plan.scenarios().stream()
                .filter(scenario -> scenario.cells().stream().anyMatch(cell -> isElsewhere(cell.settings())))
                .forEach(scenario -> problems()
                        .add(Problem.of(
                                where,
                                scenario.name() + " runs on other hosts, and only this one's processes are"
                                        + " profiled")));
    }

    private static boolean isElsewhere(Settings settings) {
        return settings.isReal() && !settings.hosts().areHere();
    }

    /** The folder of all shards, by a path that means the same on other machines. */
    private Path shared(String name) throws IOException, InvalidInputException {
        if (out != null) {
            return shard != null ? out : out.toAbsolutePath().normalize();
        }
        try (FolderLock fresh =
                FolderLock.takeNew(library.results(), name, LocalDateTime.now(ZoneId.systemDefault()))) {
            return fresh.dir().toAbsolutePath().normalize();
        }
    }

    private Integer run(ShardFolder folder, ShardOf part, int workers)
            throws InvalidInputException, IOException, InterruptedException {
        if (maxMemoryBytes != null && maxMemoryBytes != folder.maxMemoryBytes()) {
            throw new InvalidInputException(Problem.of(
                    "--max-memory",
                    "the first shard may use " + Quantities.bytes(folder.maxMemoryBytes())
                            + ": all must say the same, since what doesn't fit is a result"));
        }
        return new ShardRun(folder, part, library, json.text(), quiet, TypedCommand.of(parsed()))
                .run(workers, progress -> coordinator(progress, folder.nics()), tableCache, json, err());
    }

    /** What no attempt has yet, or all that a run without shards lacks. */
    private Integer resumeOnSlurm(Path from) throws InvalidInputException, IOException, InterruptedException {
        stopOnProblems();
        boolean divided = ShardFolder.isOne(from);
        ShardFolder folder = null;
        ResultFolder before = null;
        Path dir = from.toAbsolutePath().normalize();
        RunPlan plan;
        if (divided) {
            folder = ShardFolder.open(dir, library.nics()).ofCommit(library.home());
            plan = folder.plan();
        } else {
            before = ResultFolder.read(dir, library.nics(), new ArrayList<>());
            plan = before.plan();
            if (Profiling.isOf(before.environment())) {
                checkProfile("--resume " + from, plan);
            }
        }
        plan.lacking(true).forEach((scenario, why) -> problems().add(Problem.of(scenario, why)));
        SlurmRun onSlurm = new SlurmRun(slurm, plan, folder != null ? (Long) folder.maxMemoryBytes() : maxMemoryBytes);
        SlurmRun.Ask ask = onSlurm.ask(folder != null ? folder.shards() : null, problems());
        stopOnProblems();
        if (ask == null) {
            return Reprobe.BAD_INPUT;
        }
        String name =
                String.join("+", plan.scenarios().stream().map(Scenario::name).toList());
        if (dryRun) {
            SlurmRun.preview(json.text(), plan, ask, dir, name);
            return Reprobe.FINE;
        }
        if (folder == null && before != null) {
            folder = ShardFolder.prepare(
                    dir,
                    plan,
                    ask.shards().count(),
                    new ShardFolder.Origin(
                            before.status().combined(),
                            onSlurm.tableBytes(),
                            before.status().command(),
                            ShardRun.whole(before.environment()),
                            null),
                    library.home(),
                    before.nics(library.nics()));
        }
        return onSlurm.run(Objects.requireNonNull(folder), ask, name, library, json, quiet, err(), strict);
    }

    /** A task of a batch system, or somebody who has no more than the folder. */
    private Integer resumeShard(Path from, ShardOf part, int workers)
            throws InvalidInputException, IOException, InterruptedException {
        stopOnProblems();
        ShardFolder folder = ShardFolder.open(from, library.nics()).ofCommit(library.home());
        if (part.count() != folder.shards().count()) {
            problems()
                    .add(Problem.of(
                            "--shard " + part,
                            "the run in " + from + " was divided into "
                                    + folder.shards().count() + " shards"));
        }
        folder.plan()
                .lacking(SlurmNodes.areHere())
                .forEach((scenario, why) -> problems().add(Problem.of(scenario, why)));
        stopOnProblems();
        if (dryRun) {
            List<RunPlan.Unit> missing = folder.missing(part.shard(), new ArrayList<>());
            RunPreview preview = new RunPreview(folder.plan(), workers, folder.maxMemoryBytes());
            preview.print(json.text(), missing);
            ShardPreview.print(json.text(), folder.plan(), folder.shards());
            json.write(preview.json(missing, folder.shards()));
            return Reprobe.FINE;
        }
        return run(folder, part, workers);
    }

    /** The same without the scenarios that this host can't run. Where none is left that is bad input. */
    private RunPlan without(Map<String, String> lacking, RunPlan plan, Path nics) {
        List<Scenario> left = plan.scenarios().stream()
                .filter(scenario -> !lacking.containsKey(scenario.name()))
                .toList();
        if (left.isEmpty()) {
            lacking.forEach((scenario, why) -> problems().add(Problem.of(scenario, why)));
        }
        return plan(left, nics);
    }

    private void tellNotRun(Map<String, String> lacking) {
        lacking.forEach((scenario, why) -> err().println("*** NOT RUN: " + scenario + ": " + why + " ***"));
        err().flush();
    }

    private Integer resume(Path from, int workers, long memoryBytes)
            throws InvalidInputException, IOException, InterruptedException {
        List<String> given = new ArrayList<>(words);
        FIXED_ON_RESUME.stream().filter(parsed()::hasMatchedOption).forEach(given::add);
        given.forEach(
                word -> problems().add(Problem.of(word, "can't be changed on --resume: the folder says what is run")));
        checkShard();
        if (shard != null) {
            return resumeShard(from, shard, workers);
        }
        if (slurm.isGiven()) {
            return resumeOnSlurm(from);
        }
        List<String> notes = new ArrayList<>();
        if (ShardFolder.isOne(from) && !dryRun) {
            stopOnProblems();
            List<Problem> differing = ShardFolder.open(from, library.nics())
                    .ofCommit(library.home())
                    .collect(notes);
            if (!differing.isEmpty()) {
                differing.forEach(problem -> err().println(Printable.lines(problem.toString())));
                return Reprobe.FAILED;
            }
        }
        ResultFolder folder = null;
        Published published = Published.NOTHING;
        try {
            folder = dryRun
                    ? ResultFolder.read(from, library.nics(), notes)
                    : ResultFolder.take(from, library.nics(), notes);
            published = Published.of(folder.plan().scenarios(), library.shelf());
            String unwritable = ResultFolder.unwritable(folder.dir());
            if (unwritable != null) {
                problems().add(Problem.of(from.toString(), unwritable));
            }
        } catch (InvalidInputException e) {
            problems().addAll(e.problems());
        }
        if (folder != null && !dryRun) {
            folder.plan()
                    .lacking(SlurmNodes.areHere())
                    .forEach((scenario, why) -> problems().add(Problem.of(scenario, why)));
        }
        if (folder != null && !dryRun && Profiling.isOf(folder.environment())) {
            checkProfile("--resume " + from, folder.plan());
        }
        if (folder != null
                && !dryRun
                && problems().isEmpty()
                && !folder.missing().isEmpty()) {
            String otherVersion =
                    ArtifactVersion.difference(folder.environment(), ArtifactVersion.facts(folder.plan()));
            if (otherVersion != null) {
                problems().add(Problem.of(from.toString(), otherVersion));
            }
        }
        stopOnProblems();
        if (folder == null) {
            return Reprobe.BAD_INPUT;
        }
        PrintWriter header = quiet.header(json.text());
        notes.forEach(header::println);
        RunPlan plan = folder.plan();
        RunPreview preview = new RunPreview(plan, workers, memoryBytes);
        preview.tellRefusals(err());
        if (dryRun) {
            preview.print(json.text(), folder.missing());
            json.write(preview.json(folder.missing()));
            return Reprobe.FINE;
        }
        RunHeader.print(header, plan, folder.environment(), workers, memoryBytes);
        folder.addFacts(RunHeader.noise(header, new RunPlan(plan.scenarios(), folder.missing())));
        header.println("# resumes: " + folder.dir());
        Path latestIn = MergeCommand.latestIn(folder.dir(), library);
        try (ProgressLine line = quiet.progress()) {
            RunProgress progress =
                    new RunProgress(line, folder.done(), plan.units().size(), folder.missing());
            Experiment experiment;
            try {
                experiment = Experiment.resume(
                        folder,
                        published,
                        new Experiment.Options(
                                workers,
                                memoryBytes,
                                tableCache,
                                Profiling.isOf(folder.environment()),
                                latestIn,
                                coordinator(progress, folder.nics(library.nics()))),
                        progress);
            } catch (IOException e) {
                throw notStored(folder.dir(), e);
            }
            return perform(experiment, line);
        }
    }

    private Coordinator coordinator(RunProgress progress, Path nics) {
        Path home = library.home().toAbsolutePath().normalize();
        return new Coordinator(new Coordinator.Options(
                home, nics, tableCache, Coordinator.COMPILING_MS, listen(), zookeeper.hosts(), null, progress::note));
    }

    private Integer perform(Experiment experiment, ProgressLine progress) throws IOException, InterruptedException {
        Path dir = experiment.folder().dir();
        String resume = resumption(dir);
        Interrupts interrupts = Interrupts.on(
                () -> {
                    progress.note("Ending; once more ends at once.");
                    experiment.stop();
                },
                () -> progress.note("Ended at once; runs that were stored are kept. To go on:\n    " + resume));
        Experiment.Outcome outcome;
        try {
            outcome = experiment.run();
        } catch (IOException e) {
            progress.wipe();
            throw notStored(dir, e);
        }
        progress.wipe();
        PrintWriter text = json.text();
        if (outcome.findings() == null || outcome.state() == Status.State.INTERRUPTED) {
            text.println("Interrupted: " + outcome.done() + " of " + Quantities.count(outcome.planned(), "run")
                    + " are kept. To go on:\n    " + resume);
            return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
        }
        RunSummary summary = new RunSummary(List.of(experiment.folder()), outcome.findings());
        summary.print(text);
        json.write(summary.json());
        RunSummary.printFailures(err(), outcome.invalid());
        boolean missed =
                outcome.findings().claims().stream().anyMatch(claim -> claim.status() == ClaimResult.Status.MISSED);
        boolean failed =
                !outcome.invalid().isEmpty() || !outcome.findings().problems().isEmpty() || (strict && missed);
        return failed ? Reprobe.FAILED : Reprobe.FINE;
    }

    private static String resumption(Path dir) {
        return Reprobe.typed(List.of("run", "--resume", dir.toString()));
    }

    private static IOException notStored(Path dir, IOException why) {
        String next = Files.exists(dir.resolve(Status.NAME))
                ? "What was stored is kept; make room, then " + resumption(dir) + " goes on."
                : "Nothing was run; make room, then give the same command again.";
        return new IOException("Results can't be stored: " + Reprobe.words(why) + ". " + next, why);
    }

    private RunPlan plan(List<Scenario> scenarios, Path nics) {
        try {
            return RunPlan.of(scenarios, nics);
        } catch (InvalidInputException e) {
            problems().addAll(e.problems());
            return new RunPlan(List.of(), List.of());
        }
    }

    private Published published(List<Scenario> scenarios) {
        try {
            return Published.of(scenarios, library.shelf());
        } catch (InvalidInputException e) {
            problems().addAll(e.problems());
            return Published.NOTHING;
        }
    }

    /** The command that gives one file's numbers. */
    private List<String> commandOf(Path file) {
        Path home = library.home().toAbsolutePath().normalize();
        Path absolute = file.toAbsolutePath().normalize();
        List<String> command = new ArrayList<>(List.of(
                "run", absolute.startsWith(home) ? home.relativize(absolute).toString() : file.toString()));
        command.addAll(TypedCommand.only(parsed(), ScenarioOptions.NAMES));
        command.addAll(TypedCommand.only(parsed(), Set.of("--seed")));
        return command;
    }
}
