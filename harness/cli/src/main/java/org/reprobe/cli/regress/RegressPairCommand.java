package org.reprobe.cli.regress;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.regress.Comparison;
import org.reprobe.analysis.regress.Direction;
import org.reprobe.analysis.regress.PairedExperiment;
import org.reprobe.cli.base.CarrierThreads;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Interrupts;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.base.Scenarios;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.cli.options.JobsOption;
import org.reprobe.cli.options.NicOption;
import org.reprobe.cli.options.QuietOption;
import org.reprobe.cli.options.Range;
import org.reprobe.cli.options.ScenarioOptions;
import org.reprobe.cli.options.SeedOption;
import org.reprobe.cli.options.TimeSpan;
import org.reprobe.cli.run.RunHeader;
import org.reprobe.run.Experiment;
import org.reprobe.run.pair.KeptSides;
import org.reprobe.run.pair.PairSides;
import org.reprobe.run.pair.PairedSides;
import org.reprobe.run.process.Coordinator;
import org.reprobe.trust.PrivateFolder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code regress pair}: two builds or two settings, run alternately. */
@Command(
        name = "pair",
        description = {
            "Runs two builds, or two settings, on this machine as pairs in random order, until it is clear whether the"
                    + " second is worse. Drift of the machine cancels out, and stopping early does not raise the rate of false"
                    + " alarms. Each run of two builds is a separate process; with two settings of one build, servers and clients"
                    + " are started once and run both. Simulated results are deterministic and need one pair only."
        },
        footer = {
            "",
            "Examples:",
            "./run.sh regress pair --base ../last-release figure-07 --fabric shm --budget 20m",
            "./run.sh regress pair --a send-queue=16 --b send-queue=64 figure-07 --fabric shm",
            "Exit codes: 0 same or better, 1 worse, 2 bad input, 3 can't tell, 130 interrupted.",
            "JSON: " + RegressOutputs.JSON_FIELDS
        })
final class RegressPairCommand extends CheckedCommand {
    @Parameters(
            paramLabel = "SCENARIO",
            completionCandidates = ScenarioOptions.Names.class,
            description = "Scenario to run: a file or a shipped name.")
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private String word;

    @Option(
            names = "--base",
            paramLabel = "DIR",
            description =
                    "Checkout or build of Reprobe to use as the baseline, run by its own run.sh; this build is the new side.")
    private @Nullable Path baseHome;

    @Option(names = "--a", paramLabel = "key=value", description = "Setting of the baseline only; repeatable.")
    private List<String> a = new ArrayList<>();

    @Option(names = "--b", paramLabel = "key=value", description = "Setting of the new side only; repeatable.")
    private List<String> b = new ArrayList<>();

    @Mixin
    private ScenarioOptions options = new ScenarioOptions();

    @Mixin
    private SeedOption seed = new SeedOption();

    @Mixin
    private JobsOption jobs = new JobsOption();

    @Option(
            names = "--budget",
            paramLabel = "TIME",
            converter = TimeSpan.class,
            description = "Maximum time, like 90s, 20m or 1h (default: 10m).")
    private Duration budget = Duration.ofMinutes(10);

    @Range(min = 6, max = 999_999)
    @Option(names = "--max-pairs", paramLabel = "N", description = "Maximum number of pairs (default: 40; at least 6).")
    private int maxPairs = 40;

    @Mixin
    private RegressCriteria criteria = new RegressCriteria();

    @Mixin
    private RegressOutputs outputs = new RegressOutputs();

    @Mixin
    private QuietOption quiet = new QuietOption();

    private final Library library = Library.current();
    /** Threads that a measured run keeps busy; 0 if all runs are simulated. */
    private int threads;

    private Map<String, String> noise = Map.of();
    private NicOption.@Nullable Profile nic;

    @Override
    public Integer call() throws InvalidInputException, IOException, InterruptedException {
        Path scenario = check();
        stopOnProblems();
        if (scenario == null) {
            return ExitCode.BAD_INPUT;
        }
        List<String> runOptions = new ArrayList<>(TypedCommand.only(parsed(), Set.of("--fabric", "--nic", "--scale")));
        runOptions.addAll(List.of("--jobs", String.valueOf(jobs.orElse(1))));
        PairedSides.Sides processes = new PairedSides.Sides(
                baseHome == null ? library.home() : baseHome,
                library.home(),
                a,
                b,
                options.sets(),
                runOptions,
                scenario);
        PairedExperiment.Plan plan = new PairedExperiment.Plan(
                word,
                criteria.criteria(),
                criteria.metrics(),
                maxPairs,
                budget.toNanos(),
                seed.orOne(),
                processes.setsDuration());
        try (PrivateFolder work = PrivateFolder.temporary("reprobe-pair");
                ProgressLine line = quiet.progress();
                PairSides runner = runner(processes, scenario, work.path(), line)) {
            Interrupts interrupts = Interrupts.on(runner::stop);
            try {
                if (baseHome != null) {
                    line.info("building if necessary: " + baseHome);
                    runner.prepare();
                }
                noise = RunHeader.noise(threads);
                RunHeader.noiseLines(noise).forEach(each -> line.info("noise: " + each));
                Comparison comparison =
                        new PairedExperiment(plan, runner, System::nanoTime, new PairProgress(line)).run();
                line.wipe();
                return outputs.write(
                        "Pairs: " + name() + ", " + word,
                        TypedCommand.of(parsed()),
                        facts(runner),
                        comparison.with(mixed(runner)));
            } catch (InterruptedException e) {
                if (interrupts.exitCode() != 0) {
                    err().println("Interrupted: no verdict.");
                    return interrupts.exitCode();
                }
                throw e;
            }
        }
    }

    /** The time of whole processes is measured by starting them anew. */
    private PairSides runner(PairedSides.Sides sides, Path scenario, Path work, ProgressLine line) {
        NicOption.Profile profile = nic;
        if (baseHome != null || profile == null || criteria.metrics().contains(Direction.PROCESS)) {
            return new PairedSides(sides, work);
        }
        int atATime = jobs.orElse(1);
        CarrierThreads.forRuns(atATime);
        Path tables = work.resolve("tables");
        Coordinator coordinator = new Coordinator(new Coordinator.Options(
                library.home().toAbsolutePath().normalize(),
                profile.folder(),
                tables,
                Coordinator.COMPILING_MS,
                null,
                "",
                List.of(),
                line::note));
        return new KeptSides(
                sides,
                sets -> library.reader(profile.folder()).read(scenario, options.forReader(profile, sets)),
                profile.folder(),
                new Experiment.Options(atATime, Experiment.defaultMemoryBytes(), tables, false, null, coordinator),
                work);
    }

    private record PairProgress(ProgressLine line) implements PairedExperiment.Listener {
        @Override
        public void note(String text) {
            line.info(text);
        }

        @Override
        public void pairEnded(int pairs, int plannedPairs, double share, String words) {
            line.show(share, "pair " + pairs + " of at most " + plannedPairs, words);
        }
    }

    /** Checks everything that can be checked before the first run; settings of both sides are read as in the runs. */
    private @Nullable Path check() throws IOException {
        if (baseHome == null && a.isEmpty() && b.isEmpty()) {
            addProblem(
                    "pair",
                    "both sides are the same: name another build with --base DIR, or settings with --a key=value"
                            + " and --b key=value");
        }
        if (baseHome != null && !Files.isExecutable(baseHome.resolve("run.sh"))) {
            addProblem("--base " + baseHome, "is not a checkout or build of Reprobe: it has no executable run.sh");
        }
        Path path = library.find(word, problems());
        if (path != null && Files.isDirectory(path)) {
            addProblem(word, "is a folder: a pair runs one scenario");
            return null;
        }
        if (path != null) {
            NicOption.Profile profile = options.nic().profile(library, problems());
            nic = profile;
            for (List<String> side : baseHome == null ? List.of(a, b) : List.of(b)) {
                Scenarios.read(library, profile.folder(), List.of(word), options.forReader(profile, side), problems())
                        .scenarios()
                        .forEach(read -> threads = Math.max(threads, RunHeader.threads(read)));
            }
        }
        return path;
    }

    private String name() {
        String base = words(baseHome == null ? null : baseHome.toString(), a);
        String now = words(b.isEmpty() && baseHome != null ? "this build" : null, b);
        return (base.isEmpty() ? "as is" : base) + " against " + (now.isEmpty() ? "as is" : now);
    }

    private Map<String, String> facts(PairSides runner) {
        Map<String, String> facts = new LinkedHashMap<>();
        facts.put(
                "base",
                words(baseHome == null ? "this build" : baseHome.toString(), a)
                        + artifact(runner, PairedExperiment.Side.BASE));
        facts.put("new", words("this build", b) + artifact(runner, PairedExperiment.Side.NEW));
        facts.putAll(noise);
        return facts;
    }

    private static String artifact(PairSides runner, PairedExperiment.Side side) {
        return runner.artifacts(side).stream()
                .sorted()
                .map(version -> ", " + version)
                .collect(Collectors.joining());
    }

    private static List<String> mixed(PairSides runner) {
        return Stream.of(PairedExperiment.Side.values())
                .filter(side -> runner.artifacts(side).size() > 1)
                .map(side -> "MIXED VERSIONS: the artifact changed while it was measured" + artifact(runner, side))
                .toList();
    }

    private static String words(@Nullable String build, List<String> settings) {
        return Stream.concat(Stream.ofNullable(build), settings.stream()).collect(Collectors.joining(" "));
    }
}
