package org.reprobe.farm;

import java.util.ArrayList;
import java.util.List;
import org.reprobe.farm.FarmSystem.FarmSettings;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Settings;

/** What settings of transactions must say, in the user's words. */
final class TransactionChecks {
    private static final String READS = "transactions.read-objects";
    private static final String WRITTEN = "transactions.written-objects";
    private static final String LOCKING = "transactions.locking";
    private static final String VALIDATION = "transactions.validation";
    private static final String RING_BYTES = "farm.ring-bytes";
    private static final String REPLICAS = "farm.replicas";
    private static final String LOG_BYTES = "farm.log-bytes";
    private static final String SSD_MB_PER_S = "farm.ssd-mb-per-s";
    private static final String SSD_BUFFER_BYTES = "farm.ssd-buffer-bytes";
    private static final String MAX_READ_US = "farm.max-read-us";
    private static final String UPDATE_US = "farm.update-us";
    private static final String WRITES = "workload.writes";

    private static final List<String> OF_REPLICAS =
            List.of("farm.replication", LOG_BYTES, SSD_MB_PER_S, SSD_BUFFER_BYTES);

    /** Keys that transactions read. */
    static final List<String> READ = List.of(
            "transactions",
            "table.records",
            "table.record-bytes",
            "workload.keys",
            "workload.theta",
            WRITES,
            "connection.outstanding-reads",
            "farm.in-flight",
            "farm.sharing",
            "farm.ranks",
            "farm.local-us",
            UPDATE_US,
            "farm.back-off-us",
            MAX_READ_US,
            REPLICAS,
            "farm.replication",
            LOG_BYTES,
            SSD_MB_PER_S,
            SSD_BUFFER_BYTES,
            RING_BYTES,
            "farm.assume-in-order");

    private TransactionChecks() {}

    /** Complains of what does not go together. */
    static void check(CellCheck cell) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        TransactionSettings transactions = settings.section(TransactionSettings.class);
        boolean writes = settings.workload().writes() > 0;
        if (settings.table().recordBytes() % Long.BYTES != 0 || settings.table().recordBytes() < 2 * Long.BYTES) {
            cell.complain(
                    "objects of %d bytes: they must be whole words of 8 bytes, two at least"
                            .formatted(settings.table().recordBytes()),
                    "table.record-bytes");
            return;
        }
        if (transactions.writtenObjects() > transactions.readObjects()) {
            cell.complain(
                    "a transaction writes %d of the %d objects that it reads"
                            .formatted(transactions.writtenObjects(), transactions.readObjects()),
                    WRITTEN,
                    READS);
            return;
        }
        checkObjects(cell, transactions);
        own.sharing(settings).check(cell, "farm.sharing");
        MessagingChecks.check(
                cell,
                RING_BYTES,
                own.ringBytes(),
                TransactionsDeployment.maxMessageBytes(settings),
                List.of(READS, WRITTEN, "table.record-bytes"));
        MessagingChecks.checkSendQueue(cell, "farm.in-flight", TransactionsDeployment.sendQueue(own, transactions));
        MessagingChecks.checkReads(cell, FarmSystem.TWO_SIDED);
        checkWrites(cell, own, transactions, writes && transactions.writtenObjects() > 0);
    }

    private static void checkObjects(CellCheck cell, TransactionSettings transactions) {
        Settings settings = cell.settings();
        long records = settings.table().records();
        if (records < transactions.readObjects()) {
            cell.complain(
                    "a transaction reads %d different objects of %d".formatted(transactions.readObjects(), records),
                    "table.records",
                    READS);
        }
        if (records < settings.clients().machines()) {
            cell.complain(
                    "%d objects can't be spread over %d machines"
                            .formatted(records, settings.clients().machines()),
                    "table.records",
                    "clients.machines");
        }
        long bytes = TransactionsDeployment.objects(settings).bytes();
        if (bytes > FarmTable.MAX_REGION_BYTES) {
            cell.complain(
                    "%d objects take %d bytes of each machine, more than the %d of a region"
                            .formatted(records, bytes, FarmTable.MAX_REGION_BYTES),
                    "table.records",
                    "table.record-bytes");
        }
    }

    private static void checkWrites(
            CellCheck cell, FarmSettings own, TransactionSettings transactions, boolean writes) {
        if (!writes) {
            List<String> keys = new ArrayList<>(OF_REPLICAS);
            keys.addAll(List.of(REPLICAS, LOCKING, VALIDATION, UPDATE_US, MAX_READ_US, "farm.back-off-us"));
            if (cell.settings().workload().writes() > 0) {
                cell.hasNoEffect(
                        WRITES, "its transactions write no object: it is for transactions.written-objects above 0");
            } else {
                keys.add(WRITTEN);
            }
            keys.forEach(key -> cell.hasNoEffect(key, "nobody writes: it is for workload.writes above 0"));
            return;
        }
        if (transactions.writtenObjects() == transactions.readObjects()) {
            cell.hasNoEffect(
                    VALIDATION, "all that transactions read is locked, since they write it: nothing is validated");
        }
        checkAge(cell, own);
        if (own.replicas() == 0) {
            OF_REPLICAS.forEach(key -> cell.hasNoEffect(key, "there are no replicas: it is for farm.replicas above 0"));
            return;
        }
        if (own.ssdMbPerS() == 0) {
            cell.hasNoEffect(SSD_BUFFER_BYTES, "logs stay in memory: it is for " + SSD_MB_PER_S);
        }
        int machines = cell.settings().clients().machines();
        if (own.replicas() >= machines) {
            cell.complain(
                    "%d replicas besides the primary on %d machines: each copy is on a machine of its own"
                            .formatted(own.replicas(), machines),
                    REPLICAS,
                    "clients.machines");
        }
        if (own.logBytes() % Long.BYTES != 0) {
            cell.complain("a log of %d bytes: it has whole words of 8 bytes".formatted(own.logBytes()), LOG_BYTES);
        }
    }

    private static void checkAge(CellCheck cell, FarmSettings own) {
        if (!cell.settings().isReal() && cell.nic() == null) {
            return;
        }
        FarmSystem.checkAge(cell, own.localUs(), own.updateUs(), own.maxReadUs(), MAX_READ_US, UPDATE_US);
    }
}
