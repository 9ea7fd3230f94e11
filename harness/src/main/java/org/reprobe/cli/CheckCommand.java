package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.Outcome;
import org.reprobe.explore.Schedule;
import org.reprobe.fabric.FabricException;
import org.reprobe.longrun.LongRun;
import org.reprobe.nessie.NessieServer;
import org.reprobe.plots.report.CheckPage;
import org.reprobe.system.Scheme;
import org.reprobe.system.Systems;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.Survey;
import org.reprobe.trial.SystemTrials;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code check}: explores schedules of small configurations, or replays one. */
@Command(
        name = "check",
        description = {
            "Looks for a schedule in which clients get wrong answers: all schedules of small configurations up to a bound,",
            "then random ones. What goes wrong is shown as a timeline, with the command that replays it.",
            "Systems called -derived have thousands of configurations, from the smallest on: all placements of up to four keys in",
            "up to four slots, up to three clients of up to three operations each. Of them it tells which branches of the",
            "protocol were taken, and fails when one never was that is not on the list of those that can't be.",
            "With --fabric: lets processes of clients work on a Nessie table in real time, kills some, and checks what all of",
            "them were told."
        })
final class CheckCommand implements Callable<Integer> {
    private static final List<String> REAL_FABRICS = List.of("shm", "tcp", "verbs");
    private static final Pattern DURATION = Pattern.compile("(\\d{1,6})(s|m|h)");
    private static final String ROW = "%-26s %12s %12s %8s  %12s %8s  %s%n";

    @Option(
            names = "--system",
            paramLabel = "S",
            description = "What to check: a name or the beginning of several (default: everything).")
    private List<String> systems = new ArrayList<>();

    @Option(names = "--schedules", paramLabel = "N", description = "Random schedules of each (default: 10000).")
    private @Nullable String schedules;

    @Option(
            names = "--bound",
            paramLabel = "N",
            description = "The search through all schedules of a system ends after so many (default: 300000).")
    private @Nullable String bound;

    @Option(
            names = "--configurations",
            paramLabel = "N",
            description = "Configurations of each -derived system, the smallest first (default: hundreds).")
    private @Nullable String configurations;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the random schedules (default: 1).")
    private @Nullable String seed;

    @Option(names = "--replay", paramLabel = "SCHEDULE", description = "Show one schedule of one system, step by step.")
    private @Nullable String replay;

    @Option(
            names = "--fabric",
            paramLabel = "F",
            description = "Instead of exploring schedules: histories in real time over shm, tcp or verbs.")
    private @Nullable String fabric;

    @Option(
            names = "--duration",
            paramLabel = "T",
            description = "With --fabric: how long, as 60s or 5m (default: 60s).")
    private @Nullable String duration;

    @Option(names = "--processes", paramLabel = "N", description = "With --fabric: client processes (default: 3).")
    private @Nullable String processes;

    @Option(names = "--threads", paramLabel = "N", description = "With --fabric: clients of each process (default: 2).")
    private @Nullable String threads;

    @Option(
            names = "--kills",
            paramLabel = "N",
            description = "With --fabric: how many client processes are killed at random moments (default: 5).")
    private @Nullable String kills;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description = "Write a page: every counterexample as a timeline, and what corrections cost in round trips.")
    private @Nullable Path html;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private final List<Problem> problems = new ArrayList<>();

    @Override
    public Integer call() throws InvalidInputException, InterruptedException, FabricException, IOException {
        PrintWriter out = spec.commandLine().getOut();
        if (fabric != null) {
            return histories(out, fabric);
        }
        refuse("only with --fabric", "--duration", duration, "--processes", processes);
        refuse("only with --fabric", "--threads", threads, "--kills", kills);
        List<CheckedSystem> chosen = chosen();
        long count = number("--schedules", schedules, 10_000, 0);
        long most = number("--bound", bound, 300_000, 0);
        long derivedCount = number("--configurations", configurations, 0, 1);
        long start = number("--seed", seed, 1, Long.MIN_VALUE);
        List<DerivedSystem> derived = derived();
        int systemCount = chosen.size() + derived.size();
        if (replay != null && problems.isEmpty() && (systemCount != 1 || !derived.isEmpty())) {
            problems.add(Problem.of(
                    "--replay",
                    derived.isEmpty()
                            ? "a schedule is one system's: name it with --system (" + systemCount + " are chosen now)"
                            : "a schedule is one configuration's: name it with --system, such as "
                                    + derived.getFirst().configurations().next()));
        }
        OutputFile.check("--html", html, problems);
        if (replay != null && html != null) {
            problems.add(Problem.of("--html " + html, "is for a search; --replay shows one schedule"));
        }
        Schedule schedule = replay == null ? null : schedule(replay);
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return schedule == null
                ? check(out, chosen, derived, new Bounds(count, most, start, derivedCount))
                : replay(out, chosen.getFirst(), schedule);
    }

    /** Names options that were given and mean nothing here: pairs of a name and a value. */
    private void refuse(String why, @Nullable String... optionsAndValues) {
        for (int i = 0; i < optionsAndValues.length; i += 2) {
            if (optionsAndValues[i + 1] != null) {
                problems.add(Problem.of(String.valueOf(optionsAndValues[i]), why));
            }
        }
    }

    private int histories(PrintWriter out, String over)
            throws InvalidInputException, InterruptedException, FabricException, IOException {
        if (!REAL_FABRICS.contains(over)) {
            problems.add(Problem.of(
                    "--fabric " + over,
                    "histories in real time are to be had over " + String.join(", ", REAL_FABRICS)
                            + Spelling.hint(over, REAL_FABRICS)));
        }
        refuse("not with --fabric", "--schedules", schedules, "--bound", bound, "--replay", replay);
        refuse("not with --fabric", "--configurations", configurations);
        refuse("not with --fabric", "--system", systems.isEmpty() ? null : systems.getFirst());
        refuse("not with --fabric", "--html", html == null ? null : html.toString());
        LongRun.Plan plan = new LongRun.Plan(
                over,
                durationMs(),
                (int) number("--processes", processes, 3, 1, 64),
                (int) number("--threads", threads, 2, 1, 64),
                (int) number("--kills", kills, 5, 0, 1000),
                number("--seed", seed, 1, Long.MIN_VALUE),
                Shipped.here().home());
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        AtomicBoolean stopped = new AtomicBoolean();
        Interrupts.on(() -> stopped.set(true));
        out.println(
                "# Nessie over " + over + ": " + plan.processes() + " processes of " + plan.threads() + " clients for "
                        + plan.durationMs() / 1000.0 + " s, " + plan.kills() + " of them killed, seed " + plan.seed());
        out.flush();
        LongRun.Outcome outcome;
        try {
            outcome = new LongRun(plan, stopped::get).run();
        } catch (FabricException e) { // a failed run, in its own words
            spec.commandLine().getErr().println(e.getMessage());
            return Reprobe.FAILED;
        }
        out.printf(
                "%,d operations on %,d keys, %,d of them without an answer%n",
                outcome.operations(), outcome.keys(), outcome.pending());
        out.printf(
                "%d processes killed; %d tried to come back as a dead client and were refused%n",
                outcome.killed(), outcome.cameBack());
        NessieServer.Counts counts = outcome.server();
        out.printf(
                "server: access revoked %,d times, %,d clients declared dead, %,d operations ended for others, %,d entries moved"
                        + " along chains, %d resizes (to %d slots)%n",
                counts.revocations(),
                counts.deaths(),
                counts.ended(),
                counts.moves(),
                counts.resizes(),
                outcome.slots());
        String wrong = outcome.wrong();
        out.println(wrong == null ? "linearizable" : "NOT LINEARIZABLE. " + wrong);
        out.flush();
        return wrong == null ? Reprobe.FINE : Reprobe.FAILED;
    }

    private long durationMs() {
        String text = duration == null ? "60s" : duration;
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            problems.add(Problem.of("--duration " + text, "must be a time of 1s to 24h, such as 60s, 5m or 2h"));
            return 0;
        }
        long ms = Long.parseLong(matcher.group(1))
                * switch (matcher.group(2)) {
                    case "s" -> 1000L;
                    case "m" -> 60_000L;
                    default -> 3_600_000L;
                };
        if (ms < 1000 || ms > 86_400_000L) {
            problems.add(Problem.of("--duration " + text, "must be a time of 1s to 24h, such as 60s, 5m or 2h"));
        }
        return ms;
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
            } else if (names.stream().noneMatch(name -> name.startsWith(system)) && isScheme(system)) {
                problems.add(Problem.of(
                        "--system " + system,
                        "has no schedules to explore: its system gives check no trials, as one whose clients only read; there are "
                                + String.join(", ", names)));
            } else if (names.stream().noneMatch(name -> name.startsWith(system))) {
                problems.add(Problem.of(
                        "--system " + system,
                        "there is no such system" + Spelling.hint(system, names) + "; there are "
                                + String.join(", ", names)));
            }
        }
        List<CheckedSystem> chosen = new ArrayList<>(
                checked().filter(system -> isChosen(system.name())).toList());
        chosen.addAll(configured);
        return chosen;
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

    /** A whole name is that system alone, even where it begins others. */
    private boolean isChosen(String name) {
        return systems.isEmpty()
                || systems.contains(name)
                || systems.stream().anyMatch(start -> !names().contains(start) && name.startsWith(start));
    }

    private long number(String option, @Nullable String text, long otherwise, long least) {
        return number(option, text, otherwise, least, Long.MAX_VALUE);
    }

    private long number(String option, @Nullable String text, long otherwise, long least, long most) {
        if (text == null) {
            return otherwise;
        }
        if (!text.matches("-?\\d{1,18}") || Long.parseLong(text) < least || Long.parseLong(text) > most) {
            String range = most < Long.MAX_VALUE ? " from " + least + " to " + most : least == 0 ? ", 0 or more" : "";
            problems.add(Problem.of(option + " " + text, "must be a whole number" + range));
            return otherwise;
        }
        return Long.parseLong(text);
    }

    private @Nullable Schedule schedule(String text) {
        try {
            return Schedule.parse(text);
        } catch (InvalidInputException e) {
            e.problems().forEach(problem -> problems.add(Problem.of("--replay", problem.message())));
            return null;
        }
    }

    private static int replay(PrintWriter out, CheckedSystem system, Schedule schedule)
            throws InvalidInputException, InterruptedException, FabricException {
        Counterexample shown = new Exploration(system.trial().get(), system.limits()).replay(schedule);
        out.println(system.name() + ": " + system.title());
        out.println(shown.timeline());
        out.println(shown.wrong().isEmpty() ? "Nothing goes wrong." : shown.wrong());
        out.flush();
        return shown.wrong().isEmpty() || system.printed() ? Reprobe.FINE : Reprobe.FAILED;
    }

    /**
     * How much is explored.
     *
     * @param random schedules of each system
     * @param schedules of each search through all
     * @param configurations of each derived system; 0 for its usual number
     */
    private record Bounds(long random, long schedules, long seed, long configurations) {
        String words() {
            return "of each system: all schedules with up to as many switches as its row says, " + schedules
                    + " at most; then " + random + " random ones, seed " + seed;
        }
    }

    private int check(PrintWriter out, List<CheckedSystem> chosen, List<DerivedSystem> derived, Bounds bounds)
            throws InvalidInputException, InterruptedException, FabricException, IOException {
        Carriers.forRuns(1);
        AtomicBoolean stopped = new AtomicBoolean();
        Interrupts interrupts = Interrupts.on(() -> stopped.set(true));
        out.println("# " + bounds.words());
        CheckFindings findings = new CheckFindings();
        boolean wrong = false;
        for (DerivedSystem system : derived) {
            wrong |= !survey(out, system, bounds, findings, stopped::get);
            if (stopped.get()) {
                return interrupted(out, interrupts);
            }
        }
        if (!chosen.isEmpty()) {
            out.printf(ROW, "system", "schedules", "states", "switches", "random", "cut", "verdict");
        }
        for (CheckedSystem system : chosen) {
            Exploration exploration = new Exploration(system.trial().get(), system.limits(), stopped::get);
            Outcome all = exploration.exhaustive(system.switches(), bounds.schedules());
            Outcome random = all.counterexample() == null && !stopped.get()
                    ? exploration.random(bounds.seed(), bounds.random())
                    : null;
            if (stopped.get()) {
                return interrupted(out, interrupts);
            }
            Counterexample found = all.counterexample();
            if (found == null && random != null) {
                found = random.counterexample();
            }
            CheckPage.Checked row = findings.add(system, all, random, found);
            out.printf(
                    ROW,
                    row.name(),
                    row.schedules(),
                    row.states(),
                    row.switches(),
                    row.random(),
                    all.cut() + (random == null ? 0 : random.cut()),
                    row.verdict());
            if (found != null) {
                show(out, system, found);
                wrong |= !system.printed();
            }
            out.flush();
        }
        if (!chosen.isEmpty()) {
            out.println("""
                schedules: run to their end or to a state that was known; + when the bound was reached before the last one
                switches: between clients where the one before could have gone on, and deaths; all for no bound
                cut: schedules given up after too many retries, not judged""");
        }
        if (html != null) {
            OutputFile.write(html, findings.page(command(), bounds.words()).html());
            out.println("page: " + html);
        }
        out.flush();
        return wrong ? Reprobe.FAILED : Reprobe.FINE;
    }

    private static int interrupted(PrintWriter out, Interrupts interrupts) {
        out.println("Interrupted.");
        out.flush();
        return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
    }

    /** Explores a derived system; whether nothing went wrong, and no branch was left out that is not known to be. */
    private static boolean survey(
            PrintWriter out, DerivedSystem system, Bounds bounds, CheckFindings findings, BooleanSupplier stopped)
            throws FabricException, InterruptedException {
        long most = bounds.configurations() > 0 ? bounds.configurations() : system.usual();
        Survey.Result result = Survey.of(system, most, bounds.seed(), stopped);
        if (stopped.getAsBoolean()) {
            return true;
        }
        Counterexample found = result.found();
        // Who asks for few configurations doesn't ask for all branches.
        boolean judged = found == null && most >= system.usual();
        boolean holds = found == null
                && result.refuted().isEmpty()
                && (!judged || result.missing().isEmpty());
        CheckPage.Derived row = findings.add(system, result, holds);
        out.println(row.name() + ": " + row.verdict());
        out.println("  " + row.title());
        out.println("  " + row.explored());
        out.println("  " + row.branches());
        row.missing().forEach(line -> out.println("  never taken: " + line));
        row.refuted().forEach(line -> out.println("  said to be out of reach, and taken: " + line));
        if (found != null) {
            show(out, Objects.requireNonNull(result.wrong()), found);
        }
        out.println();
        out.flush();
        return holds;
    }

    /** This search, as one types it. */
    private String command() {
        List<String> words = new ArrayList<>(List.of("check"));
        systems.forEach(system -> words.addAll(List.of("--system", system)));
        add(words, "--schedules", schedules);
        add(words, "--bound", bound);
        add(words, "--configurations", configurations);
        add(words, "--seed", seed);
        add(words, "--html", String.valueOf(html));
        return Reprobe.typed(words);
    }

    private static void add(List<String> words, String option, @Nullable String value) {
        if (value != null) {
            words.addAll(List.of(option, value));
        }
    }

    private static void show(PrintWriter out, CheckedSystem system, Counterexample found) {
        out.println();
        out.println("  " + system.title());
        (found.wrong() + "\n" + found.timeline()).lines().forEach(line -> out.println("  " + line));
        out.println("  again: " + CheckFindings.again(system, found));
        out.println();
    }
}
