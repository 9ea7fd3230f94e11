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
import org.reprobe.cli.base.CarrierThreads;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.Scenarios;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.cli.options.DetailOptions;
import org.reprobe.cli.options.JobsOption;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.MemorySize;
import org.reprobe.cli.options.NicOption;
import org.reprobe.cli.options.OptionalNumber;
import org.reprobe.cli.options.Range;
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

/** {@code run}: runs scenarios, or completes an interrupted run. Nothing is written before all input is checked. */
@Command(
        name = "run",
        description = "Runs scenarios: files, folders of them, or shipped names.",
        footer = {"", "JSON: " + RunSummary.JSON_FIELDS})
public class RunCommand extends CheckedCommand {
    /** Options that a resumed run takes from its folder. */
    private static final List<String> FIXED_ON_RESUME =
            List.of("--set", "--fabric", "--nic", "--scale", "--filter", "--seed", "--intervals", "--out", "--profile");

    /** Options of one shard that the command of the whole run does not have. */
    private static final Set<String> OF_SHARD = Set.of("--shard", "--jobs", "--table-cache", "--detach");

    @Parameters(
            paramLabel = "FILE|DIR",
            arity = "0..*",
            completionCandidates = ScenarioOptions.Names.class,
            description = "Scenarios to run, for example figure-07.")
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
    private DetailOptions detail = new DetailOptions();

    @Range(min = 10, max = 1000)
    @Option(
            names = "--intervals",
            paramLabel = "N",
            description =
                    "Simulate each cell with N more profiles, drawn from the ranges of the card's constants: intervals"
                            + " of 90 %% (sets measure.drawn-profiles; 10 or more).")
    private @Nullable Integer intervals;

    @Option(names = "--out", paramLabel = "DIR", description = "Folder for results (default: a new one in results/).")
    private @Nullable Path out;

    @Option(names = "--dry-run", description = "Print the planned runs with their memory and time; write nothing.")
    private boolean dryRun;

    @Option(names = "--resume", paramLabel = "DIR", description = "Complete the result folder of an interrupted run.")
    private @Nullable Path resume;

    @Option(
            names = "--shard",
            paramLabel = "I/N",
            converter = ShardOf.Converter.class,
            description = "Run only shard I of N, into the common folder of all shards; \"merge\" combines them.")
    private @Nullable ShardOf shard;

    @Option(names = "--strict", description = "Exit with code 1 if a claim is missed.")
    private boolean strict;

    @Option(
            names = "--max-memory",
            paramLabel = "SIZE",
            converter = MemorySize.class,
            description =
                    "Maximum memory for tables and clients, like 8G or 8Gi (default: 85 %% of free memory, at most 20Gi).")
    private @Nullable Long maxMemoryBytes;

    @Option(
            names = "--table-cache",
            paramLabel = "DIR",
            converter = WritableFile.Folder.class,
            description = "Folder in which built tables are kept for reuse.")
    private @Nullable Path tableCache;

    @Mixin
    private ZooKeeperOption zookeeper = new ZooKeeperOption();

    @Option(
            names = "--profile",
            description =
                    "Profile with Java's Flight Recorder: one recording per server or client process and run, or of this"
                            + " process if runs are simulated. Profiling takes time: measured results are comparable with profiled"
                            + " ones only.")
    private boolean profile;

    @Range(min = 0, max = 65535)
    @Option(
            names = "--live",
            paramLabel = "PORT",
            arity = "0..1",
            fallbackValue = "0",
            preprocessor = OptionalNumber.class,
            description =
                    "Serve a page of the run in progress on this host, whose address is printed (default: any port).")
    private @Nullable Integer live;

    private final Library library = Library.current();

    @Nullable
    InetSocketAddress listen() {
        return null;
    }

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        int workers = jobs.orElse(Runtime.getRuntime().availableProcessors());
        CarrierThreads.forRuns(workers);
        try (LiveServer page = live()) {
            RunSession session = new RunSession(
                    library,
                    json,
                    detail,
                    err(),
                    TypedCommand.of(parsed()),
                    strict,
                    workers,
                    maxMemoryBytes == null ? Experiment.defaultMemoryBytes() : maxMemoryBytes,
                    tableCache,
                    listen(),
                    zookeeper.hosts(),
                    page);
            RunMode mode = resume == null ? fresh(session) : resumed(resume, session);
            return mode.run(session);
        }
    }

    private @Nullable LiveServer live() {
        if (dryRun || shard != null || slurm.isGiven()) {
            refuse("--live", "only with runs in this process, not with --dry-run, --shard or --on");
        } else if (live != null && !isRefused("--live")) {
            try {
                return LiveServer.open(live);
            } catch (IOException e) { // BindException: Address already in use, or Permission denied
                addProblem("--live " + live, "this port can't be used: " + e.getMessage());
            }
        }
        return null;
    }

    private RunMode resumed(Path from, RunSession session)
            throws InvalidInputException, IOException, InterruptedException {
        List<String> given = new ArrayList<>(words);
        FIXED_ON_RESUME.stream().filter(parsed()::hasMatchedOption).forEach(given::add);
        given.forEach(word -> addProblem(word, "not with --resume: the folder has the original settings"));
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
            addProblem("run", "nothing to run: name a scenario, a file or a folder; \"list\" shows all scenarios");
        }
        options.joinLists(words, problems());
        NicOption.Profile nic = options.nic().profile(library, problems());
        Path nics = nic.folder();
        List<String> own = new ArrayList<>();
        if (seed.given() != null && !isRefused("--seed")) {
            own.add("seed=" + seed.given());
        }
        if (intervals != null && !isRefused("--intervals")) {
            own.add("measure.drawn-profiles=" + intervals);
        }
        Scenarios read = Scenarios.read(library, nics, words, options.forReader(nic, own), problems());
        RunPlan plan = plan(read.scenarios(), nics);
        if (slurm.isGiven() && problems().isEmpty() && SlurmRequest.isMeasured(plan)) {
            List<String> sets = new ArrayList<>(own);
            sets.addAll(SlurmRequest.hosts(plan));
            read = Scenarios.read(library, nics, words, options.forReader(nic, sets), problems());
            plan = plan(read.scenarios(), nics);
        }
        Map<String, String> lacking = dryRun ? Map.of() : plan.lacking(slurm.isGiven() || SlurmNodes.areAvailable());
        if (shard != null || slurm.isGiven()) {
            refuse(lacking);
        } else if (!lacking.isEmpty()) {
            plan = without(lacking, plan, nics);
        }
        if (profile) {
            checkProfile("--profile", plan);
        }
        Published published = published(plan.scenarios());
        library.checkProject(problems());
        if (!dryRun && !isGiven("--shard") && !isGiven("--on")) {
            library.checkOut(out, problems());
        } else if (!dryRun && out != null) {
            ShardRun.check(out, problems());
        }
        SlurmRequest request = slurm.isGiven() ? new SlurmRequest(slurm, plan, maxMemoryBytes) : null;
        SlurmRequest.Submission submission =
                request == null || !problems().isEmpty() ? null : request.submission(null, problems());
        stopOnProblems();
        LocalRun.printNotRun(lacking, err());
        long memoryBytes = request == null ? session.memoryBytes() : request.tableBytes();
        RunPreview preview = new RunPreview(plan, session.workers(), memoryBytes);
        preview.printRefusals(err());
        Shards shards =
                submission != null ? submission.shards() : shard == null ? null : Shards.of(plan, shard.count());
        if (dryRun) {
            Path dir = out == null ? library.results().resolve("DATE-" + read.name()) : out;
            return new DryRun(
                    plan,
                    preview,
                    plan.units(),
                    shards,
                    submission == null
                            ? null
                            : SlurmRequest.sbatch(
                                    submission, dir.toAbsolutePath().normalize(), read.name()),
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
        return submission != null
                ? new SlurmRun(folder, submission, read.name(), slurm.detach())
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
        return new LocalRun(lock.dir(), lacking, progress -> {
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

    final void refuse(Map<String, String> lacking) {
        lacking.forEach((scenario, why) -> addProblem(scenario, why));
    }

    private void checkShard() {
        if (slurm.isGiven()) {
            refuse("--shard", "not with --on, which runs all shards");
            refuse("--jobs", "not with --on; use --cpus");
            if (listen() != null) {
                addProblem("--on slurm", "not with clients that are started by hand");
            }
        } else if (!isGiven("--on")) {
            SlurmOptions.NAMES.forEach(name -> refuse(name, "only with --on slurm"));
        }
        if (shard == null) {
            return;
        }
        if (out == null && resume == null) {
            addProblem(
                    "--shard " + shard, "needs --out DIR, a common folder of all shards, or --resume with that folder");
        }
        if (listen() != null) {
            addProblem("--shard " + shard, "not with clients that are started by hand");
        }
    }

    void checkProfile(String where, RunPlan plan) {
        if (!Profiling.isPossible()) {
            addProblem(where, "needs the module jdk.jfr, which is missing here: use a complete JDK");
        }
        if (shard != null || slurm.isGiven()) {
            addProblem(where, "not for shards");
        }
        if (listen() != null) {
            addProblem(where, "not with clients that are started by hand: Reprobe can't profile their processes");
        }
        plan.scenarios().stream()
                .filter(scenario -> plan.units().stream()
                        .filter(unit -> unit.scenario().name().equals(scenario.name()))
                        .anyMatch(unit -> unit.run() instanceof ProgramRun))
                .forEach(scenario -> addProblem(
                        where, scenario.name() + " runs other programs, which Flight Recorder can't profile"));
        plan.scenarios().stream()
                .filter(scenario -> scenario.cells().stream().anyMatch(cell -> usesOtherHosts(cell.settings())))
                .forEach(scenario -> addProblem(
                        where, scenario.name() + " runs on other hosts; only processes of this host are profiled"));
    }

    private static boolean usesOtherHosts(Settings settings) {
        return settings.isReal() && !settings.hosts().areLocal();
    }

    /** Returns the common folder of all shards as an absolute path that is valid on other machines. */
    private Path shared(String name) throws IOException, InvalidInputException {
        if (out != null) {
            return shard != null ? out : out.toAbsolutePath().normalize();
        }
        try (FolderLock fresh =
                FolderLock.takeNew(library.results(), name, LocalDateTime.now(ZoneId.systemDefault()))) {
            return fresh.dir().toAbsolutePath().normalize();
        }
    }

    /** Returns the plan without the scenarios that this host can't run; bad input if none is left. */
    private RunPlan without(Map<String, String> lacking, RunPlan plan, Path nics) {
        List<Scenario> left = plan.scenarios().stream()
                .filter(scenario -> !lacking.containsKey(scenario.name()))
                .toList();
        if (left.isEmpty()) {
            lacking.forEach((scenario, why) -> addProblem(scenario, why));
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

    private List<String> commandOf(Path file) {
        Path home = library.home().toAbsolutePath().normalize();
        Path absolute = file.toAbsolutePath().normalize();
        List<String> command = new ArrayList<>(List.of(
                "run", absolute.startsWith(home) ? home.relativize(absolute).toString() : file.toString()));
        command.addAll(TypedCommand.only(parsed(), ScenarioOptions.NAMES));
        command.addAll(TypedCommand.only(parsed(), Set.of("--seed", "--intervals")));
        return command;
    }
}
