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

/** What the systems whose clients do one operation after the other have in common: keys that they read, checks. */
public final class RemoteSystems {
    /** Common keys that those read whose clients read and write values by keys. */
    private static final Set<String> KEY_VALUE = Set.of(
            "load-factor",
            "table.records",
            "table.record-bytes",
            "workload.keys",
            "workload.theta",
            "workload.writes",
            NamedWorkloads.KEY);

    /** What to use instead of keys that are about many operations in flight. */
    public static final Map<String, String> ONE_AT_A_TIME = Map.of(
            "load.rate-per-s", "its clients do one operation after the other; use another number of clients",
            "connection.send-queue", "its clients do one operation after the other; use another number of clients",
            "connection.outstanding-reads", "its clients do one operation after the other");

    private static final long MAX_ITEMS = 1 << 29;
    private static final long MAX_SLOTS = 1L << 40;

    private RemoteSystems() {}

    /** The keys that a system reads whose clients read and write values by keys, its own section among them. */
    public static Set<String> keyValue(String section) {
        Set<String> keys = new HashSet<>(KEY_VALUE);
        keys.add(section);
        keys.addAll(FaultKeys.READ);
        return keys;
    }

    /**
     * Complains of records without a value and of more items or slots than any memory has.
     *
     * @param items in all
     * @param freeItems the key that says how many of them are free at first
     * @param growth how many times as large the table may become
     */
    public static void check(CellCheck cell, long items, String freeItems, long growth) {
        Settings settings = cell.settings();
        checkKeys(cell);
        FaultKeys.check(cell);
        if (settings.table().recordBytes() < 2 * Long.BYTES) {
            cell.complain(
                    "record-bytes is %d, but a record of %s has a key of 8 bytes and a value of 8 at least"
                            .formatted(settings.table().recordBytes(), settings.scheme()),
                    "table.record-bytes",
                    "scheme");
        }
        checkSlots(cell, growth);
        if (items > MAX_ITEMS) {
            cell.complain(
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

    /** Says of {@code keys: distinct} that it changes nothing: keys of 8 bytes never come twice. */
    public static void checkKeys(CellCheck cell) {
        if (cell.settings().workload().keys() == Distribution.DISTINCT) {
            cell.hasNoEffect(
                    "workload.keys",
                    "keys of " + cell.settings().scheme() + " are distinct in any case; use uniform or zipf");
        }
    }

    /** Slots of a table that is far from full are more than any memory has long before their number overflows. */
    public static void checkSlots(CellCheck cell, long growth) {
        Settings settings = cell.settings();
        double slots = settings.table().records() / settings.loadFactor() * Math.max(1, growth);
        if (slots > MAX_SLOTS) {
            cell.complain(
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

    /**
     * Checks a named workload, of which such systems do all but scans.
     *
     * @param newKeys the system's key for writes of new keys, which such a workload decides itself
     */
    public static void checkNamed(CellCheck cell, String newKeys) {
        NamedWorkload name = cell.settings().workload().name();
        if (name != NamedWorkload.OWN) {
            cell.hasNoEffect(newKeys, name.key() + " says itself whether writes are of new keys");
        }
        NamedWorkloads.check(cell, EnumSet.allOf(NamedWorkload.Writes.class), Map.of());
    }

    /** Complains of a card without atomics. */
    public static void checkAtomics(CellCheck cell) {
        if (!cell.settings().isReal() && cell.nic() != null && !cell.nic().hasAtomics()) {
            cell.complain(
                    cell.settings().scheme() + " needs atomics, which "
                            + cell.settings().nic() + " does not have",
                    "nic",
                    "scheme");
        }
    }
}
