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
 * Settings that claims on a scenario assume: those of the shipped scenario, at any of its scales. All settings are
 * assumed except those that make a run longer, larger or repeatable (seed, repeats, warm-up, duration, capacity for new
 * records, hosts); larger tables are allowed. Faults are assumed, too. The fabric is assumed for rates and latencies
 * only, where any network card, real or simulated, is allowed.
 */
final class PresumedSettings {
    private static final Set<String> OF_THIS_MACHINE = Set.of("shm", "tcp");
    private static final double KEYS_PER_RECORD_TOLERANCE = 0.01;

    /** Keys with separate rules. */
    private static final Set<String> OTHERWISE = Set.of("fabric", "table.records", "table.keys-per-record");

    private final List<PlannedCell> cells = new ArrayList<>();

    /** @param scales the shipped scenario at each scale */
    PresumedSettings(List<Scenario> scales) {
        scales.forEach(scenario -> cells.addAll(scenario.cells()));
    }

    /** Differences that matter for all quantities, and those that matter for rates and latencies only. */
    record Differences(List<String> anyTime, List<String> ofTime) {}

    static boolean isOfThisMachine(String fabric) {
        return OF_THIS_MACHINE.contains(fabric);
    }

    Differences of(PlannedCell run) {
        List<PlannedCell> same =
                cells.stream().filter(cell -> sameCell(cell.cell(), run.cell())).toList();
        // For a cell that the shipped scenario does not have, the settings common to its other cells are assumed.
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

    /** Returns a key's value; null if the cell's scheme does not read it. Skew counts for skewed keys only. */
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
