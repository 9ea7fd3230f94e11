package org.reprobe.cli.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.cli.base.CarrierThreads;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.Scenarios;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.cli.options.JobsOption;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.MemorySize;
import org.reprobe.cli.options.NicOption;
import org.reprobe.cli.options.QuietOption;
import org.reprobe.cli.options.ScenarioOptions;
import org.reprobe.cli.options.SeedOption;
import org.reprobe.cli.options.WritableFile;
import org.reprobe.cli.options.ZooKeeperOption;
import org.reprobe.run.ArtifactVersion;
import org.reprobe.run.Experiment;
import org.reprobe.run.FolderLock;
import org.reprobe.run.Profiling;
import org.reprobe.run.Published;
import org.reprobe.run.RunPlan;
import org.reprobe.run.ShardFolder;
import org.reprobe.run.Shards;
import org.reprobe.run.process.SlurmNodes;
import org.reprobe.scenario.Scenario;
import org.reprobe.system.ProgramRun;
import org.reprobe.system.Settings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code run}: runs scenarios, or completes what was interrupted. Nothing is written before all input is found good. */
@Command(
        name = "run",
        description = "Runs scenarios: files, folders of them, or shipped names.",
        footer = {"", "JSON: " + RunSummary.JSON_FIELDS})
public class RunCommand extends CheckedCommand {
    /** Options that are fixed by the folder of a resumed run. */
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

    /** Returns the address for clients that are started by hand; null to start them. */
    @Nullable
    InetSocketAddress listen() {
        return null;
    }

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        int workers = jobs.orElse(Runtime.getRuntime().availableProcessors());
        CarrierThreads.forRuns(workers);
        RunSession session = new RunSession(
                library,
                json,
                quiet,
                err(),
                TypedCommand.of(parsed()),
                strict,
                workers,
                maxMemoryBytes == null ? Experiment.defaultMemoryBytes() : maxMemoryBytes,
                tableCache,
                listen(),
                zookeeper.hosts());
        RunMode mode = resume == null ? fresh(session) : resumed(resume, session);
        return mode.run(session);
    }

    private RunMode resumed(Path from, RunSession session)
            throws InvalidInputException, IOException, InterruptedException {
        List<String> given = new ArrayList<>(words);
        FIXED_ON_RESUME.stream().filter(parsed()::hasMatchedOption).forEach(given::add);
        given.forEach(
                word -> problems().add(Problem.of(word, "can't be changed on --resume: the folder says what is run")));
        checkShard();
        Resumption resumption = new Resumption(this, session, from, dryRun);
        if (shard == null && !slurm.isGiven()) {
            return resumption.local();
        }
        stopOnProblems();
        return shard != null ? resumption.shard(shard, maxMemoryBytes) : resumption.onSlurm(slurm, maxMemoryBytes);
    }

    private RunMode fresh(RunSession session) throws InvalidInputException, IOException, InterruptedException {
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
        if (slurm.isGiven() && problems().isEmpty() && SlurmRequest.isMeasured(plan)) {
            List<String> sets = new ArrayList<>(seeds);
            sets.addAll(SlurmRequest.hosts(plan));
            read = Scenarios.read(library, nics, words, options.forReader(nic, sets), problems());
            plan = plan(read.scenarios(), nics);
        }
        Map<String, String> lacking = dryRun ? Map.of() : plan.lacking(slurm.isGiven() || SlurmNodes.areHere());
        if (shard != null || slurm.isGiven()) {
            refuse(lacking);
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
        SlurmRequest request = slurm.isGiven() ? new SlurmRequest(slurm, plan, maxMemoryBytes) : null;
        SlurmRequest.Ask ask = request == null || !problems().isEmpty() ? null : request.ask(null, problems());
        stopOnProblems();
        LocalRun.printNotRun(lacking, err());
        long memoryBytes = request == null ? session.memoryBytes() : request.tableBytes();
        RunPreview preview = new RunPreview(plan, session.workers(), memoryBytes);
        preview.tellRefusals(err());
        Shards shards = ask != null ? ask.shards() : shard == null ? null : Shards.of(plan, shard.count());
        if (dryRun) {
            Path dir = out == null ? library.results().resolve("DATE-" + read.name()) : out;
            return new DryRun(
                    plan,
                    preview,
                    plan.units(),
                    shards,
                    ask == null
                            ? null
                            : SlurmRequest.sbatch(ask, dir.toAbsolutePath().normalize(), read.name()),
                    preview.allRefused() ? ExitCode.BAD_INPUT : ExitCode.FINE);
        }
        if (preview.allRefused()) {
            return new RunMode.Refused(ExitCode.BAD_INPUT);
        }
        Map<String, String> facts = RunHeader.facts(plan, read.combined(), read.name(), options.scale());
        facts.putAll(ArtifactVersion.facts(plan));
        if (read.combined()) {
            read.files().forEach((name, file) -> facts.put("command-of-" + name, TypedCommand.typed(commandOf(file))));
        }
        if (shards == null) {
            return local(session, plan, read, nic, facts, published, lacking);
        }
        ShardFolder folder = ShardFolder.prepare(
                shared(read.name()),
                plan,
                shards.count(),
                new ShardFolder.Origin(
                        read.combined(),
                        memoryBytes,
                        TypedCommand.typed(TypedCommand.words(parsed(), OF_SHARD)),
                        ShardRun.shared(facts),
                        nic.own() ? nic.name() : null),
                library.home(),
                nics);
        return ask != null
                ? new SlurmRun(folder, ask, read.name(), slurm.detach())
                : ShardRun.of(folder, Objects.requireNonNull(shard), maxMemoryBytes);
    }

    private RunMode local(
            RunSession session,
            RunPlan plan,
            Scenarios read,
            NicOption.Profile nic,
            Map<String, String> facts,
            Published published,
            Map<String, String> lacking)
            throws InvalidInputException, IOException, InterruptedException {
        PrintWriter header = session.header();
        RunHeader.print(header, plan, facts, session.workers(), session.memoryBytes());
        facts.putAll(RunHeader.noise(header, plan));
        if (profile) {
            facts.put(Profiling.FACT, Profiling.words(plan));
        }
        FolderLock lock = out == null
                ? FolderLock.takeNew(library.results(), read.name(), LocalDateTime.now(ZoneId.systemDefault()))
                : FolderLock.takeEmpty(out);
        header.println("# results: " + lock.dir());
        int planned = plan.units().size();
        return new LocalRun(lock.dir(), 0, planned, plan.units(), lacking, progress -> {
            Experiment experiment = Experiment.create(
                    lock,
                    plan,
                    read.combined(),
                    library.home(),
                    facts,
                    session.command(),
                    published,
                    session.options(profile, out == null ? library.results() : null, progress, nic.folder()),
                    progress);
            if (nic.own() && nic.name() != null) {
                experiment.keepNic(nic.folder(), nic.name());
            }
            return experiment;
        });
    }

    /** Refuses scenarios that can't be run, with the reason. */
    final void refuse(Map<String, String> lacking) {
        lacking.forEach((scenario, why) -> problems().add(Problem.of(scenario, why)));
    }

    /** Checks a command line with {@code --shard} or {@code --on}. */
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

    /** Checks that runs can be profiled. */
    void checkProfile(String where, RunPlan plan) {
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
                        .anyMatch(unit -> unit.run() instanceof ProgramRun))
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
