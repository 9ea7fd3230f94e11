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
import org.reprobe.analysis.nic.SampledProfiles;
import org.reprobe.doctor.Cores;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.Scenario.PlannedCell;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.system.Content;
import org.reprobe.system.Deployment;
import org.reprobe.system.PredictedRun;
import org.reprobe.system.RefusedException;
import org.reprobe.system.Run;
import org.reprobe.system.Settings;
import org.reprobe.system.SharedContent;
import org.reprobe.system.SystemUnderTest;
import org.reprobe.system.Systems;
import org.reprobe.system.program.ExternalProgram;

/** All runs: each cell of each scenario, as often as it repeats, in the order in which results are stored. */
public record RunPlan(List<Scenario> scenarios, List<Unit> units) {

    public RunPlan {
        scenarios = List.copyOf(scenarios);
        units = List.copyOf(units);
    }

    /**
     * One run; server and client processes may have their own instances of a deployment. Runs by profiles drawn from
     * the ranges of a card's constants follow the cell's repeats, with choices as in the first repeat.
     */
    public record Unit(int index, Scenario scenario, PlannedCell planned, int repeat, NicProfile nic, Run run) {

        /** Returns true for a run by a drawn profile. */
        public boolean isDrawn() {
            return repeat >= settings().measure().repeats();
        }

        public Deployment deployment() {
            return (Deployment) run;
        }

        /** Returns true if the run's servers are on the clients' machines. */
        public boolean clientsServe() {
            return run instanceof Deployment deployment && deployment.clientsServe();
        }

        public @Nullable Content content() {
            return SharedContent.of(run);
        }

        /** Returns the run's name for display: {@code figure-07 linear-variable,load-factor=0.65}. */
        public String name() {
            return scenario.name() + " " + planned.cell().label();
        }

        public Settings settings() {
            return planned.settings();
        }

        /** Returns the seed of the run's choices, from the scenario's seed, the cell and the repeat only. */
        public long runSeed() {
            long seed = settings().seed() * 0x9E3779B97F4A7C15L
                    + planned.cell().label().hashCode() * 0xBF58476D1CE4E5B9L
                    + (isDrawn() ? 0 : repeat);
            seed = (seed ^ seed >>> 30) * 0xBF58476D1CE4E5B9L;
            seed = (seed ^ seed >>> 27) * 0x94D049BB133111EBL;
            return seed ^ seed >>> 31;
        }

        /** Returns the estimated time in seconds on one core, without {@link #buildSeconds}. */
        public double runSeconds() {
            Settings.Measure measure = settings().measure();
            return kind() == Kind.MEASURED
                    ? (measure.warmUpMs() + measure.durationMs()) / 1e3
                    : run.simulationSeconds();
        }

        /** Returns the estimated time to build its shared content, in seconds on one core. */
        public double buildSeconds() {
            Content content = content();
            return content == null ? 0 : content.buildSeconds();
        }

        public Kind kind() {
            return run instanceof PredictedRun ? Kind.PREDICTED : settings().isReal() ? Kind.MEASURED : Kind.SIMULATED;
        }

        /** Returns true if server and clients are processes, beside which nothing else should run. */
        boolean isReal() {
            return kind() == Kind.MEASURED;
        }

        /** Returns the content that this process must build; null if a server process has it or none is needed. */
        @Nullable
        Content localContent() {
            return isReal() ? null : content();
        }

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

    /** Plans the runs of some scenarios; fails if two share a name or a NIC profile is invalid. */
    public static RunPlan of(List<Scenario> scenarios, Path nics) throws InvalidInputException {
        List<Problem> problems = new ArrayList<>();
        LinkedHashSet<String> names = new LinkedHashSet<>();
        Map<String, NicProfile> profiles = new HashMap<>();
        Map<List<Object>, List<NicProfile>> drawn = new HashMap<>();
        List<Unit> units = new ArrayList<>();
        long runs = scenarios.stream()
                .flatMap(scenario -> scenario.cells().stream())
                .map(cell -> cell.settings().measure())
                .mapToLong(measure -> measure.repeats() + measure.drawnProfiles())
                .sum();
        if (runs > ScenarioReader.MAX_RUNS) {
            throw new InvalidInputException(
                    scenarios.size() + " scenarios",
                    "make %d runs in total; at most %d are allowed".formatted(runs, ScenarioReader.MAX_RUNS));
        }
        for (Scenario scenario : scenarios) {
            if (!names.add(scenario.name())) {
                problems.add(Problem.of(
                        scenario.name(),
                        "two scenarios have this name: rename one of the files, results are stored by name"));
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
                // A formula is deterministic.
                int repeats =
                        first instanceof PredictedRun ? 1 : settings.measure().repeats();
                for (int repeat = 0; repeat < repeats; repeat++) {
                    Run run = repeat == 0 ? first : system.deployment(settings, nic, repeat);
                    units.add(new Unit(units.size(), scenario, planned, repeat, nic, run));
                }
                int count = settings.measure().drawnProfiles();
                NicProfile of = nic;
                List<NicProfile> ofCell = drawn.computeIfAbsent(
                        List.of(settings.nic(), count, settings.seed()),
                        _ -> SampledProfiles.of(of, count, settings.seed()));
                for (int i = 0; i < count; i++) {
                    NicProfile other = ofCell.get(i);
                    Run run = system.deployment(settings, other, 0);
                    int repeat = settings.measure().repeats() + i;
                    units.add(new Unit(units.size(), scenario, planned, repeat, other, run));
                }
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return new RunPlan(scenarios, units);
    }

    /** Returns this host's missing requirements by scenario, for scenarios that it can't run. */
    public Map<String, String> lacking(boolean inSlurmJob) {
        Map<String, String> lacking = new LinkedHashMap<>();
        for (Scenario scenario : scenarios) {
            for (PlannedCell planned : scenario.cells()) {
                Settings settings = planned.settings();
                if (Systems.of(settings.scheme()) instanceof ExternalProgram program) {
                    program.missingRequirement(settings)
                            .ifPresent(missing -> lacking.putIfAbsent(scenario.name(), missing));
                }
                String unpinnable =
                        settings.isReal() && settings.hosts().arePinned() ? Cores.problem(settings.hosts()) : null;
                if (unpinnable != null) {
                    lacking.putIfAbsent(scenario.name(), unpinnable);
                }
                if (!inSlurmJob && settings.hosts().areSlurms()) {
                    lacking.putIfAbsent(
                            scenario.name(),
                            "hosts: slurm needs a Slurm job: run it by salloc or sbatch," + " or add --on slurm");
                }
            }
        }
        return lacking;
    }

    /** Returns the reasons, by index, why units can never run with this much memory. Builds nothing. */
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
                } catch (RuntimeException e) { // overflows and impossible tables
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

    /** Returns the memory of a unit's run in bytes: its table while it is built, buffers, queues; 0 if unknown. */
    public static ToLongFunction<Unit> memoryBytes() {
        Function<Unit, UnitMemory> memory = UnitMemory.ofUnits();
        return unit -> {
            try {
                return memory.apply(unit).bytes();
            } catch (RuntimeException e) {
                return 0; // the run is refused
            }
        };
    }

    /**
     * Returns the order of execution: units that share a table together; one repeat of every cell first, so that a
     * sweep shows its shape early; the costliest tables of a repeat first, so that all workers end at about the same
     * time.
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

    /** Returns the number of concurrent runs, at most {@code max}: a run in real time has the machine to itself. */
    public static int jobs(List<Unit> units, int max) {
        return units.stream().anyMatch(Unit::isReal) ? 1 : max;
    }

    /** Returns each unit's share of {@link #seconds}: units with shared content share its cost. */
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

    /** Returns the estimated time of some units in seconds on one core; each table is built once. */
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
