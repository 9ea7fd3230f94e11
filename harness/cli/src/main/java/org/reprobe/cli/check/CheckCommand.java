package org.reprobe.cli.check;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.cli.base.CarrierThreads;
import org.reprobe.cli.base.CheckedCommand;
import org.reprobe.cli.base.ExitCode;
import org.reprobe.cli.base.Interrupts;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.ProgressLine;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.cli.options.Choice;
import org.reprobe.cli.options.JsonOption;
import org.reprobe.cli.options.QuietOption;
import org.reprobe.cli.options.Range;
import org.reprobe.cli.options.SeedOption;
import org.reprobe.cli.options.TimeSpan;
import org.reprobe.cli.options.WritableFile;
import org.reprobe.cli.options.ZooKeeperOption;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.Schedule;
import org.reprobe.fabric.FabricException;
import org.reprobe.run.process.CrashRun;
import org.reprobe.run.process.MachinesRun;
import org.reprobe.system.CrashTestable;
import org.reprobe.system.Explorable;
import org.reprobe.system.MachinesTestable;
import org.reprobe.system.Scheme;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Systems;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.SystemTrials;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** {@code check}: explores schedules of small configurations, or replays one. */
@Command(
        name = "check",
        description = {
            "Searches for schedules in which clients get wrong answers.",
            "Explores all schedules of small configurations up to a bound, then random schedules. Prints a"
                    + " counterexample as a timeline, and the command that replays it.",
            "Systems called -derived have thousands of configurations, explored smallest first. They have all placements of"
                    + " up to four keys in up to four slots, with up to three clients of up to three operations each. For these"
                    + " systems it reports which branches of the protocol were taken, and fails if a reachable branch was not.",
            "With --fabric it checks a system whose clients write: client processes use one table in real time, some are"
                    + " killed, and the recorded history of all replies is checked."
        },
        footer = {"", "JSON: " + CheckReport.JSON_FIELDS, "With --fabric: " + HistoryCheck.JSON_FIELDS})
public final class CheckCommand extends CheckedCommand {
    private static final List<String> ONLY_OF_HISTORIES = List.of(
            "--duration", "--processes", "--threads", "--kills", "--stops", "--restarts", "--rejoins", "--zookeeper");
    private static final List<String> ONLY_OF_SCHEDULES =
            List.of("--schedules", "--bound", "--replay", "--configurations", "--html");

    @Option(
            names = "--system",
            paramLabel = "S",
            completionCandidates = Names.class,
            description =
                    "System to check: a name, or a common prefix of several (default: all). With --fabric: one system"
                            + " whose clients write (default: the first).")
    private List<String> systems = new ArrayList<>();

    @Range(min = 0)
    @Option(names = "--schedules", paramLabel = "N", description = "Random schedules per system (default: 10000).")
    private long schedules = 10_000;

    @Range(min = 0)
    @Option(
            names = "--bound",
            paramLabel = "N",
            description = "Maximum number of schedules in the exhaustive search of a system (default: 300000).")
    private long bound = 300_000;

    @Range(min = 1)
    @Option(
            names = "--configurations",
            paramLabel = "N",
            description = "Configurations per -derived system, smallest first (default: hundreds).")
    private @Nullable Long configurations;

    @Mixin
    private SeedOption seed = new SeedOption();

    @Option(
            names = "--replay",
            paramLabel = "SCHEDULE",
            converter = ScheduleConverter.class,
            description = "Replay one schedule of one system, step by step.")
    private @Nullable Schedule replay;

    @Option(
            names = "--fabric",
            paramLabel = "F",
            converter = Choice.OfRealFabric.class,
            completionCandidates = Choice.OfRealFabric.class,
            description = "Check histories in real time over shm, tcp or verbs instead of exploring schedules.")
    private @Nullable String fabric;

    @Option(
            names = "--duration",
            paramLabel = "T",
            converter = TimeSpan.UpToADay.class,
            description = "With --fabric: duration, as 60s or 5m (default: 60s).")
    private Duration duration = Duration.ofMinutes(1);

    @Range(min = 1, max = 64)
    @Option(names = "--processes", paramLabel = "N", description = "With --fabric: client processes (default: 3).")
    private int processes = 3;

    @Range(min = 1, max = 64)
    @Option(names = "--threads", paramLabel = "N", description = "With --fabric: clients per process (default: 2).")
    private int threads = 2;

    @Range(min = 0, max = 1000)
    @Option(
            names = "--kills",
            paramLabel = "N",
            description = "With --fabric: number of processes killed at random moments (default: 5). For systems whose"
                    + " machines may fail, whole machines are killed and not replaced; runs repeat until N are killed.")
    private int kills = 5;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            converter = WritableFile.class,
            description = "Write a page with a timeline per counterexample and the cost of corrections in round trips.")
    private @Nullable Path html;

    @Range(min = 0, max = 1000)
    @Option(
            names = "--stops",
            paramLabel = "N",
            description =
                    "With --fabric, for systems whose machines may fail: number of machines stopped for 3 s at random"
                            + " moments, so that others take over (default: 1).")
    private int stops = 1;

    @Range(min = 0, max = 1000)
    @Option(
            names = "--restarts",
            paramLabel = "N",
            description =
                    "With --fabric, for systems whose machines may fail: number of times that all machines are killed"
                            + " and restart from their log files; they are killed again during every second restart"
                            + " (default: 0).")
    private int restarts;

    @Range(min = 0, max = 1000)
    @Option(
            names = "--rejoins",
            paramLabel = "N",
            description =
                    "With --fabric, for systems whose machines may fail: number of machines killed besides --kills that"
                            + " rejoin: another process copies their objects from the others (default: 0).")
    private int rejoins;

    @Mixin
    private ZooKeeperOption zookeeper = new ZooKeeperOption();

    @Mixin
    private JsonOption json = new JsonOption();

    @Mixin
    private QuietOption quiet = new QuietOption();

    static final class ScheduleConverter implements ITypeConverter<Schedule> {
        @Override
        public Schedule convert(String text) {
            try {
                return Schedule.parse(text);
            } catch (InvalidInputException e) {
                throw new TypeConversionException(String.join(
                        "; ", e.problems().stream().map(Problem::message).toList()));
            }
        }
    }

    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return names().iterator();
        }
    }

    @Override
    public Integer call() throws InvalidInputException, InterruptedException, FabricException, IOException {
        return isGiven("--fabric") ? histories() : explore();
    }

    private int explore() throws InvalidInputException, InterruptedException, FabricException, IOException {
        ONLY_OF_HISTORIES.forEach(option -> refuse(option, "only with --fabric"));
        List<CheckedSystem> chosen = chosen();
        List<DerivedSystem> derived = derived();
        int systemCount = chosen.size() + derived.size();
        if (replay != null && problems().isEmpty() && (systemCount != 1 || !derived.isEmpty())) {
            addProblem(
                    "--replay",
                    derived.isEmpty()
                            ? "a schedule belongs to one system: name it with --system (" + systemCount
                                    + " are selected)"
                            : "a schedule belongs to one configuration: name it with --system, such as "
                                    + derived.getFirst().configurations().next());
        }
        if (isGiven("--replay")) {
            refuse("--html", "not with --replay");
            refuse("--json", "not with --replay");
        }
        stopOnProblems();
        if (replay != null) {
            return replay(chosen.getFirst(), replay);
        }
        CarrierThreads.forRuns(1);
        AtomicBoolean stopped = new AtomicBoolean();
        Interrupts interrupts = Interrupts.on(() -> stopped.set(true));
        CheckReport report = new CheckReport(json.text());
        ScheduleSearch.Bounds bounds =
                new ScheduleSearch.Bounds(schedules, bound, seed.orOne(), configurations == null ? 0 : configurations);
        quiet.header(json.text()).println("# " + bounds.words());
        boolean holds;
        try (ProgressLine line = quiet.progress()) {
            holds = new ScheduleSearch(bounds, chosen, derived, report, line, stopped::get).run();
        }
        if (stopped.get()) {
            json.text().println("Interrupted.");
            return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
        }
        if (html != null) {
            WritableFile.write(
                    html, report.page(TypedCommand.of(parsed()), bounds.words()).html());
            json.text().println("page: " + html);
        }
        json.write(report.json(holds));
        return holds ? ExitCode.FINE : ExitCode.FAILED;
    }

    private int replay(CheckedSystem system, Schedule schedule)
            throws InvalidInputException, InterruptedException, FabricException {
        Counterexample shown = new Exploration(system.trial().get(), system.limits()).replay(schedule);
        out().println(system.name() + ": " + system.title());
        out().println(shown.timeline());
        out().println(shown.violation().isEmpty() ? "Nothing goes wrong." : shown.violation());
        return shown.violation().isEmpty() || system.printed() ? ExitCode.FINE : ExitCode.FAILED;
    }

    private int histories() throws InvalidInputException, InterruptedException, IOException {
        ONLY_OF_SCHEDULES.forEach(option -> refuse(option, "not with --fabric"));
        String scheme = crashTested();
        stopOnProblems();
        CrashRun.Order order = new CrashRun.Order(
                String.valueOf(fabric),
                scheme,
                duration.toMillis(),
                processes,
                threads,
                kills,
                seed.orOne(),
                Library.current().home());
        HistoryCheck check = new HistoryCheck(
                order,
                stops,
                restarts,
                rejoins,
                new MachinesRun.Options(Library.current().nics(), zookeeper.hosts()));
        if (!check.isOfMachines()) {
            for (String option : List.of("--stops", "--restarts", "--rejoins", "--zookeeper")) {
                refuse(
                        option,
                        "only of systems whose machines may fail: "
                                + Systems.with(MachinesTestable.class).stream()
                                        .map(system -> system.machinesTest().scheme())
                                        .collect(Collectors.joining(", ")));
            }
        }
        if (check.problem() != null) {
            problems().add(check.problem());
        }
        stopOnProblems();
        AtomicBoolean stopped = new AtomicBoolean();
        Interrupts interrupts = Interrupts.on(() -> stopped.set(true));
        check.printHeader(quiet.header(json.text()));
        CrashRun.Result outcome;
        try (ProgressLine line = quiet.progress()) {
            outcome = check.run(line, stopped::get);
        } catch (InterruptedException e) {
            if (!stopped.get()) {
                throw e;
            }
            json.text().println("Interrupted.");
            return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
        } catch (FabricException e) { // a failed run
            err().println(e.getMessage());
            return ExitCode.FAILED;
        }
        check.print(json.text(), outcome);
        json.write(HistoryCheck.json(outcome));
        return outcome.wrong() == null ? ExitCode.FINE : ExitCode.FAILED;
    }

    private String crashTested() {
        List<String> schemes =
                Systems.all().stream().flatMap(CheckCommand::crashTested).toList();
        String named = systems.isEmpty() ? schemes.getFirst() : systems.getFirst();
        if (systems.size() > 1 || !schemes.contains(named)) {
            addProblem(
                    "--system " + String.join(",", systems),
                    "with --fabric it must be one of " + String.join(", ", schemes) + Spelling.hint(named, schemes));
        }
        return named;
    }

    private static Stream<String> crashTested(SystemUnderTest system) {
        Stream<String> clients =
                system instanceof CrashTestable ? system.schemes().stream().map(Scheme::name) : Stream.of();
        return system instanceof MachinesTestable machines
                ? Stream.concat(clients, Stream.of(machines.machinesTest().scheme()))
                : clients;
    }

    private List<CheckedSystem> chosen() {
        List<String> names = names();
        List<CheckedSystem> configured = new ArrayList<>();
        for (String system : systems) {
            CheckedSystem configuration = Systems.trials().stream()
                    .map(trials -> trials.configuration(system))
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null);
            if (configuration != null) {
                configured.add(configuration);
            } else if (names.stream().noneMatch(name -> name.startsWith(system))) {
                String why =
                        isScheme(system) ? ofScheme(system) : "there is no such system" + Spelling.hint(system, names);
                addProblem("--system " + system, why + "; systems: " + String.join(", ", names));
            }
        }
        List<CheckedSystem> chosen = new ArrayList<>(
                checked().filter(system -> isChosen(system.name())).toList());
        chosen.addAll(configured);
        return chosen;
    }

    /** Returns the reason why a scheme's name selects no trials. */
    private static String ofScheme(String scheme) {
        return Systems.of(scheme) instanceof Explorable system
                ? "is explored as "
                        + system.trials().systems().stream()
                                .map(CheckedSystem::name)
                                .collect(Collectors.joining(", "))
                : "has no schedules to explore: its clients only read";
    }

    private List<DerivedSystem> derived() {
        return allDerived().filter(system -> isChosen(system.id())).toList();
    }

    private static Stream<CheckedSystem> checked() {
        return Systems.trials().stream().map(SystemTrials::systems).flatMap(List::stream);
    }

    private static Stream<DerivedSystem> allDerived() {
        return Systems.trials().stream().map(SystemTrials::derived).flatMap(List::stream);
    }

    private static boolean isScheme(String name) {
        return Systems.schemes().stream().map(Scheme::name).anyMatch(name::equals);
    }

    private static List<String> names() {
        return Stream.concat(checked().map(CheckedSystem::name), allDerived().map(DerivedSystem::id))
                .toList();
    }

    /** Returns true if a system is selected; a whole name selects it alone, even if it is a prefix of others. */
    private boolean isChosen(String name) {
        return systems.isEmpty()
                || systems.contains(name)
                || systems.stream().anyMatch(start -> !names().contains(start) && name.startsWith(start));
    }
}
