package org.reprobe.farm;

import java.util.List;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.farm.table.OutsideSlots;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.table.Storage;

/** Scheme farm-two-sided: lookups of one or more keys, and updates, by messages. */
final class LookupsByMessages implements FarmScheme {
    private static final String SLOTS = "farm.slots";
    private static final String KEYS_PER_GET = "farm.keys-per-get";

    @Override
    public Scheme scheme() {
        return new Scheme(FarmKeys.TWO_SIDED, "FaRM's table, by messages");
    }

    @Override
    public Set<String> reads() {
        Set<String> keys = TableChecks.reads();
        keys.add(KEYS_PER_GET);
        keys.add(SLOTS);
        return keys;
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        boolean hasLayout = TableChecks.checkTable(cell);
        boolean updates = TableChecks.isUpdated(settings);
        if (own.slots() == OutsideSlots.TAGS) {
            checkTags(cell, updates);
        }
        if (hasLayout || own.replicas() == 0) {
            TableChecks.checkMessages(
                    cell,
                    false,
                    updates
                            ? List.of("table.record-bytes", "farm.key-bytes", FarmKeys.WRITES)
                            : List.of(KEYS_PER_GET, "table.record-bytes"));
        }
        if (updates) {
            if (own.keysPerGet() > 1) {
                cell.reportProblem(
                        "multi-gets of %d keys and updates (writes is %s) are not supported together: with updates an operation has one key"
                                .formatted(own.keysPerGet(), settings.workload().writes()),
                        KEYS_PER_GET,
                        FarmKeys.WRITES);
            }
            CommitChecks.checkReplicas(cell);
        } else {
            TableChecks.haveNoEffectWithoutUpdates(cell);
        }
        TableChecks.checkLocal(cell);
    }

    private static void checkTags(CellCheck cell, boolean updates) {
        if (cell.settings().table().storage() == Storage.INLINE) {
            cell.reportProblem(
                    "slots with tags point to records outside of slots, but table.storage is inline: set table.storage: heap",
                    SLOTS,
                    "table.storage");
        }
        if (updates) {
            cell.reportProblem(
                    "slots with tags do not support updates (writes is %s), which search keys in the slots"
                            .formatted(cell.settings().workload().writes()),
                    SLOTS,
                    FarmKeys.WRITES);
        }
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new FarmDeployment(settings, nic, repeat);
    }
}
