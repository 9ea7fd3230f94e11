package org.reprobe.cli;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.Outcome;
import org.reprobe.fabric.FabricException;
import org.reprobe.plots.report.CheckPage;
import org.reprobe.run.Fabrics;
import org.reprobe.system.Systems;
import org.reprobe.trial.CheckedSystem;
import org.reprobe.trial.DerivedSystem;
import org.reprobe.trial.RoundTrips;
import org.reprobe.trial.Survey;
import org.reprobe.trial.SystemTrials;

/** What {@code check} has found so far, in words; and the page of it. */
final class CheckFindings {
    private final List<CheckPage.Checked> systems = new ArrayList<>();
    private final List<CheckPage.Derived> derived = new ArrayList<>();
    private final List<CheckPage.Found> found = new ArrayList<>();
    private final Set<String> explored = new HashSet<>();

    /** The command that replays a counterexample. */
    static String again(CheckedSystem system, Counterexample found) {
        return Reprobe.typed(List.of(
                "check", "--system", system.name(), "--replay", found.schedule().toString()));
    }

    /**
     * A system was explored.
     *
     * @param random null when no random schedules were run
     * @param wrong null when nothing went wrong
     */
    CheckPage.Checked add(CheckedSystem system, Outcome all, @Nullable Outcome random, @Nullable Counterexample wrong) {
        CheckPage.Checked row = new CheckPage.Checked(
                system.name(),
                system.title(),
                all.schedules() + (all.complete() || all.counterexample() != null ? "" : "+"),
                String.valueOf(all.states()),
                system.switches() == Exploration.ALL ? "all" : String.valueOf(system.switches()),
                random == null ? "-" : String.valueOf(random.schedules()),
                wrong == null ? "holds" : system.printed() ? "breaks as printed" : "BREAKS",
                wrong == null ? "holds" : "missed");
        systems.add(row);
        explored.add(system.name());
        if (wrong != null) {
            found.add(found(system, wrong));
        }
        return row;
    }

    /** A derived system was explored. */
    CheckPage.Derived add(DerivedSystem system, Survey.Result result, boolean holds) {
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
                "%,d of %,d ways out of the protocol's decisions taken; %,d others can't be%s"
                        .formatted(
                                branches.stream().filter(Survey.Way::taken).count(),
                                reachable,
                                outOfReach,
                                open == 0 ? "" : "; %,d of those not taken are known and open".formatted(open)),
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
        if (result.found() != null && result.wrong() != null) {
            found.add(found(result.wrong(), result.found()));
        }
        return row;
    }

    /** Like 3 * 10^12. */
    private static String large(double number) {
        int power = (int) Math.log10(number);
        return power < 6 ? "%,.0f".formatted(number) : "%.0f * 10^%d".formatted(number / Math.pow(10, power), power);
    }

    private static CheckPage.Found found(CheckedSystem system, Counterexample wrong) {
        int clients = system.trial().get().clients();
        List<String> programs = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            programs.add("client " + i);
        }
        if (wrong.moments().stream().anyMatch(moment -> moment.program() == clients)) {
            programs.add("server");
        }
        return new CheckPage.Found(
                system.name(),
                system.title(),
                wrong.wrong().strip(),
                programs,
                wrong.moments().stream()
                        .map(moment -> new CheckPage.Moment(moment.program(), moment.what(), moment.operation()))
                        .toList(),
                again(system, wrong));
    }

    /** The page; counts round trips of the operations of those systems that were explored and say what they cost. */
    CheckPage page(String command, String summary) throws InvalidInputException, FabricException, InterruptedException {
        List<CheckPage.Costs> costs = new ArrayList<>();
        for (SystemTrials trials : Systems.trials()) {
            RoundTrips roundTrips = trials.roundTrips();
            if (roundTrips != null
                    && trials.systems().stream().map(CheckedSystem::name).anyMatch(explored::contains)) {
                NicProfile nic = NicProfiles.load(Shipped.here().nics(), roundTrips.nic());
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
