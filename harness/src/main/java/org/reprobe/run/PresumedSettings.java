package org.reprobe.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.reprobe.analysis.measurement.Cell;
import org.reprobe.scenario.Scenario;
import org.reprobe.scenario.Scenario.PlannedCell;
import org.reprobe.scenario.Settings;
import org.reprobe.workload.Distribution;

/**
 * The settings that claims on a scenario presume: those of the scenario that the program comes with, at any of its scales. All
 * are presumed but those that make a run longer, larger or repeatable (seed, repeats, warm-up, duration, room for new records,
 * hosts); of records there may be more. The fabric is presumed of rates and latencies alone, and there any network card, real
 * or simulated, will do.
 */
final class PresumedSettings {
    private static final Set<String> OF_THIS_MACHINE = Set.of("shm", "tcp");
    private static final double KEYS_PER_RECORD_TOLERANCE = 0.01;

    private static final Map<String, Function<Settings, Object>> PRESUMED = presumed();

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
        List<Settings> presumed = (same.isEmpty() ? cells : same)
                .stream().map(PlannedCell::settings).toList();
        Settings settings = run.settings();
        List<String> differences = new ArrayList<>();
        PRESUMED.forEach((name, value) -> {
            Object here = value.apply(settings);
            List<Object> there = presumed.stream().map(value).distinct().toList();
            if (!there.contains(here)) {
                differences.add(name + " " + here + " instead of " + words(there));
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
        if (presumed.stream().noneMatch(each -> sameShareOfDuplicates(each.table(), settings.table()))) {
            differences.add("other table.keys-per-record");
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

    private static String words(List<Object> values) {
        return values.stream().map(String::valueOf).collect(Collectors.joining(" or "));
    }

    private static boolean sameCell(Cell left, Cell right) {
        return left.values().size() == right.values().size() && left.matches(right.values());
    }

    private static boolean sameShareOfDuplicates(Settings.Table left, Settings.Table right) {
        double ratio = (double) left.keySpace() / left.records() / ((double) right.keySpace() / right.records());
        return left.keySpace() == right.keySpace() || Math.abs(ratio - 1) < KEYS_PER_RECORD_TOLERANCE;
    }

    private static Map<String, Function<Settings, Object>> presumed() {
        Map<String, Function<Settings, Object>> all = new LinkedHashMap<>();
        all.put("nic", Settings::nic);
        all.put("scheme", settings -> settings.scheme().key());
        all.put("load-factor", Settings::loadFactor);
        all.put(
                "assumed-load-factor",
                settings ->
                        orDefault(settings.assumedLoadFactor().stream().boxed().findAny()));
        all.put("read-bytes", Settings::readBytes);
        all.put(
                "read-slots",
                settings -> orDefault(settings.readSlots().stream().boxed().findAny()));
        all.put("clients.machines", settings -> settings.clients().machines());
        all.put("clients.threads", settings -> settings.clients().threads());
        all.put(
                "connection.send-queue",
                settings -> settings.connection().sendQueue() == 0
                        ? "latency"
                        : settings.connection().sendQueue());
        all.put(
                "connection.outstanding-reads",
                settings -> settings.connection().outstandingReads());
        all.put("load.rate-per-s", settings -> settings.load().lookupsPerSecond());
        all.put("table.record-bytes", settings -> settings.table().recordBytes());
        all.put("table.key-bytes", settings -> settings.table().keyBytes());
        all.put("table.storage", settings -> word(settings.table().storage()));
        all.put("table.associativity", settings -> settings.table().associativity());
        all.put("table.hashes", settings -> settings.table().hashes());
        all.put("table.neighbourhood", settings -> settings.table().neighbourhood());
        all.put("workload.operation", settings -> word(settings.workload().operation()));
        all.put("workload.keys", settings -> word(settings.workload().keys()));
        all.put(
                "workload.theta",
                settings -> settings.workload().keys() == Distribution.ZIPF
                        ? settings.workload().theta()
                        : 0.0);
        all.put("workload.writes", settings -> settings.workload().writes());
        all.put(
                "model.tail-cutoff",
                settings -> settings.model().tailCutoff().exact()
                        ? "exact"
                        : settings.model().tailCutoff().cutoff());
        all.put("model.homes", settings -> word(settings.model().homes()));
        all.put(
                "model.hint-distance",
                settings -> orDefault(
                        settings.model().hintDistance().stream().boxed().findAny()));
        all.put("model.hint-slots", settings -> settings.model().hintSlots());
        all.put("clusters.track", settings -> settings.clusters().track());
        all.put("clusters.count", settings -> settings.clusters().count());
        all.put("nessie.rules", settings -> word(settings.protocol().rules()));
        all.put("nessie.new-keys", settings -> settings.protocol().newKeys());
        all.put("nessie.always-possible", settings -> settings.protocol().alwaysPossible());
        all.put("nessie.independent-places", settings -> settings.protocol().independentPlaces());
        all.put("nessie.back-off-ns", settings -> settings.protocol().backOffNs());
        all.put("nessie.growth", settings -> settings.protocol().growth());
        all.put("pilaf.free-items", settings -> settings.protocol().pilafFreeItems());
        all.put("find-or-put.chunk-buckets", settings -> settings.protocol().chunkBuckets());
        all.put("find-or-put.chunks", settings -> settings.protocol().chunks());
        all.put("find-or-put.active", settings -> settings.protocol().active());
        all.put("verb.kind", settings -> word(settings.protocol().verb()));
        all.put("verb.bytes", settings -> settings.protocol().verbBytes());
        return all;
    }

    private static Object orDefault(Optional<?> value) {
        return value.isPresent() ? value.get() : "default";
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
