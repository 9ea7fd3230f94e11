package org.reprobe.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.document.Spelling;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.Outcome;
import org.reprobe.explore.Schedule;
import org.reprobe.fabric.FabricException;
import org.reprobe.plots.report.CheckPage;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.CheckedSystems;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code check}: explores schedules of small configurations, or replays one. */
@Command(
        name = "check",
        description = {
            "Looks for a schedule in which clients get wrong answers: all schedules of small configurations up to a bound,",
            "then random ones. What goes wrong is shown as a timeline, with the command that replays it."
        })
final class CheckCommand implements Callable<Integer> {
    private static final String ROW = "%-26s %12s %12s %8s  %12s %8s  %s%n";

    @Option(
            names = "--system",
            paramLabel = "S",
            description = "What to check: a name or the beginning of several (default: everything).")
    private List<String> systems = new ArrayList<>();

    @Option(names = "--schedules", paramLabel = "N", description = "Random schedules of each (default: 100000).")
    private @Nullable String schedules;

    @Option(
            names = "--bound",
            paramLabel = "N",
            description = "The search through all schedules of a system ends after so many (default: 300000).")
    private @Nullable String bound;

    @Option(names = "--seed", paramLabel = "N", description = "Seed of the random schedules (default: 1).")
    private @Nullable String seed;

    @Option(names = "--replay", paramLabel = "SCHEDULE", description = "Show one schedule of one system, step by step.")
    private @Nullable String replay;

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
        List<CheckedSystem> chosen = chosen();
        long count = number("--schedules", schedules, 100_000, 0);
        long most = number("--bound", bound, 300_000, 0);
        long start = number("--seed", seed, 1, Long.MIN_VALUE);
        if (replay != null && problems.isEmpty() && chosen.size() != 1) {
            problems.add(Problem.of(
                    "--replay",
                    "a schedule is one system's: name it with --system (" + chosen.size() + " are chosen now)"));
        }
        OutputFile.check("--html", html, problems);
        if (replay != null && html != null) {
            problems.add(Problem.of("--html " + html, "is for a search; --replay shows one schedule"));
        }
        Schedule schedule = replay == null ? null : schedule(replay);
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return schedule == null ? check(out, chosen, count, most, start) : replay(out, chosen.getFirst(), schedule);
    }

    private List<CheckedSystem> chosen() {
        List<CheckedSystem> all = CheckedSystems.all();
        List<String> names = all.stream().map(CheckedSystem::name).toList();
        for (String system : systems) {
            if (names.stream().noneMatch(name -> name.startsWith(system))) {
                problems.add(Problem.of(
                        "--system " + system,
                        "there is no such system" + Spelling.hint(system, names) + "; there are "
                                + String.join(", ", names)));
            }
        }
        // A whole name is that system alone, even where it begins others.
        return all.stream()
                .filter(system -> systems.isEmpty()
                        || systems.contains(system.name())
                        || systems.stream()
                                .anyMatch(name ->
                                        !names.contains(name) && system.name().startsWith(name)))
                .toList();
    }

    private long number(String option, @Nullable String text, long otherwise, long least) {
        if (text == null) {
            return otherwise;
        }
        if (!text.matches("-?\\d{1,18}") || Long.parseLong(text) < least) {
            problems.add(Problem.of(option + " " + text, "must be a whole number" + (least == 0 ? ", 0 or more" : "")));
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

    private int check(PrintWriter out, List<CheckedSystem> chosen, long count, long most, long seed)
            throws InvalidInputException, InterruptedException, FabricException, IOException {
        Carriers.forRuns(1);
        AtomicBoolean stopped = new AtomicBoolean();
        Interrupts interrupts = Interrupts.on(() -> stopped.set(true));
        out.println("# " + summary(count, most, seed));
        out.printf(ROW, "system", "schedules", "states", "switches", "random", "cut", "verdict");
        boolean wrong = false;
        CheckFindings findings = new CheckFindings();
        for (CheckedSystem system : chosen) {
            Exploration exploration = new Exploration(system.trial().get(), system.limits(), stopped::get);
            Outcome all = exploration.exhaustive(system.switches(), most);
            Outcome random = all.counterexample() == null && !stopped.get() ? exploration.random(seed, count) : null;
            if (stopped.get()) {
                out.println("Interrupted.");
                out.flush();
                return interrupts.exitCode() == 0 ? 130 : interrupts.exitCode();
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
        out.println("""
                schedules: run to their end or to a state that was known; + when the bound was reached before the last one
                switches: between clients where the one before could have gone on, and deaths; all for no bound
                cut: schedules given up after too many retries, not judged""");
        if (html != null) {
            OutputFile.write(
                    html, findings.page(command(), summary(count, most, seed)).html());
            out.println("page: " + html);
        }
        out.flush();
        return wrong ? Reprobe.FAILED : Reprobe.FINE;
    }

    private static String summary(long count, long most, long seed) {
        return "all schedules of each system with so many switches at most, " + most + " at most; then " + count
                + " random ones, seed " + seed;
    }

    /** This search, as one types it. */
    private String command() {
        List<String> words = new ArrayList<>(List.of("check"));
        systems.forEach(system -> words.addAll(List.of("--system", system)));
        add(words, "--schedules", schedules);
        add(words, "--bound", bound);
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
