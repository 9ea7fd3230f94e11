package org.reprobe.farm;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.NamedWorkloads;
import org.reprobe.system.Settings;
import org.reprobe.workload.NamedWorkload.Writes;

/** Checks of settings of both schemes of the hash table. */
final class TableChecks {
    static final String NO_UPDATES = "no operation updates a value; it requires workload.writes above 0";

    private TableChecks() {}

    /** Returns the keys that both schemes read. */
    static Set<String> reads() {
        Set<String> keys = new HashSet<>(List.of(
                "load-factor",
                "table.records",
                "table.record-bytes",
                "table.storage",
                "workload.keys",
                "workload.theta",
                "farm.neighbourhood",
                "farm.key-bytes",
                "farm.in-flight",
                "farm.sharing",
                "farm.ranks",
                "farm.local-us",
                FarmKeys.WRITES,
                NamedWorkloads.KEY));
        keys.addAll(FarmKeys.OF_MESSAGES);
        keys.addAll(FarmKeys.OF_UPDATES);
        keys.addAll(FarmKeys.OF_REPLICAS);
        return keys;
    }

    /** Checks the table, and returns true if records have a layout. */
    static boolean checkTable(CellCheck cell) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        RemoteSystems.checkKeys(cell);
        RemoteSystems.checkSlots(cell, 1);
        checkNamed(cell);
        if (own.neighbourhood() % 2 != 0) {
            cell.reportProblem(
                    "a neighbourhood of %d: it must be even, because a bucket has half as many slots"
                            .formatted(own.neighbourhood()),
                    "farm.neighbourhood");
        }
        if (own.keyBytes() % Long.BYTES != 0) {
            cell.reportProblem(
                    "keys of %d bytes: the size must be a multiple of 8".formatted(own.keyBytes()), "farm.key-bytes");
        }
        int valueBytes = settings.table().recordBytes() - own.keyBytes();
        if (valueBytes < Long.BYTES || valueBytes % Long.BYTES != 0) {
            cell.reportProblem(
                    "records of %d bytes with keys of %d leave %d for a value, which must be whole words of 8 bytes"
                            .formatted(settings.table().recordBytes(), own.keyBytes(), Math.max(0, valueBytes)),
                    "table.record-bytes",
                    "farm.key-bytes");
        }
        if (settings.table().records() < settings.clients().machines()) {
            cell.reportProblem(
                    "%d records cannot be distributed over %d machines"
                            .formatted(
                                    settings.table().records(),
                                    settings.clients().machines()),
                    "table.records",
                    "clients.machines");
        }
        boolean hasLayout = own.neighbourhood() % 2 == 0 && valueBytes >= Long.BYTES;
        if (hasLayout && !FarmDeployment.layout(settings).fitsObjects()) {
            cell.reportProblem(
                    "records of %d bytes are too long: an overflow block with two of them, or a value outside of slots, must fit into an object of 1 MiB"
                            .formatted(settings.table().recordBytes()),
                    "table.record-bytes");
        }
        own.sharing(settings).check(cell, "farm.sharing");
        return hasLayout;
    }

    private static void checkNamed(CellCheck cell) {
        NamedWorkloads.check(cell, EnumSet.allOf(Writes.class), Map.of());
        if (cell.settings().workload().isNamed()) {
            cell.reportNoEffect("farm.ranks", "YCSB's workloads have 10^10 ranks on any table");
        }
    }

    /** Checks that rings have space for the messages of a scheme. */
    static void checkMessages(CellCheck cell, boolean reads, List<String> lengthKeys) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        MessagingChecks.check(
                cell,
                FarmKeys.RING_BYTES,
                own.ringBytes(),
                FarmDeployment.maxMessageBytes(settings, isUpdated(settings)),
                lengthKeys);
        MessagingChecks.checkSendQueue(cell, "farm.in-flight", FarmDeployment.sendQueue(own, reads));
    }

    static boolean isUpdated(Settings settings) {
        return settings.workload().writes() > 0;
    }

    /** Reports keys of updates that have no effect on a table that is only read. */
    static void haveNoEffectWithoutUpdates(CellCheck cell) {
        FarmKeys.OF_REPLICAS.forEach(
                key -> cell.reportNoEffect(key, "no operation updates a value; it requires farm.replicas above 0"));
        FarmKeys.OF_UPDATES.forEach(key -> cell.reportNoEffect(key, NO_UPDATES));
    }

    /** Reports lookups that take no time. */
    static void checkLocal(CellCheck cell) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        NicProfile nic = cell.nic();
        if (!settings.isReal()
                && settings.clients().machines() == 1
                && own.localUs() == 0
                && nic != null
                && nic.client().lookupNs() == 0) {
            cell.reportProblem(
                    "all lookups of a single machine are local, and take no time with profile %s: set farm.local-us"
                            .formatted(settings.nic()),
                    "clients.machines",
                    "nic");
        }
    }
}
