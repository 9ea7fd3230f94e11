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

/** Explores the configurations of a derived system, one after the other, and notes which branches its protocol took. */
public final class Survey {
    private static final long MAX_SCHEDULES = 1500;
    private static final long FEW = 60;
    private static final long RANDOM = 60;

    /** Of configurations with faults of several kinds, which meet rarely. */
    private static final long RANDOM_WITH_FAULTS = 200;

    private Survey() {}

    /**
     * What came of it.
     *
     * @param configurations how many were explored
     * @param schedules of all of them
     * @param cut schedules given up, not judged
     * @param wrong the configuration in which something goes wrong; the survey ends there
     * @param found what goes wrong; null when nothing does
     * @param branches in the order of the code
     */
    public record Result(
            long configurations,
            long schedules,
            long cut,
            @Nullable CheckedSystem wrong,
            @Nullable Counterexample found,
            List<Way> branches) {
        public Result {
            branches = List.copyOf(branches);
        }

        /** Ways that were taken. */
        public long taken() {
            return branches.stream().filter(Way::taken).count();
        }

        /** Ways that can be taken and were not. */
        public List<Way> missing() {
            return branches.stream()
                    .filter(way -> !way.taken() && way.unreachable().isEmpty())
                    .toList();
        }

        /** Ways that are known not to be taken by the usual configurations, and were not; nobody has shown that none can. */
        public List<Way> open() {
            return branches.stream().filter(way -> !way.taken() && way.isOpen()).toList();
        }

        /** Ways that were said to be unreachable, and were taken. */
        public List<Way> refuted() {
            return branches.stream()
                    .filter(way -> way.taken() && !way.unreachable().isEmpty() && !way.isOpen())
                    .toList();
        }
    }

    /**
     * One way out of a decision of the protocol.
     *
     * @param decision the class, the method and the line of source
     * @param way {@code yes}, {@code no} or a case
     * @param unreachable why no configuration can take it; empty if one can
     */
    public record Way(String decision, int line, String way, boolean taken, String unreachable) {

        /** Whether the reason is that nobody knows one. */
        public boolean isOpen() {
            return unreachable.startsWith("open");
        }
    }

    /**
     * Explores.
     *
     * @param max configurations
     * @param stopped is asked between schedules
     */
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

    /**
     * All schedules with one switch at most and no cut link, or two where those with one are few; then random ones; until something goes
     * wrong.
     */
    static List<ExplorationOutcome> explore(Exploration exploration, ExplorationLimits limits, long seed)
            throws FabricException, InterruptedException {
        List<ExplorationOutcome> outcomes =
                new ArrayList<>(List.of(exploration.exhaustiveWithoutCuts(1, MAX_SCHEDULES)));
        if (outcomes.getFirst().schedules() <= FEW) {
            addUnlessWrong(outcomes, () -> exploration.exhaustive(2, MAX_SCHEDULES));
        }
        addUnlessWrong(outcomes, () -> exploration.random(seed, limits.breaks() > 0 ? RANDOM_WITH_FAULTS : RANDOM));
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
        // The compiler may have made several copies of a line, such as of a finally block: any will do.
        Map<String, Way> ways = new LinkedHashMap<>();
        for (Branches.Branch branch : branches.all()) {
            String name = branch.decision() + " -> " + branch.way();
            String reason = reasons.getOrDefault(
                    name,
                    reasons.getOrDefault(
                            branch.decision() + " -> *",
                            reasons.getOrDefault(branch.type() + "." + branch.method() + " -> *", "")));
            ways.put(
                    name + branch.line(),
                    new Way(branch.decision(), branch.line(), branch.way(), taken.contains(branch), reason));
        }
        return List.copyOf(ways.values());
    }

    /** By way, decision or method: why it can't be taken in a system. */
    private static Map<String, String> reasons(DerivedSystem system) {
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

    /** Those ways as lines for people, a line a decision. */
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
