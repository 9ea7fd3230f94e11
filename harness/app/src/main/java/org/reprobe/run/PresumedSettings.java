package org.reprobe.run;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.Scenario.PlannedCell;
import org.reprobe.scenario.ScenarioKeys;
import org.reprobe.system.Settings;
import org.reprobe.workload.Distribution;

/**
 * The settings that claims on a scenario presume: those of the scenario that the program comes with, at any of its scales. All
 * are presumed but those that make a run longer, larger or repeatable (seed, repeats, warm-up, duration, room for new records,
 * hosts); of records there may be more. What goes wrong is presumed, too. The fabric is presumed of rates and latencies alone, and there any network card, real
 * or simulated, will do.
 */
final class PresumedSettings {
    private static final Set<String> OF_THIS_MACHINE = Set.of("shm", "tcp");
    private static final double KEYS_PER_RECORD_TOLERANCE = 0.01;

    /** Keys of which there is a rule of their own. */
    private static final Set<String> OTHERWISE = Set.of("fabric", "table.records", "table.keys-per-record");

    private final List<PlannedCell> cells = new ArrayList<>();

    /** @param scales the shipped scenario, once a scale */
    PresumedSettings(List<Scenario> scales) {
        scales.forEach(scenario -> cells.addAll(scenario.cells()));
    }

    /**
     * How a cell's settings differ.
     *
     * @param anyTime those that matter whatever is compared
     * @param ofTime those that matter for rates and latencies only
     */
    record Differences(List<String> anyTime, List<String> ofTime) {}

    /** True when the fabric has no network card. */
    static boolean isOfThisMachine(String fabric) {
        return OF_THIS_MACHINE.contains(fabric);
    }

    Differences of(PlannedCell run) {
        List<PlannedCell> same =
                cells.stream().filter(cell -> sameCell(cell.cell(), run.cell())).toList();
        // A cell that the shipped scenario does not have: what its other cells agree in is presumed all the same.
        List<PlannedCell> alike = same.isEmpty() ? cells : same;
        List<Settings> presumed = alike.stream().map(PlannedCell::settings).toList();
        Settings settings = run.settings();
        List<String> differences = new ArrayList<>();
        run.values().forEach((key, here) -> {
            List<Object> there = alike.stream()
                    .map(cell -> value(cell, key))
                    .filter(Objects::nonNull)
                    .distinct()
                    .toList();
            boolean counts = ScenarioKeys.identifies(key) && !OTHERWISE.contains(key) && !there.isEmpty();
            if (counts && there.stream().noneMatch(value -> Cell.equalValues(value, value(run, key)))) {
                differences.add(key + " " + here + " instead of " + words(there));
            }
        });
        long records = settings.table().records();
        long fewest = presumed.stream()
                .mapToLong(each -> each.table().records())
                .min()
                .orElse(0);
        if (records < fewest) {
            differences.add("table.records " + records + " instead of at least " + fewest);
        }
        if (presumed.stream().noneMatch(each -> sameShareOfDuplicates(each, settings))) {
            differences.add("other table.keys-per-record");
        }
        if (presumed.stream().noneMatch(each -> each.faults().equals(settings.faults()))) {
            differences.add(settings.faults().isEmpty() ? "no faults" : "faults");
        }
        boolean card = presumed.stream().anyMatch(each -> !isOfThisMachine(each.fabric()));
        boolean sameFabric = presumed.stream().anyMatch(each -> each.fabric().equals(settings.fabric()));
        List<String> ofTime = sameFabric || (card && !isOfThisMachine(settings.fabric()))
                ? List.of()
                : List.of("fabric " + settings.fabric() + " instead of "
                        + words(presumed.stream()
                                .map(each -> (Object) each.fabric())
                                .distinct()
                                .toList()));
        return new Differences(List.copyOf(differences), ofTime);
    }

    /** A key's value in a cell; null where the cell's scheme does not read it. The skew counts of skewed keys alone. */
    private static @Nullable Object value(PlannedCell cell, String key) {
        boolean skewed = cell.settings().workload().keys() == Distribution.ZIPF;
        return key.equals("workload.theta") && !skewed
                ? Double.valueOf(0)
                : cell.values().get(key);
    }

    private static String words(List<Object> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(" or "));
    }

    private static boolean sameCell(Cell left, Cell right) {
        return left.values().size() == right.values().size() && left.matches(right.values());
    }

    private static boolean sameShareOfDuplicates(Settings left, Settings right) {
        double ratio = keysPerRecord(left) / keysPerRecord(right);
        return left.keySpace() == right.keySpace() || Math.abs(ratio - 1) < KEYS_PER_RECORD_TOLERANCE;
    }

    private static double keysPerRecord(Settings settings) {
        return (double) settings.keySpace() / settings.table().records();
    }
}
