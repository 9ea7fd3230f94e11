package org.reprobe.trial;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.explore.Counterexample;
import org.reprobe.explore.Exploration;
import org.reprobe.explore.ExplorationLimits;
import org.reprobe.explore.ExplorationOutcome;
import org.reprobe.fabric.FabricException;

/** Exploration of a derived system's configurations with branch coverage. */
public final class Survey {
    private static final long MAX_SCHEDULES = 1500;
    private static final long EXHAUSTIVE_SCHEDULES = 60;
    private static final long RANDOM = 60;

    /** Number of random schedules of configurations with faults. */
    private static final long RANDOM_WITH_FAULTS = 200;

    private Survey() {}

    /** Result of a survey, with the failing configuration and its failure, if any, and branches in code order. */
    public record Result(
            long configurations,
            long schedules,
            long cut,
            @Nullable CheckedSystem refutedSystem,
            @Nullable Counterexample found,
            List<Way> branches) {
        public Result {
            branches = List.copyOf(branches);
        }

        public long taken() {
            return branches.stream().filter(Way::taken).count();
        }

        /** Returns the reachable branches that were not taken. */
        public List<Way> missing() {
            return branches.stream()
                    .filter(way -> !way.taken() && way.unreachable().isEmpty())
                    .toList();
        }

        /** Returns branches not taken and listed as such for the usual configurations, not proven unreachable. */
        public List<Way> open() {
            return branches.stream().filter(way -> !way.taken() && way.isOpen()).toList();
        }

        /** Returns the branches that were taken although they are listed as unreachable. */
        public List<Way> refuted() {
            return branches.stream()
                    .filter(way -> way.taken() && !way.unreachable().isEmpty() && !way.isOpen())
                    .toList();
        }
    }

    /**
     * Outcome of a decision, named by class, method and source line: {@code yes}, {@code no} or a case.
     * {@code unreachable} is the listed reason why no configuration takes it; empty if none is listed.
     */
    public record Way(String decision, int line, String way, boolean taken, String unreachable) {

        /** Returns true if the listed reason is that no configuration is known. */
        public boolean isOpen() {
            return unreachable.startsWith("open");
        }
    }

    /** Explores at most {@code max} configurations; {@code stopped} is polled between schedules. */
    public static Result of(DerivedSystem system, long max, long seed, BooleanSupplier stopped)
            throws FabricException, InterruptedException {
        Branches branches = new Branches(system);
        Iterator<String> configurations = system.configurations();
        long explored = 0;
        long schedules = 0;
        long cut = 0;
        while (explored < max && configurations.hasNext() && !stopped.getAsBoolean()) {
            String text = configurations.next();
            CheckedSystem configuration = Objects.requireNonNull(system.configuration(text));
            Counterexample found = null;
            Exploration exploration =
                    new Exploration(branches.loader().trial(system, text), configuration.limits(), stopped);
            for (ExplorationOutcome outcome : explore(exploration, configuration.limits(), seed)) {
                schedules += outcome.schedules();
                cut += outcome.cut();
                found = outcome.counterexample();
            }
            explored++;
            if (found != null) {
                return new Result(explored, schedules, cut, configuration, found, ways(system, branches));
            }
        }
        return new Result(explored, schedules, cut, null, null, ways(system, branches));
    }

    /** Tries schedules with at most one switch and no cut; two if they are few; then random ones, until a failure. */
    static List<ExplorationOutcome> explore(Exploration exploration, ExplorationLimits limits, long seed)
            throws FabricException, InterruptedException {
        List<ExplorationOutcome> outcomes =
                new ArrayList<>(List.of(exploration.exhaustiveWithoutCuts(1, MAX_SCHEDULES)));
        if (outcomes.getFirst().schedules() <= EXHAUSTIVE_SCHEDULES) {
            addUnlessWrong(outcomes, () -> exploration.exhaustive(2, MAX_SCHEDULES));
        }
        addUnlessWrong(
                outcomes,
                () -> exploration.random(seed, limits.breaks() + limits.failures() > 0 ? RANDOM_WITH_FAULTS : RANDOM));
        return outcomes;
    }

    private interface Search {
        ExplorationOutcome run() throws FabricException, InterruptedException;
    }

    private static void addUnlessWrong(List<ExplorationOutcome> outcomes, Search search)
            throws FabricException, InterruptedException {
        if (outcomes.getLast().counterexample() == null) {
            outcomes.add(search.run());
        }
    }

    private static List<Way> ways(DerivedSystem system, Branches branches) {
        Map<String, String> reasons = reasons(system);
        Set<Branches.Branch> taken = Set.copyOf(branches.taken());
        // The compiler may have copied a line, such as that of a finally block. Any copy counts.
        Map<String, Way> ways = new LinkedHashMap<>();
        for (Branches.Branch branch : branches.all()) {
            String name = branch.decision() + " -> " + branch.way();
            String reason = names(branch).stream()
                    .map(each -> reasons.getOrDefault(each, ""))
                    .filter(each -> !each.isEmpty())
                    .findFirst()
                    .orElse("");
            ways.put(
                    name + branch.line(),
                    new Way(branch.decision(), branch.line(), branch.way(), taken.contains(branch), reason));
        }
        return List.copyOf(ways.values());
    }

    /** Returns the names by which a list may have a branch: its own, its decision's and its method's. */
    static List<String> names(Branches.Branch branch) {
        return List.of(
                branch.decision() + " -> " + branch.way(),
                branch.decision() + " -> *",
                branch.type() + "." + branch.method() + " -> *");
    }

    /** Returns the listed reasons for a system's unreachable branches, by branch, decision or method. */
    static Map<String, String> reasons(DerivedSystem system) {
        Map<String, String> reasons = new LinkedHashMap<>();
        List<String> group = new ArrayList<>();
        boolean applies = false;
        for (String line : system.unreachable()) {
            if (line.startsWith("== ")) {
                applies = Set.of(line.substring(3).split(" ", -1)).contains(system.id());
            } else if (!line.startsWith(" ")) {
                group.add(line);
            } else {
                if (applies) {
                    group.forEach(way -> reasons.put(way, line.strip()));
                }
                group.clear();
            }
        }
        return reasons;
    }

    /** Returns branches as text, one line per decision. */
    public static List<String> lines(List<Way> ways) {
        return ways.stream()
                .collect(Collectors.groupingBy(
                        way -> way.line() + " " + way.decision(), LinkedHashMap::new, Collectors.toList()))
                .values()
                .stream()
                .map(same ->
                        same.getFirst().decision() + " (line " + same.getFirst().line() + "): "
                                + same.stream().map(Way::way).collect(Collectors.joining(", ")))
                .toList();
    }
}
