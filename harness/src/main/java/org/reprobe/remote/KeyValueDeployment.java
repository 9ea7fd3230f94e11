package org.reprobe.remote;

import java.util.Set;
import java.util.function.LongUnaryOperator;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Settings;
import org.reprobe.system.Workload;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySet;
import org.reprobe.workload.KeySets;
import org.reprobe.workload.KeySpec;
import org.reprobe.workload.Rng;

/** One run of a system whose clients read and write values by keys of 8 bytes, one operation after the other. */
public abstract class KeyValueDeployment extends RemoteDeployment {
    /** Common keys that all such systems read. */
    public static final Set<String> READ = Set.of(
            "load-factor", "table.records", "table.record-bytes", "workload.keys", "workload.theta", "workload.writes");

    private static final long MAX_ITEMS = 1 << 29;
    private static final long MAX_SLOTS = 1L << 40;

    protected KeyValueDeployment(Settings settings, int repeat) {
        super(settings, repeat);
    }

    /** Bytes of a record's value: all but its key. */
    protected final int valueBytes() {
        return settings().table().recordBytes() - Long.BYTES;
    }

    /**
     * What clients do: each operation is for a key that is loaded, or, where writes are of new keys, for one that is not.
     *
     * @param keys those loaded
     */
    protected final Workload workload(
            KeyValueWorkload.Connector connector,
            long[] keys,
            boolean newKeys,
            LongUnaryOperator fresh,
            Settings.Measure measure,
            long runSeed) {
        return new KeyValueWorkload(
                new KeyValueWorkload.Plan(
                        connector,
                        keys,
                        settings().workload().writes(),
                        newKeys,
                        choice(keys.length, runSeed),
                        operation -> Rng.at(runSeed, operation),
                        fresh,
                        measure.warmUpNs(),
                        measure.durationNs()),
                clients());
    }

    /** Which loaded key an operation is for: uniform, or skewed by Zipf's law. */
    private LongUnaryOperator choice(int loaded, long runSeed) {
        if (settings().workload().keys() != Distribution.ZIPF) {
            return operation -> Math.unsignedMultiplyHigh(Rng.at(~runSeed, operation), loaded);
        }
        KeySpec spec = new KeySpec(Distribution.ZIPF, settings().workload().theta(), loaded);
        KeySet keys = KeySets.of(spec, Long.MAX_VALUE, runSeed);
        // A rank's key is a number of 32 bits that stands for it: any loaded key will do, always the same.
        return operation -> (Integer.toUnsignedLong(keys.key(operation)) * loaded) >>> 32;
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
