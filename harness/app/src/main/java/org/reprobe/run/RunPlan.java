package org.reprobe.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.InvalidInputException;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.measurement.Kind;
import org.reprobe.analysis.measurement.Measurement;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.analysis.nic.NicProfiles;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.Scenario.PlannedCell;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.Content;
import org.reprobe.system.Deployment;
import org.reprobe.system.ExternalProgram;
import org.reprobe.system.PredictedRun;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Run;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Systems;

/**
 * Everything that is to be run: each cell of each scenario, as often as it repeats.
 *
 * @param scenarios in the order given
 * @param units scenario by scenario, cell by cell, repeat by repeat: the order in which results are stored
 */
public record RunPlan(List<Scenario> scenarios, List<Unit> units) {

    public RunPlan {
        scenarios = List.copyOf(scenarios);
        units = List.copyOf(units);
    }

    /**
     * One run.
     *
     * @param index its place in the plan
     * @param run what is run; a deployment's server half and client half may be other processes' own
     */
    public record Unit(int index, Scenario scenario, PlannedCell planned, int repeat, NicProfile nic, Run run) {

        /** Returns the run, which is deployed on a fabric. */
        public Deployment deployment() {
            return (Deployment) run;
        }

        /** Returns true when the run's server is on the clients' machines. */
        public boolean clientsServe() {
            return run instanceof Deployment deployment && deployment.clientsServe();
        }

        /** What the run shares with others; null for nothing. */
        public @Nullable Content content() {
            return SharedContent.of(run);
        }

        /** For people: {@code figure-07 linear-variable,load-factor=0.65}. */
        public String name() {
            return scenario.name() + " " + planned.cell().label();
        }

        public Settings settings() {
            return planned.settings();
        }

        /** The seed of the run's own choices: a function of the scenario's seed, the cell and the repeat alone. */
        public long runSeed() {
            long seed = settings().seed() * 0x9E3779B97F4A7C15L
                    + planned.cell().label().hashCode() * 0xBF58476D1CE4E5B9L
                    + repeat;
            seed = (seed ^ seed >>> 30) * 0xBF58476D1CE4E5B9L;
            seed = (seed ^ seed >>> 27) * 0x94D049BB133111EBL;
            return seed ^ seed >>> 31;
        }

        /** About how long it takes, in seconds of one core, without {@link #buildSeconds}. */
        public double runSeconds() {
            Settings.Measure measure = settings().measure();
            return kind() == Kind.MEASURED
                    ? (measure.warmUpMs() + measure.durationMs()) / 1e3
                    : run.simulationSeconds();
        }

        /** About how long what it shares with others takes to build, in seconds of one core. */
        public double buildSeconds() {
            Content content = content();
            return content == null ? 0 : content.buildSeconds();
        }

        /** What the run's numbers will be. */
        public Kind kind() {
            return run instanceof PredictedRun ? Kind.PREDICTED : settings().isReal() ? Kind.MEASURED : Kind.SIMULATED;
        }

        /** True when server and clients are processes of their own, which nothing else should run beside. */
        boolean isReal() {
            return kind() == Kind.MEASURED;
        }

        /** The content that this process must have; null when a server process has it or none is needed. */
        @Nullable
        Content localContent() {
            return isReal() ? null : content();
        }

        /** The measurement of a run that found nothing. */
        public Measurement failed(String problem) {
            return new Measurement(
                    scenario.name(),
                    planned.cell(),
                    repeat,
                    settings().seed(),
                    settings().fabric(),
                    kind(),
                    false,
                    problem,
                    Map.of());
        }
    }

    /**
     * Plans the runs of some scenarios.
     *
     * @param nics the folder of NIC profiles
     * @throws InvalidInputException when two scenarios share a name or a NIC profile can't be used
     */
    public static RunPlan of(List<Scenario> scenarios, Path nics) throws InvalidInputException {
        List<Problem> problems = new ArrayList<>();
        LinkedHashSet<String> names = new LinkedHashSet<>();
        Map<String, NicProfile> profiles = new HashMap<>();
        List<Unit> units = new ArrayList<>();
        long runs = scenarios.stream()
                .flatMap(scenario -> scenario.cells().stream())
                .mapToLong(cell -> cell.settings().measure().repeats())
                .sum();
        if (runs > ScenarioReader.MAX_RUNS) {
            throw new InvalidInputException(Problem.of(
                    scenarios.size() + " scenarios",
                    "make %d runs together; at most %d are allowed".formatted(runs, ScenarioReader.MAX_RUNS)));
        }
        for (Scenario scenario : scenarios) {
            if (!names.add(scenario.name())) {
                problems.add(Problem.of(
                        scenario.name(),
                        "two scenarios have this name; rename one of the files, since results are kept by name"));
            }
            for (PlannedCell planned : scenario.cells()) {
                Settings settings = planned.settings();
                NicProfile nic = profiles.get(settings.nic());
                if (nic == null) {
                    nic = NicProfiles.load(nics, settings.nic());
                    profiles.put(settings.nic(), nic);
                }
                SystemUnderTest system = Systems.of(settings.scheme());
                Run first = system.deployment(settings, nic, 0);
                // A formula gives the same every time.
                int repeats =
                        first instanceof PredictedRun ? 1 : settings.measure().repeats();
                for (int repeat = 0; repeat < repeats; repeat++) {
                    Run run = repeat == 0 ? first : system.deployment(settings, nic, repeat);
                    units.add(new Unit(units.size(), scenario, planned, repeat, nic, run));
                }
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return new RunPlan(scenarios, units);
    }

    /**
     * What this host lacks to run scenarios, by their names: those that it can run are not among them.
     *
     * @param inSlurmJob whether they run in a Slurm job, or will
     */
    public Map<String, String> lacking(boolean inSlurmJob) {
        Map<String, String> lacking = new LinkedHashMap<>();
        for (Scenario scenario : scenarios) {
            for (PlannedCell planned : scenario.cells()) {
                Settings settings = planned.settings();
                if (Systems.of(settings.scheme()) instanceof ExternalProgram program) {
                    program.missingRequirement(settings)
                            .ifPresent(missing -> lacking.putIfAbsent(scenario.name(), missing));
                }
                if (!inSlurmJob && settings.hosts().areSlurms()) {
                    lacking.putIfAbsent(
                            scenario.name(),
                            "hosts: slurm are the nodes of a Slurm job, and this is in none: run it by salloc or sbatch,"
                                    + " or add --on slurm");
                }
            }
        }
        return lacking;
    }

    /**
     * Why units can't be run, for those that never can with this much memory, by index. Tells without building anything.
     *
     * @param budgetBytes for tables, buffers and queues together
     */
    public Map<Integer, String> refusals(long budgetBytes) {
        Map<Integer, String> refusals = new LinkedHashMap<>();
        Map<Content, String> ofContents = new HashMap<>(); // "" for one that can be built
        Function<Unit, UnitMemory> memory = UnitMemory.ofUnits();
        for (Unit unit : units) {
            Content content = unit.content();
            String refusal = content == null ? "" : ofContents.computeIfAbsent(content, RunPlan::refusal);
            if (refusal.isEmpty()) {
                try {
                    refusal = memory.apply(unit).refusal(budgetBytes);
                } catch (RuntimeException e) { // numbers that overflow, or that no table can have
                    refusal = String.valueOf(e.getMessage());
                }
            }
            if (refusal != null) {
                refusals.put(unit.index(), refusal);
            }
        }
        return refusals;
    }

    private static String refusal(Content content) {
        try {
            content.check();
            return "";
        } catch (RefusedException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /** What a unit's run takes: its table while it is built, buffers, queues. In bytes; 0 where that can't be told. */
    public static ToLongFunction<Unit> memoryBytes() {
        Function<Unit, UnitMemory> memory = UnitMemory.ofUnits();
        return unit -> {
            try {
                return memory.apply(unit).bytes();
            } catch (RuntimeException e) {
                return 0; // it is refused
            }
        };
    }

    /**
     * The order to run units in: those that share a table together; one repeat of every cell first, so that a sweep shows its shape
     * early; the costliest tables of a repeat first, so that all workers end at about the same time.
     */
    static List<List<Unit>> groups(List<Unit> units) {
        Map<Object, List<Unit>> groups = new LinkedHashMap<>();
        for (Unit unit : units) {
            // A unit that shares nothing is a group of its own.
            Content content = unit.content();
            groups.computeIfAbsent(content == null ? unit.index() : content, _ -> new ArrayList<>())
                    .add(unit);
        }
        List<List<Unit>> sorted = new ArrayList<>(groups.values());
        sorted.sort(Comparator.comparingInt((List<Unit> group) ->
                        group.stream().mapToInt(Unit::repeat).min().orElse(0))
                .thenComparingDouble(group -> -seconds(group)));
        return sorted;
    }

    /** How many run at a time, of so many that may: what is measured in real time has the machine to itself. */
    public static int jobs(List<Unit> units, int max) {
        return units.stream().anyMatch(Unit::isReal) ? 1 : max;
    }

    /** How much of {@link #seconds} each of some units takes: those that share content share what it costs. */
    public static ToDoubleFunction<Unit> shares(List<Unit> units) {
        Map<Content, Integer> uses = new HashMap<>();
        for (Unit unit : units) {
            Content content = unit.content();
            if (content != null) {
                uses.merge(content, 1, Integer::sum);
            }
        }
        return unit -> {
            Content content = unit.content();
            return unit.runSeconds() + (content == null ? 0 : unit.buildSeconds() / uses.getOrDefault(content, 1));
        };
    }

    /** About how long some units take, in seconds of one core; each table is built once. */
    public static double seconds(List<Unit> units) {
        Set<Content> built = new HashSet<>();
        double seconds = 0;
        for (Unit unit : units) {
            Content content = unit.content();
            seconds += unit.runSeconds() + (content != null && built.add(content) ? unit.buildSeconds() : 0);
        }
        return seconds;
    }
}
