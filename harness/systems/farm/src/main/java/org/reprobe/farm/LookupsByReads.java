package org.reprobe.farm;

import java.util.List;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;

/** Scheme farm: lookups by one-sided READs, and updates by messages. */
final class LookupsByReads implements FarmScheme {
    @Override
    public Scheme scheme() {
        return new Scheme(FarmKeys.ONE_SIDED, "FaRM");
    }

    @Override
    public Set<String> reads() {
        Set<String> keys = TableChecks.reads();
        keys.add("connection.outstanding-reads");
        keys.addAll(FarmKeys.OF_READS);
        keys.add(FarmKeys.LOCKING);
        return keys;
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        boolean hasLayout = TableChecks.checkTable(cell);
        boolean updates = TableChecks.isUpdated(settings);
        if (updates && (hasLayout || settings.section(FarmSettings.class).replicas() == 0)) {
            TableChecks.checkMessages(cell, true, List.of("table.record-bytes", "farm.key-bytes", FarmKeys.WRITES));
        }
        MessagingChecks.checkReads(cell, FarmKeys.TWO_SIDED);
        if (updates) {
            CommitChecks.checkAge(cell);
            CommitChecks.checkReplicas(cell);
            checkLocking(cell, settings.section(FarmSettings.class));
        } else {
            TableChecks.haveNoEffectWithoutUpdates(cell);
            cell.reportNoEffect(FarmKeys.LOCKING, TableChecks.NO_UPDATES);
            FarmKeys.OF_READS.forEach(key -> cell.reportNoEffect(key, TableChecks.NO_UPDATES));
            String noMessages = "lookups READ, and " + TableChecks.NO_UPDATES;
            FarmKeys.OF_MESSAGES.forEach(key -> cell.reportNoEffect(key, noMessages));
        }
        TableChecks.checkLocal(cell);
    }

    private static void checkLocking(CellCheck cell, FarmSettings own) {
        if (own.replicas() == 0) {
            cell.reportNoEffect(FarmKeys.LOCKING, "there are no replicas; it requires farm.replicas above 0");
        } else if (own.locking() == Locking.EXCLUSIVE) {
            cell.reportNoEffect(
                    "farm.retries",
                    "with farm.locking: exclusive lookups are repeated until the object is unlocked, and never sent as messages");
        }
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new FarmDeployment(settings, nic, repeat);
    }
}
