package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.claims.ClaimResult;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.run.Environment;
import org.reprobe.run.Experiment;
import org.reprobe.run.FolderLock;
import org.reprobe.run.Plan;
import org.reprobe.run.Published;
import org.reprobe.run.ResultFolder;
import org.reprobe.run.Status;
import org.reprobe.run.crew.Coordinator;
import org.reprobe.scenario.Scale;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.Content;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code run}: runs scenarios, or completes what was interrupted. Nothing is written before all input is found good. */
@Command(name = "run", description = "Runs scenarios: files, folders of them, or shipped names.")
class RunCommand implements Callable<Integer> {
    private static final DateTimeFormatter STARTED = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ssXXX");

    @Parameters(paramLabel = "FILE|DIR", arity = "0..*", description = "What to run, for example figure-07.")
    private List<String> words = new ArrayList<>();

    @Option(names = "--set", paramLabel = "key=value", description = "Override a key: --set table.records=1048576.")
    private List<String> sets = new ArrayList<>();

    @Option(names = "--fabric", paramLabel = "F", description = "sim, shm, tcp or verbs, in place of the files'.")
    private @Nullable String fabric;

    @Option(
            names = "--nic",
            paramLabel = "N",
            description = "A NIC profile of scenarios/nics/, or a file with one, in place of the files'.")
    private @Nullable String nic;

    @Option(names = "--scale", paramLabel = "quick|full", description = "How large (default: quick).")
    private @Nullable String scale;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of all randomness, in place of the files'.")
    private @Nullable String seed;

    @Option(names = "--out", paramLabel = "DIR", description = "Where results go (default: a new folder in results/).")
    private @Nullable String out;

    @Option(names = "--dry-run", description = "Show what would run, how much memory and time it needs; write nothing.")
    private boolean dryRun;

    @Option(names = "--resume", paramLabel = "DIR", description = "Complete the result folder of an interrupted run.")
    private @Nullable String resume;

    @Option(names = "--strict", description = "Exit 1 when a claim is missed.")
    private boolean strict;

    @Option(names = "--jobs", paramLabel = "N", description = "Runs at a time (default: the number of cores).")
    private @Nullable String jobs;

    @Option(
            names = "--max-memory",
            paramLabel = "SIZE",
            description = "Most memory for tables and clients, like 8g (default: 85 %% of what is free, at most 20g).")
    private @Nullable String maxMemory;

    @Option(names = "--table-cache", paramLabel = "DIR", description = "Keep built tables here and use them again.")
    private @Nullable Path tableCache;

    private final Shipped shipped = Shipped.here();
    /** Where clients that somebody starts by hand connect; null to start them. */
    @Nullable
    InetSocketAddress listen() {
        return null;
    }

    List<Problem> problems() {
        return problems;
    }

    private final List<Problem> problems = new ArrayList<>();
    private final PrintStream console = new PrintStream(System.out, true, StandardCharsets.UTF_8);

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        Scale chosen = scale();
        int workers = workers();
        long memoryBytes = memoryBytes();
        checkFolder("--table-cache", tableCache);
        InetSocketAddress listen = listen();
        return resume == null
                ? fresh(chosen, workers, memoryBytes, listen)
                : resume(resume, workers, memoryBytes, listen);
    }

    private Integer fresh(Scale chosen, int workers, long memoryBytes, @Nullable InetSocketAddress listen)
            throws InvalidInputException, IOException, InterruptedException {
        List<String> overrides = new ArrayList<>(sets);
        if (seed != null) {
            if (seed.matches("-?\\d{1,18}")) {
                overrides.add("seed=" + seed);
            } else {
                problems.add(Problem.of("--seed " + seed, "must be a whole number"));
            }
        }
        if (words.isEmpty()) {
            problems.add(Problem.of("run", "nothing to run: name a scenario, a file or a folder; \"list\" shows them"));
        }
        NicOption given = NicOption.of(nic, shipped, problems);
        Path nics = given.folder();
        Scenarios read = Scenarios.read(
                shipped, nics, words, new ScenarioReader.Options(overrides, fabric, given.name(), chosen), problems);
        Plan plan = plan(read.scenarios(), nics);
        Published published = published(read.scenarios());
        if (!dryRun) {
            checkOut();
        }
        stopOnProblems();
        Map<Integer, String> refusals = plan.refusals(memoryBytes);
        tellRefusals(plan, refusals);
        boolean allRefused = plan.units().stream().allMatch(unit -> refusals.containsKey(unit.index()));
        if (dryRun) {
            dryRun(plan, refusals, workers, memoryBytes);
            return allRefused ? Reprobe.BAD_INPUT : Reprobe.FINE;
        }
        if (allRefused) {
            return Reprobe.BAD_INPUT;
        }
        String command = Reprobe.typed(arguments(words, false));
        Map<String, String> facts = facts(read, plan, chosen);
        header(plan, facts, workers, memoryBytes);
        FolderLock lock = out == null
                ? FolderLock.takeNew(shipped.results(), read.name(), LocalDateTime.now(ZoneId.systemDefault()))
                : FolderLock.takeEmpty(Path.of(out));
        console.println("# results: " + lock.dir());
        ConsoleProgress progress = progress(0, plan.units().size(), plan.units());
        Path latestIn = out == null ? shipped.results() : null;
        Experiment experiment = Experiment.create(
                lock,
                plan,
                read.combined(),
                shipped.home(),
                facts,
                command,
                published,
                new Experiment.Options(workers, memoryBytes, tableCache, latestIn, coordinator(progress, listen, nics)),
                progress);
        if (given.own() && given.name() != null) {
            experiment.keepNic(nics, given.name());
        }
        return perform(experiment, progress);
    }

    private Integer resume(String from, int workers, long memoryBytes, @Nullable InetSocketAddress listen)
            throws InvalidInputException, IOException, InterruptedException {
        for (String given : Stream.of(
                        words.isEmpty() ? null : words.getFirst(),
                        sets.isEmpty() ? null : "--set " + sets.getFirst(),
                        option("--fabric", fabric),
                        option("--nic", nic),
                        option("--scale", scale),
                        option("--seed", seed),
                        option("--out", out))
                .filter(java.util.Objects::nonNull)
                .toList()) {
            problems.add(Problem.of(given, "can't be changed on --resume: the folder says what is run"));
        }
        List<String> notes = new ArrayList<>();
        ResultFolder folder = null;
        Published published = new Published(List.of());
        try {
            folder = dryRun
                    ? ResultFolder.read(Path.of(from), shipped.nics(), notes)
                    : ResultFolder.take(Path.of(from), shipped.nics(), notes);
            published = Published.of(folder.plan().scenarios(), shipped.shelf());
            String unwritable = ResultFolder.unwritable(folder.dir());
            if (unwritable != null) {
                problems.add(Problem.of(from, unwritable));
            }
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
        }
        stopOnProblems();
        if (folder == null) {
            return Reprobe.BAD_INPUT;
        }
        notes.forEach(console::println);
        Plan plan = folder.plan();
        Map<Integer, String> refusals = plan.refusals(memoryBytes);
        tellRefusals(plan, refusals);
        if (dryRun) {
            dryRun(new Plan(plan.scenarios(), folder.missing()), refusals, workers, memoryBytes);
            return Reprobe.FINE;
        }
        header(plan, folder.environment(), workers, memoryBytes);
        console.println("# resumes: " + folder.dir());
        Path parent = folder.dir().getParent();
        boolean ours =
                Files.isDirectory(shipped.results()) && parent != null && Files.isSameFile(parent, shipped.results());
        ConsoleProgress progress = progress(folder.done(), plan.units().size(), folder.missing());
        Experiment experiment = Experiment.resume(
                folder,
                published,
                new Experiment.Options(
                        workers,
                        memoryBytes,
                        tableCache,
                        ours ? parent : null,
                        coordinator(progress, listen, folder.nics(shipped.nics()))),
                progress);
        return perform(experiment, progress);
    }

    private Coordinator coordinator(ConsoleProgress progress, @Nullable InetSocketAddress listen, Path nics) {
        Path home = shipped.home().toAbsolutePath().normalize();
        return new Coordinator(
                new Coordinator.Options(home, nics, tableCache, Coordinator.COMPILING_MS, listen, progress::note));
    }

    private Integer perform(Experiment experiment, ConsoleProgress progress) throws IOException, InterruptedException {
        Interrupts interrupts = Interrupts.on(() -> {
            progress.note("Ending; once more ends at once.");
            experiment.stop();
        });
        Experiment.Outcome outcome;
        Path dir = experiment.folder().dir();
        try {
            outcome = experiment.run();
        } catch (IOException e) {
            progress.end();
            throw new IOException(
                    "Results can't be stored: " + Reprobe.words(e) + ". What was stored is kept; make room, then "
                            + Reprobe.typed(List.of("run", "--resume", dir.toString())) + " goes on.",
                    e);
        }
        progress.end();
        if (outcome.findings() == null || outcome.state() == Status.State.INTERRUPTED) {
            console.println("Interrupted: " + outcome.done() + " of " + Quantities.count(outcome.planned(), "run")
                    + " are kept. To go on:\n    " + Reprobe.typed(List.of("run", "--resume", dir.toString())));
            return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
        }
        PrintWriter writer = new PrintWriter(console, true, StandardCharsets.UTF_8);
        Closing.print(writer, List.of(experiment.folder()), outcome.findings());
        failures(outcome.invalid());
        boolean missed =
                outcome.findings().claims().stream().anyMatch(claim -> claim.status() == ClaimResult.Status.MISSED);
        boolean failed =
                !outcome.invalid().isEmpty() || !outcome.findings().problems().isEmpty() || (strict && missed);
        return failed ? Reprobe.FAILED : Reprobe.FINE;
    }

    private void failures(List<Measurement> invalid) {
        if (invalid.isEmpty()) {
            return;
        }
        Map<String, Set<String>> cells = new LinkedHashMap<>(); // by reason
        invalid.forEach(run -> cells.computeIfAbsent(String.valueOf(run.problem()), _ -> new LinkedHashSet<>())
                .add(run.scenario() + " " + run.cell().label()));
        System.err.println(Quantities.count(invalid.size(), "run") + " failed:");
        cells.forEach((reason, of) -> System.err.println("    "
                + (of.size() > 3 ? Quantities.count(of.size(), "cell") : String.join(", ", of)) + ": " + reason));
    }

    private Plan plan(List<Scenario> scenarios, Path nics) {
        try {
            return Plan.of(scenarios, nics);
        } catch (InvalidInputException e) {
            e.problems().stream().filter(problem -> !problems.contains(problem)).forEach(problems::add);
            return new Plan(List.of(), List.of());
        }
    }

    private Published published(List<Scenario> scenarios) {
        try {
            return Published.of(scenarios, shipped.shelf());
        } catch (InvalidInputException e) {
            problems.addAll(e.problems());
            return new Published(List.of());
        }
    }

    private void stopOnProblems() throws InvalidInputException {
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
    }

    private Scale scale() {
        if (scale == null) {
            return Scale.QUICK;
        }
        for (Scale candidate : Scale.values()) {
            if (candidate.key().equals(scale)) {
                return candidate;
            }
        }
        List<String> keys = Arrays.stream(Scale.values()).map(Scale::key).toList();
        problems.add(Problem.of(
                "--scale " + scale, "must be one of " + String.join(", ", keys) + Spelling.hint(scale, keys)));
        return Scale.QUICK;
    }

    private int workers() {
        int workers = workersGiven();
        Carriers.forRuns(workers);
        return workers;
    }

    private int workersGiven() {
        if (jobs == null) {
            return Runtime.getRuntime().availableProcessors();
        }
        if (!jobs.matches("\\d{1,4}") || Integer.parseInt(jobs) < 1) {
            problems.add(Problem.of("--jobs " + jobs, "must be a whole number from 1 to 9999"));
            return 1;
        }
        return Integer.parseInt(jobs);
    }

    private long memoryBytes() {
        if (maxMemory == null) {
            return Experiment.defaultMemoryBytes();
        }
        return Sizes.bytes("--max-memory", maxMemory, problems);
    }

    private void checkFolder(String option, @Nullable Path dir) {
        if (dir != null) {
            String unwritable = ResultFolder.unwritable(dir);
            if (unwritable != null) {
                problems.add(Problem.of(option + " " + dir, unwritable));
            }
        }
    }

    private void checkOut() throws IOException {
        Path dir = out == null ? shipped.results() : Path.of(out);
        String refusal = ResultFolder.unwritable(dir);
        if (refusal == null && out != null) {
            refusal = FolderLock.refusal(dir);
        }
        if (refusal != null) {
            problems.add(Problem.of(out == null ? dir.toString() : "--out " + out, refusal));
        }
    }

    private static @Nullable String option(String name, @Nullable String value) {
        return value == null ? null : name + " " + value;
    }

    /** What was typed, for other files perhaps; not what has no influence on the numbers. */
    private List<String> arguments(List<String> files, boolean numbersOnly) {
        List<String> arguments = new ArrayList<>(List.of("run"));
        arguments.addAll(files);
        sets.forEach(set -> arguments.addAll(List.of("--set", set)));
        Map<String, @Nullable String> options = new LinkedHashMap<>();
        options.put("--fabric", fabric);
        options.put("--nic", nic);
        options.put("--scale", scale);
        options.put("--seed", seed);
        if (!numbersOnly) {
            options.put("--jobs", jobs);
            options.put("--max-memory", maxMemory);
            options.put("--table-cache", tableCache == null ? null : tableCache.toString());
            options.put("--out", out);
        }
        options.forEach((name, value) -> {
            if (value != null) {
                arguments.addAll(List.of(name, value));
            }
        });
        if (strict && !numbersOnly) {
            arguments.add("--strict");
        }
        return arguments;
    }

    private Map<String, String> facts(Scenarios read, Plan plan, Scale chosen) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put("title", read.combined() ? read.name() + ", " + chosen.key() + " scale" : read.name());
        facts.put("scale", chosen.key());
        facts.put("seed", distinct(plan, unit -> String.valueOf(unit.settings().seed())));
        facts.put("fabric", distinct(plan, unit -> unit.settings().fabric()));
        facts.put("kind", distinct(plan, unit -> unit.kind().word()));
        if (plan.units().stream().anyMatch(unit -> unit.settings().fabric().equals("verbs"))) {
            facts.put("rdma", Environment.rdmaDevices());
        }
        facts.put(
                "nic",
                distinct(plan, unit -> unit.nic().name() + " (" + unit.nic().title() + ")"));
        facts.put(
                "started",
                OffsetDateTime.now(ZoneId.systemDefault())
                        .truncatedTo(ChronoUnit.SECONDS)
                        .format(STARTED));
        crowd(plan).ifPresent(crowd -> facts.put("threads", crowd));
        if (read.combined()) {
            read.files()
                    .forEach((name, file) ->
                            facts.put("command-of-" + name, Reprobe.typed(arguments(List.of(relative(file)), true))));
        }
        return facts;
    }

    private String relative(Path file) {
        Path home = shipped.home().toAbsolutePath().normalize();
        Path absolute = file.toAbsolutePath().normalize();
        return absolute.startsWith(home) ? home.relativize(absolute).toString() : file.toString();
    }

    private static String distinct(Plan plan, java.util.function.Function<Plan.Unit, String> fact) {
        return plan.units().stream().map(fact).distinct().collect(Collectors.joining(", "));
    }

    /** Says so when more client threads are measured than there are cores to run them. */
    private static Optional<String> crowd(Plan plan) {
        int cores = Runtime.getRuntime().availableProcessors();
        int most = plan.units().stream()
                .filter(unit -> unit.kind() == Kind.MEASURED)
                .mapToInt(unit -> unit.settings().clients().total())
                .max()
                .orElse(0);
        return most <= cores
                ? Optional.empty()
                : Optional.of(most + " client threads share " + Quantities.count(cores, "core")
                        + " of this machine with the server: they take turns, which shows in every latency");
    }

    private void header(Plan plan, Map<String, String> facts, int mostJobs, long memoryBytes) {
        int workers = Plan.jobs(plan.units(), mostJobs);
        console.println("# Reprobe " + Environment.version() + ", " + System.getProperty("java.vm.name") + " "
                + System.getProperty("java.vm.version"));
        for (Scenario scenario : plan.scenarios()) {
            long runs = plan.units().stream()
                    .filter(unit -> unit.scenario().name().equals(scenario.name()))
                    .count();
            console.println("# scenario: " + scenario.name() + ", " + scenario.title() + " ("
                    + Quantities.count(scenario.cells().size(), "cell") + ", " + Quantities.count(runs, "run") + ")");
        }
        console.println("# fabric: " + facts.get("fabric") + " (" + facts.get("kind") + "), NIC " + facts.get("nic"));
        crowd(plan).ifPresent(crowd -> console.println("# " + crowd));
        console.println("# seed: " + facts.get("seed") + ", scale: " + facts.get("scale") + ", jobs: " + workers
                + ", memory: at most " + Quantities.bytes(memoryBytes));
    }

    private ConsoleProgress progress(int done, int planned, List<Plan.Unit> units) {
        return new ConsoleProgress(console, ConsoleProgress.onTerminal(), done, planned, units);
    }

    private void tellRefusals(Plan plan, Map<Integer, String> refusals) {
        Map<String, String> cells = new LinkedHashMap<>();
        for (Plan.Unit unit : plan.units()) {
            String refusal = refusals.get(unit.index());
            if (refusal != null) {
                cells.putIfAbsent(unit.name(), refusal);
            }
        }
        cells.forEach((cell, refusal) -> System.err.println("refused: " + cell + ": " + refusal));
    }

    private void dryRun(Plan plan, Map<Integer, String> refusals, int mostJobs, long memoryBytes) {
        int workers = Plan.jobs(plan.units(), mostJobs);
        ToLongFunction<Plan.Unit> memory = Plan.memoryBytes();
        for (Scenario scenario : plan.scenarios()) {
            console.println(scenario.name() + ": " + scenario.title());
            TextTable table = new TextTable("lrrrrl", "cell", "runs", "records", "table", "memory", "");
            Map<String, List<Plan.Unit>> cells = plan.units().stream()
                    .filter(unit -> unit.scenario().name().equals(scenario.name()))
                    .collect(Collectors.groupingBy(
                            unit -> unit.planned().cell().label(), LinkedHashMap::new, Collectors.toList()));
            cells.forEach((label, units) -> {
                Plan.Unit first = units.getFirst();
                Content content = first.content();
                boolean refused = units.stream().anyMatch(unit -> refusals.containsKey(unit.index()));
                table.add(
                        label,
                        "" + units.size(),
                        first.kind() == Kind.PREDICTED
                                ? "-"
                                : "" + first.settings().table().records(),
                        content == null ? "-" : Quantities.bytes(content.bytes()),
                        Quantities.bytes(memory.applyAsLong(first)),
                        refused ? "REFUSED" : first.kind() == Kind.PREDICTED ? "predicted" : "");
            });
            console.println(table);
        }
        long largest = plan.units().stream().mapToLong(memory).max().orElse(0);
        console.println(Quantities.count(plan.units().size(), "run") + "; memory: at least " + Quantities.bytes(largest)
                + ", at most "
                + Quantities.bytes(memoryBytes) + " is used; time: about "
                + Quantities.duration(Math.max(1, Plan.seconds(plan.units()) / workers)) + " with "
                + Quantities.count(workers, "job") + ". Nothing was run or written.");
    }
}
