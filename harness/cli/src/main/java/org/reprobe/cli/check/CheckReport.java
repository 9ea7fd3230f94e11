package org.reprobe.cli.check;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.cli.base.Library;
import org.reprobe.cli.base.TypedCommand;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationOutcome;
import org.reprobe.explore.TimelineEvent;
import org.reprobe.fabric.FabricException;
import org.reprobe.plots.report.CheckPage;
import org.reprobe.run.Fabrics;
import org.reprobe.system.Systems;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.RoundTrips;
import org.reprobe.trial.Survey;
import org.reprobe.trial.SystemTrials;

/** Findings of {@code check}: printed as text at once, and kept as JSON and for a page. */
final class CheckReport {
    static final String JSON_FIELDS =
            "holds; systems (name, title, schedules, complete, states, random, faulty, cut, verdict); derived (name, title,"
                    + " configurations, schedules, cut, taken, missing, verdict); counterexamples (system, wrong,"
                    + " replay).";

    private static final String ROW = "%-26s %12s %12s %8s  %16s %8s  %s%n";

    private final PrintWriter out;
    private final List<SystemJson> systemsJson = new ArrayList<>();
    private final List<DerivedJson> derivedJson = new ArrayList<>();
    private final List<CheckPage.Checked> systems = new ArrayList<>();
    private final List<CheckPage.Derived> derived = new ArrayList<>();
    private final List<CheckPage.Found> found = new ArrayList<>();
    private final Set<String> explored = new HashSet<>();

    /**
     * Numbers of schedules of a system.
     *
     * @param schedules executed to their end or to a known state
     * @param complete true if these were all up to the bound on switches
     * @param faulty random schedules with an injected fault
     * @param cut schedules given up after too many retries, not judged
     */
    record SystemJson(
            String name,
            String title,
            long schedules,
            boolean complete,
            long states,
            long random,
            long faulty,
            long cut,
            String verdict) {}

    /** A derived system with the branches of its protocol that were taken, and the reachable ones that were not. */
    record DerivedJson(
            String name,
            String title,
            long configurations,
            long schedules,
            long cut,
            long taken,
            List<String> missing,
            String verdict) {}

    record CounterexampleJson(String system, String wrong, String replay) {}

    record Json(
            boolean holds,
            List<SystemJson> systems,
            List<DerivedJson> derived,
            List<CounterexampleJson> counterexamples) {}

    CheckReport(PrintWriter out) {
        this.out = out;
    }

    Json json(boolean holds) {
        return new Json(
                holds,
                systemsJson,
                derivedJson,
                found.stream()
                        .map(each -> new CounterexampleJson(each.name(), each.wrong(), each.again()))
                        .toList());
    }

    void printTitles() {
        out.printf(ROW, "system", "schedules", "states", "switches", "random", "cut", "verdict");
    }

    void printLegend() {
        out.println("""
            schedules: run to their end or to a known state; + marks a search that ended at its bound
            switches: maximum number of switches between clients and of faults per schedule; all: no maximum
            random: random schedules; in brackets, those with an injected fault
            cut: schedules abandoned after too many retries, without a verdict\
            """);
    }

    private void show(CheckedSystem system, Counterexample wrong) {
        out.println();
        out.println("  " + system.title());
        (wrong.violation() + "\n" + wrong.timeline()).lines().forEach(text -> out.println("  " + text));
        out.println("  replay: " + again(system, wrong));
        out.println();
    }

    private static String again(CheckedSystem system, Counterexample found) {
        return TypedCommand.typed(List.of(
                "check", "--system", system.name(), "--replay", found.schedule().toString()));
    }

    /** Adds an explored system. */
    void add(
            CheckedSystem system,
            ExplorationOutcome all,
            @Nullable ExplorationOutcome random,
            @Nullable Counterexample wrong) {
        CheckPage.Checked row = new CheckPage.Checked(
                system.name(),
                system.title(),
                all.schedules() + (all.complete() || all.counterexample() != null ? "" : "+"),
                String.valueOf(all.states()),
                system.switches() == Exploration.ALL ? "all" : String.valueOf(system.switches()),
                random == null ? "-" : drawn(random),
                wrong == null ? "holds" : system.printed() ? "breaks as printed" : "BREAKS",
                wrong == null ? "holds" : "missed");
        systems.add(row);
        long cut = all.cut() + (random == null ? 0 : random.cut());
        systemsJson.add(new SystemJson(
                system.name(),
                system.title(),
                all.schedules(),
                all.complete(),
                all.states(),
                random == null ? 0 : random.schedules(),
                random == null ? 0 : random.faulty(),
                cut,
                row.verdict()));
        out.printf(ROW, row.name(), row.schedules(), row.states(), row.switches(), row.random(), cut, row.verdict());
        explored.add(system.name());
        if (wrong != null) {
            found.add(found(system, wrong));
            show(system, wrong);
        }
    }

    private static String drawn(ExplorationOutcome random) {
        return random.schedules() + (random.faulty() == 0 ? "" : " (" + random.faulty() + ")");
    }

    void add(DerivedSystem system, Survey.Result result, boolean holds) {
        List<Survey.Way> branches = result.branches();
        long outOfReach = branches.stream()
                .filter(way -> !way.unreachable().isEmpty() && !way.isOpen())
                .count();
        long open = result.open().size();
        long reachable = branches.size() - outOfReach;
        List<String> missing = Survey.lines(result.missing());
        CheckPage.Derived row = new CheckPage.Derived(
                system.id(),
                system.title(),
                "%,d configurations (of about %s), %,d schedules%s"
                        .formatted(
                                result.configurations(),
                                large(system.combinations()),
                                result.schedules(),
                                result.cut() == 0 ? "" : ", %,d of them cut".formatted(result.cut())),
                "%,d of %,d branches of the protocol taken; unreachable: %,d%s"
                        .formatted(
                                branches.stream().filter(Survey.Way::taken).count(),
                                reachable,
                                outOfReach,
                                open == 0 ? "" : "; %,d of those not taken are known exceptions".formatted(open)),
                missing,
                Survey.lines(result.refuted()),
                result.branches().stream()
                        .map(way -> new CheckPage.Branch(
                                way.decision(), way.line(), way.way(), way.taken(), way.unreachable()))
                        .toList(),
                result.found() != null
                        ? "BREAKS"
                        : !missing.isEmpty() && holds ? "holds so far" : holds ? "holds" : "PROVES TOO LITTLE",
                holds ? "holds" : "missed");
        derived.add(row);
        derivedJson.add(new DerivedJson(
                row.name(),
                row.title(),
                result.configurations(),
                result.schedules(),
                result.cut(),
                result.taken(),
                missing,
                row.verdict()));
        out.println(row.name() + ": " + row.verdict());
        out.println("  " + row.title());
        out.println("  " + row.explored());
        out.println("  " + row.branches());
        row.missing().forEach(way -> out.println("  never taken: " + way));
        row.refuted().forEach(way -> out.println("  listed as unreachable, but taken: " + way));
        if (result.found() != null && result.refutedSystem() != null) {
            found.add(found(result.refutedSystem(), result.found()));
            show(result.refutedSystem(), result.found());
        }
        out.println();
    }

    /** Formats a number as 3 * 10^12. */
    private static String large(double number) {
        if (number < 1e6) {
            return "%,.0f".formatted(number);
        }
        String rounded = "%.0e".formatted(number); // 9.9e15 is 1e+16
        int power = rounded.indexOf("e+");
        return rounded.substring(0, power) + " * 10^" + Integer.parseInt(rounded.substring(power + 2));
    }

    private static CheckPage.Found found(CheckedSystem system, Counterexample wrong) {
        int clients = system.trial().get().clients();
        List<String> programs = new ArrayList<>();
        int last =
                wrong.moments().stream().mapToInt(TimelineEvent::program).max().orElse(0);
        for (int i = 0; i < Math.max(clients, last + 1); i++) {
            programs.add(TimelineEvent.title(i, clients));
        }
        return new CheckPage.Found(
                system.name(),
                system.title(),
                wrong.violation().strip(),
                programs,
                wrong.moments().stream()
                        .map(moment -> new CheckPage.Moment(moment.program(), moment.what(), moment.operation()))
                        .toList(),
                again(system, wrong));
    }

    /** Returns the page; measures the round trips of operations of explored systems that define them. */
    CheckPage page(String command, String summary) throws InvalidInputException, FabricException, InterruptedException {
        List<CheckPage.Costs> costs = new ArrayList<>();
        for (SystemTrials trials : Systems.trials()) {
            RoundTrips roundTrips = trials.roundTrips();
            if (roundTrips != null
                    && trials.systems().stream().map(CheckedSystem::name).anyMatch(explored::contains)) {
                NicProfile nic = NicProfiles.load(Library.current().nics(), roundTrips.nic());
                List<CheckPage.Cost> rows = new ArrayList<>();
                roundTrips
                        .count(() -> Fabrics.open("sim", nic, 1))
                        .forEach((operation, trips) -> rows.add(new CheckPage.Cost(
                                operation, trips.stream().map("%.2f"::formatted).toList())));
                costs.add(new CheckPage.Costs(roundTrips.about(), roundTrips.variants(), rows));
            }
        }
        return new CheckPage(command, summary, derived, systems, found, costs);
    }
}
