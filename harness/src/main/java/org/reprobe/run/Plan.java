package org.reprobe.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
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
import org.reprobe.fabric.Sampling;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.Scenario.PlannedCell;
import org.reprobe.scenario.ScenarioReader;
import org.reprobe.scenario.Settings;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;

/**
 * Everything that is to be run: each cell of each scenario, as often as it repeats.
 *
 * @param scenarios in the order given
 * @param units scenario by scenario, cell by cell, repeat by repeat: the order in which results are stored
 */
public record Plan(List<Scenario> scenarios, List<Unit> units) {

    public Plan {
        scenarios = List.copyOf(scenarios);
        units = List.copyOf(units);
    }

    /**
     * One run.
     *
     * @param index its place in the plan
     * @param table what it looks keys up in; null when it runs no lookups
     */
    public record Unit(
            int index,
            Scenario scenario,
            PlannedCell planned,
            int repeat,
            @Nullable TableSpec table,
            NicProfile nic) {

        // Rough speeds of one core: they weigh runs against each other, the clock does the rest.
        private static final double LINEAR_RECORDS_PER_S = 8e6;
        private static final double OTHER_RECORDS_PER_S = 2e6;
        private static final double LAID_OUT_BYTES_PER_S = 600e6;
        private static final double SIMULATED_LOOKUPS_PER_S = 4e6;
        private static final double SATURATED_LOOKUPS_PER_S = 35e6;
        private static final double IDLE_LOOKUP_S = 4e-6;
        private static final double PREDICTION_S = 0.03;
        private static final double PROTOCOL_OPERATION_S = 5e-6;
        private static final double SIMULATED_OPERATIONS_PER_S = 3e5;

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

        /** About how long its lookups take, in seconds of one core. */
        public double runSeconds() {
            Settings settings = settings();
            double lookingUpS =
                    (settings.measure().warmUpMs() + settings.measure().durationMs()) / 1e3;
            if (kind() == Kind.MEASURED) {
                return lookingUpS;
            }
            if (settings.scheme().isProtocol()) {
                double operations = lookingUpS * CellRun.clients(settings) / PROTOCOL_OPERATION_S;
                return operations / SIMULATED_OPERATIONS_PER_S
                        + settings.table().records() / OTHER_RECORDS_PER_S;
            }
            if (table == null) {
                return PREDICTION_S;
            }
            double asked = settings.load().lookupsPerSecond();
            if (asked > 0) {
                return lookingUpS * Math.min(asked, SATURATED_LOOKUPS_PER_S) / SIMULATED_LOOKUPS_PER_S;
            }
            int clients = CellRun.clients(settings);
            int sendQueue = Math.max(1, settings.connection().sendQueue());
            double lookupsPerS = Math.min(clients * (sendQueue / IDLE_LOOKUP_S), SATURATED_LOOKUPS_PER_S);
            // However short a run was asked to be, each client does whole rounds, and some before it is known to be
            // steady.
            double roundS = clients * (double) sendQueue / lookupsPerS;
            double warmUpS = Math.max(settings.measure().warmUpMs() / 1e3, Sampling.LEAST_PIECES * roundS);
            double intervalS = Math.max(settings.measure().durationMs() / 1e3, roundS);
            return (warmUpS + intervalS) * lookupsPerS / SIMULATED_LOOKUPS_PER_S;
        }

        /** About how long its table takes to build, in seconds of one core. */
        public double buildSeconds() {
            if (table == null) {
                return 0;
            }
            double placing =
                    table.records() / (table.kind() == TableKind.LINEAR ? LINEAR_RECORDS_PER_S : OTHER_RECORDS_PER_S);
            boolean laidOut = table.storage() == Storage.HEAP || table.recordBytes() != Long.BYTES;
            return placing + (laidOut ? table.records() * (double) table.recordBytes() / LAID_OUT_BYTES_PER_S : 0);
        }

        /** What the run's numbers will be. */
        public Kind kind() {
            return table == null && !settings().scheme().isProtocol()
                    ? Kind.PREDICTED
                    : settings().fabric().equals("sim") ? Kind.SIMULATED : Kind.MEASURED;
        }

        /** True when server and clients are processes of their own, which nothing else should run beside. */
        boolean isReal() {
            return kind() == Kind.MEASURED;
        }

        /** The table that this process must have; null when a server process has it or none is needed. */
        @Nullable
        TableSpec localTable() {
            return isReal() ? null : table;
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
    public static Plan of(List<Scenario> scenarios, Path nics) throws InvalidInputException {
        List<Problem> problems = new ArrayList<>();
        LinkedHashSet<String> names = new LinkedHashSet<>();
        LinkedHashSet<String> fabrics = new LinkedHashSet<>();
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
                String unavailable = Fabrics.unavailable(settings.fabric());
                if (unavailable != null && fabrics.add(settings.fabric())) {
                    problems.add(Problem.of(scenario.name(), unavailable));
                }
                boolean predict = settings.workload().operation() == Settings.Operation.PREDICT;
                int repeats = predict ? 1 : settings.measure().repeats(); // a formula gives the same every time
                for (int repeat = 0; repeat < repeats; repeat++) {
                    TableSpec table = predict || settings.scheme().isProtocol() ? null : settings.tableSpec(repeat);
                    units.add(new Unit(units.size(), scenario, planned, repeat, table, nic));
                }
            }
        }
        if (!problems.isEmpty()) {
            throw new InvalidInputException(problems);
        }
        return new Plan(scenarios, units);
    }

    /**
     * Why units can't be run, for those that never can with this much memory, by index. Tells without building anything.
     *
     * @param budgetBytes for tables, buffers and queues together
     */
    public Map<Integer, String> refusals(long budgetBytes) {
        Map<Integer, String> refusals = new LinkedHashMap<>();
        Map<TableSpec, String> ofTables = new HashMap<>(); // "" for one that can be built
        Function<Unit, UnitMemory> memory = UnitMemory.ofUnits();
        for (Unit unit : units) {
            TableSpec table = unit.table();
            String refusal = table == null ? "" : ofTables.computeIfAbsent(table, Plan::refusal);
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

    private static String refusal(TableSpec table) {
        try {
            TableBuilder.check(table);
            return "";
        } catch (TableRefusedException e) {
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
     * The order to run units in: those that share a table together, the costliest tables first, so that all workers
     * end at about the same time.
     */
    static List<List<Unit>> groups(List<Unit> units) {
        Map<Object, List<Unit>> groups = new LinkedHashMap<>();
        for (Unit unit : units) {
            // A unit without a table is a group of its own.
            TableSpec table = unit.table();
            groups.computeIfAbsent(table == null ? unit : table, _ -> new ArrayList<>())
                    .add(unit);
        }
        List<List<Unit>> sorted = new ArrayList<>(groups.values());
        sorted.sort(Comparator.comparingDouble((List<Unit> group) -> -seconds(group)));
        return sorted;
    }

    /** How many run at a time, of so many that may: what is measured in real time has the machine to itself. */
    public static int jobs(List<Unit> units, int most) {
        return units.stream().anyMatch(Unit::isReal) ? 1 : most;
    }

    /** How much of {@link #seconds} each of some units takes: those that share a table share what it costs. */
    public static ToDoubleFunction<Unit> shares(List<Unit> units) {
        Map<TableSpec, Integer> uses = new HashMap<>();
        for (Unit unit : units) {
            TableSpec table = unit.table();
            if (table != null) {
                uses.merge(table, 1, Integer::sum);
            }
        }
        return unit -> {
            TableSpec table = unit.table();
            return unit.runSeconds() + (table == null ? 0 : unit.buildSeconds() / uses.getOrDefault(table, 1));
        };
    }

    /** About how long some units take, in seconds of one core; each table is built once. */
    public static double seconds(List<Unit> units) {
        LinkedHashSet<TableSpec> built = new LinkedHashSet<>();
        double seconds = 0;
        for (Unit unit : units) {
            TableSpec table = unit.table();
            seconds += unit.runSeconds() + (table != null && built.add(table) ? unit.buildSeconds() : 0);
        }
        return seconds;
    }
}
