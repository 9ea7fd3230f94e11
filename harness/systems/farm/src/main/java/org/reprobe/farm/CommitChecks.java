package org.reprobe.farm;

import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.farm.commit.LogFile;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Settings;
import org.reprobe.table.Storage;

/** Checks of settings of all schemes with updates or transactions. */
final class CommitChecks {
    private static final double NS_PER_US = 1e3;

    /** Lower bound of an update's CPU time in real time, for its lock and fences. */
    private static final double MIN_UPDATE_US = 0.1;

    private CommitChecks() {}

    static void checkReplicas(CellCheck cell) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        if (own.replicas() == 0) {
            FarmKeys.OF_REPLICAS.forEach(
                    key -> cell.reportNoEffect(key, "there are no replicas; it requires farm.replicas above 0"));
            return;
        }
        if (own.ssdMbPerS() == 0) {
            cell.reportNoEffect("farm.ssd-buffer-bytes", "logs stay in memory; it requires farm.ssd-mb-per-s");
        }
        if (own.replicas() >= settings.clients().machines()) {
            cell.reportProblem(
                    "%d replicas besides the primary on %d machines: each copy must be on a different machine"
                            .formatted(own.replicas(), settings.clients().machines()),
                    FarmKeys.REPLICAS,
                    "clients.machines");
        }
        if (settings.table().storage() != Storage.INLINE) {
            cell.reportProblem(
                    "replicas log buckets and blocks, so values must be inline", FarmKeys.REPLICAS, "table.storage");
        }
        if (own.logBytes() % Long.BYTES != 0) {
            cell.reportProblem(
                    "a log of %d bytes: it must be a multiple of 8".formatted(own.logBytes()), "farm.log-bytes");
        }
        if (own.logsInFiles() && own.logBytes() > LogFile.MAX_LOG_BYTES) {
            cell.reportProblem(
                    "a log of %d bytes: with logs in files, at most %d are supported"
                            .formatted(own.logBytes(), LogFile.MAX_LOG_BYTES),
                    "farm.log-bytes",
                    FarmKeys.LOGS);
        }
    }

    /** Reports a time limit of READs within which versions could wrap around. */
    static void checkAge(CellCheck cell) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        NicProfile nic = cell.nic();
        if (!settings.isReal() && nic == null) {
            return;
        }
        double lookupUs =
                own.localUs() > 0 || nic == null ? own.localUs() : nic.client().lookupNs() / NS_PER_US;
        double updateUs = settings.isReal() ? MIN_UPDATE_US : own.updateUs() > 0 ? own.updateUs() : lookupUs;
        double wrapUs = ObjectWriter.VERSIONS * updateUs;
        if (own.maxReadUs() >= wrapUs) {
            cell.reportProblem(
                    "a READ of %s us (max-read-us) may last until versions wrap around: %d updates of %s us take %s us"
                            .formatted(own.maxReadUs(), ObjectWriter.VERSIONS, updateUs, wrapUs),
                    settings.isReal()
                            ? new String[] {FarmKeys.MAX_READ_US}
                            : new String[] {FarmKeys.MAX_READ_US, FarmKeys.UPDATE_US});
        }
    }
}
