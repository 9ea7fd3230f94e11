package org.reprobe.remote;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.reprobe.system.CellCheck;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.NamedWorkloads;
import org.reprobe.system.Settings;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.NamedWorkload;

/** Common keys and checks of systems whose clients perform one operation at a time. */
public final class RemoteSystems {
    private static final Set<String> KEY_VALUE = Set.of(
            "load-factor",
            "table.records",
            "table.record-bytes",
            "workload.keys",
            "workload.theta",
            "workload.writes",
            NamedWorkloads.KEY);

    public static final Map<String, String> ONE_AT_A_TIME = Map.of(
            "load.rate-per-s", "its clients perform one operation at a time; use another number of clients",
            "connection.send-queue", "its clients perform one operation at a time; use another number of clients",
            "connection.outstanding-reads", "its clients perform one operation at a time");

    private static final long MAX_ITEMS = 1 << 29;
    private static final long MAX_SLOTS = 1L << 40;

    private RemoteSystems() {}

    /** Returns the keys that a system with key-value clients reads, including its own section. */
    public static Set<String> keyValue(String section) {
        Set<String> keys = new HashSet<>(KEY_VALUE);
        keys.add(section);
        keys.addAll(FaultKeys.READ);
        return keys;
    }

    /**
     * Checks that records have room for a value, and that systems support the number of items and slots after growth by
     * at most the factor {@code growth}. {@code freeItems} is the key of the initially free items.
     */
    public static void check(CellCheck cell, long items, String freeItems, long growth) {
        Settings settings = cell.settings();
        checkKeys(cell);
        FaultKeys.check(cell);
        if (settings.table().recordBytes() < 2 * Long.BYTES) {
            cell.reportProblem(
                    "record-bytes is %d, but a record of %s has a key of 8 bytes and a value of 8 at least"
                            .formatted(settings.table().recordBytes(), settings.scheme()),
                    "table.record-bytes",
                    "scheme");
        }
        checkSlots(cell, growth);
        if (items > MAX_ITEMS) {
            cell.reportProblem(
                    "%d items: %s takes at most %d, of records and of %s"
                            .formatted(
                                    items,
                                    settings.scheme(),
                                    MAX_ITEMS,
                                    freeItems.substring(freeItems.indexOf('.') + 1)),
                    "table.records",
                    freeItems);
        }
    }

    /** Reports that {@code keys: distinct} has no effect, since 8-byte keys are always distinct. */
    public static void checkKeys(CellCheck cell) {
        if (cell.settings().workload().keys() == Distribution.DISTINCT) {
            cell.reportNoEffect(
                    "workload.keys",
                    "keys of " + cell.settings().scheme() + " are distinct in any case; use uniform or zipf");
        }
    }

    /** Checks the number of slots of a nearly empty table, before it overflows. */
    public static void checkSlots(CellCheck cell, long growth) {
        Settings settings = cell.settings();
        double slots = settings.table().records() / settings.loadFactor() * Math.max(1, growth);
        if (slots > MAX_SLOTS) {
            cell.reportProblem(
                    "%d records at load factor %s need %.3g slots, but %s takes at most %d"
                            .formatted(
                                    settings.table().records(),
                                    settings.loadFactor(),
                                    slots,
                                    settings.scheme(),
                                    MAX_SLOTS),
                    "load-factor",
                    "table.records");
        }
    }

    /** Checks a named workload. It overrides the key {@code newKeys}; workloads with scans are refused. */
    public static void checkNamed(CellCheck cell, String newKeys) {
        NamedWorkload name = cell.settings().workload().name();
        if (name != NamedWorkload.OWN) {
            cell.reportNoEffect(newKeys, name.key() + " determines itself whether writes use new keys");
        }
        NamedWorkloads.check(cell, EnumSet.allOf(NamedWorkload.Writes.class), Map.of());
    }

    /** Checks that the card has atomics. */
    public static void checkAtomics(CellCheck cell) {
        if (!cell.settings().isReal() && cell.nic() != null && !cell.nic().hasAtomics()) {
            cell.reportProblem(
                    cell.settings().scheme() + " needs atomics, which "
                            + cell.settings().nic() + " does not have",
                    "nic",
                    "scheme");
        }
    }
}
