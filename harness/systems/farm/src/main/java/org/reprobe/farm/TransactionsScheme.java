package org.reprobe.farm;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.farm.TransactionSettings.Spread;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.recovery.Configuration;
import org.reprobe.farm.transactions.PartArray;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.FaultSpec;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;

/** Scheme farm-transactions: transactions over objects of all machines. */
final class TransactionsScheme implements FarmScheme {
    private static final String READS = "transactions.read-objects";
    private static final String WRITTEN = "transactions.written-objects";
    private static final String PART_BYTES = "transactions.part-bytes";
    private static final String SPREAD = "transactions.spread";
    private static final String SHIPPED = "transactions.shipped";
    private static final String LOCKING = "transactions.locking";
    private static final String VALIDATION = "transactions.validation";

    static final Set<String> READ = read(
            "transactions",
            "table.records",
            "table.record-bytes",
            "workload.keys",
            "workload.theta",
            FarmKeys.LEASE_MS);

    /** Minimum payload of an object: its stamp and one word derived from it. */
    private static final int MIN_BYTES = 2 * Long.BYTES;

    private static Set<String> read(String... own) {
        Set<String> keys = new HashSet<>(FaultKeys.READ);
        keys.addAll(FarmKeys.OF_COMMITS);
        keys.addAll(List.of(own));
        return Set.copyOf(keys);
    }

    @Override
    public Scheme scheme() {
        return new Scheme(FarmKeys.TRANSACTIONS, "FaRM's transactions");
    }

    @Override
    public Set<String> reads() {
        return READ;
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new TransactionsDeployment(settings, repeat);
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        TransactionSettings transactions = settings.section(TransactionSettings.class);
        boolean writes = settings.workload().writes() > 0;
        if (settings.table().recordBytes() % Long.BYTES != 0 || settings.table().recordBytes() < MIN_BYTES) {
            cell.reportProblem(
                    "objects of %d bytes: the size must be a multiple of 8, at least 16"
                            .formatted(settings.table().recordBytes()),
                    "table.record-bytes");
            return;
        }
        if (!checkParts(cell, transactions.partBytes())) {
            return;
        }
        if (transactions.writtenObjects() > transactions.readObjects()) {
            cell.reportProblem(
                    "a transaction writes %d of the %d objects that it reads"
                            .formatted(transactions.writtenObjects(), transactions.readObjects()),
                    WRITTEN,
                    READS);
            return;
        }
        checkObjects(cell, transactions);
        checkShipped(cell, own, transactions);
        FaultKeys.check(cell);
        checkLeases(cell, own, writes && transactions.writtenObjects() > 0);
        own.sharing(settings).check(cell, "farm.sharing");
        MessagingChecks.check(
                cell,
                FarmKeys.RING_BYTES,
                own.ringBytes(),
                TransactionsDeployment.maxMessageBytes(settings),
                transactions.partBytes() == 0
                        ? List.of(READS, WRITTEN, "table.record-bytes")
                        : List.of(PART_BYTES, READS, WRITTEN, "table.record-bytes"));
        MessagingChecks.checkSendQueue(cell, "farm.in-flight", TransactionsDeployment.sendQueue(own, transactions));
        MessagingChecks.checkReads(cell, FarmKeys.TWO_SIDED);
        checkWrites(cell, transactions, writes && transactions.writtenObjects() > 0);
    }

    /** Reports invalid sizes of parts; returns true if they are valid. */
    private static boolean checkParts(CellCheck cell, int partBytes) {
        if (partBytes == 0) {
            return true;
        }
        int most = ObjectLayout.maxPayloadBytes(cell.settings().isReal());
        if (partBytes % Long.BYTES != 0 || partBytes < MIN_BYTES || partBytes > most) {
            cell.reportProblem(
                    "parts of %d bytes: the size must be a multiple of 8 from %d to %d bytes, or 0 for no parts"
                            .formatted(partBytes, MIN_BYTES, most),
                    PART_BYTES);
            return false;
        }
        int recordBytes = cell.settings().table().recordBytes();
        if (recordBytes < MIN_BYTES + PartArray.POINTER_BYTES) {
            cell.reportProblem(
                    "objects of %d bytes, of which the last %d point to a part: they must have at least %d bytes"
                            .formatted(recordBytes, PartArray.POINTER_BYTES, MIN_BYTES + PartArray.POINTER_BYTES),
                    "table.record-bytes",
                    PART_BYTES);
            return false;
        }
        return true;
    }

    /** Minimum lease in real time, because threads that share CPUs may wait tens of milliseconds. */
    private static final int MIN_REAL_LEASE_MS = 100;

    private static void checkLeases(CellCheck cell, FarmSettings own, boolean writes) {
        Settings settings = cell.settings();
        if (own.leaseMs() == 0) {
            if (!settings.faults().isEmpty()) {
                cell.reportProblem(
                        "machines fail (faults), but no machine takes over their regions without leases: set farm.lease-ms",
                        FarmKeys.LEASE_MS,
                        "scheme");
            }
            return;
        }
        if (settings.section(TransactionSettings.class).partBytes() > 0) {
            cell.reportProblem(
                    "leases do not support parts: a machine that takes over has no record of allocations",
                    FarmKeys.LEASE_MS,
                    PART_BYTES);
        }
        if (!writes) {
            cell.reportNoEffect(FarmKeys.LEASE_MS, "no transaction writes; it requires workload.writes above 0");
            return;
        }
        if (own.replicas() == 0) {
            cell.reportProblem(
                    "leases require replicas, which take over from a failed machine",
                    FarmKeys.LEASE_MS,
                    FarmKeys.REPLICAS);
        } else if (own.replication() != ReplicationMode.PREPARE_COMMIT) {
            cell.reportProblem(
                    "with leases each replica must log a transaction's writes before it commits: set farm.replication: prepare-commit",
                    FarmKeys.LEASE_MS,
                    "farm.replication");
        }
        if (settings.clients().machines() > Configuration.MAX_MACHINES) {
            cell.reportProblem(
                    "a configuration has at most %d machines, not %d"
                            .formatted(
                                    Configuration.MAX_MACHINES,
                                    settings.clients().machines()),
                    FarmKeys.LEASE_MS,
                    "clients.machines");
        }
        if (settings.isReal() && own.leaseMs() < MIN_REAL_LEASE_MS) {
            cell.reportProblem(
                    "a lease of %s ms is too short in real time: a machine whose threads wait that long for a CPU is evicted; use at least %d ms"
                            .formatted(own.leaseMs(), MIN_REAL_LEASE_MS),
                    FarmKeys.LEASE_MS);
        }
        for (FaultSpec fault : settings.faults()) {
            if (fault.kind() != FaultSpec.Kind.CRASH) {
                cell.reportProblem(
                        "recovery supports only crashes of machines: use faults of kind crash", FarmKeys.LEASE_MS);
            } else if (!settings.isReal() && fault.forMs() > 0) {
                cell.reportProblem(
                        "a crashed machine does not rejoin the others: omit for-ms of its fault", FarmKeys.LEASE_MS);
            }
        }
    }

    private static void checkShipped(CellCheck cell, FarmSettings own, TransactionSettings transactions) {
        long objects = cell.settings().table().records();
        int machines = cell.settings().clients().machines();
        if (transactions.spread() == Spread.ONE_MACHINE) {
            if (transactions.readObjects() == 1) {
                cell.reportNoEffect(SPREAD, "a transaction reads one object, which is on one machine");
            } else if (objects / machines < transactions.readObjects()) {
                cell.reportProblem(
                        "a transaction reads %d different objects of one machine, but each of %d machines has only %d"
                                .formatted(transactions.readObjects(), machines, objects / machines),
                        SPREAD,
                        READS,
                        "table.records",
                        "clients.machines");
            }
        }
        if (!transactions.shipped()) {
            return;
        }
        if (machines == 1) {
            cell.reportNoEffect(SHIPPED, "there is no other machine to ship a transaction to");
        }
        if (transactions.partBytes() > 0) {
            cell.reportProblem("shipped transactions do not support parts of objects", SHIPPED, PART_BYTES);
        }
        if (own.leaseMs() > 0) {
            cell.reportProblem(
                    "leases do not support shipped transactions, whose outcome would be unknown after a failure of their machine",
                    SHIPPED,
                    FarmKeys.LEASE_MS);
        }
    }

    private static void checkObjects(CellCheck cell, TransactionSettings transactions) {
        Settings settings = cell.settings();
        long records = settings.table().records();
        if (records < transactions.readObjects()) {
            cell.reportProblem(
                    "a transaction reads %d different objects, but there are only %d"
                            .formatted(transactions.readObjects(), records),
                    "table.records",
                    READS);
        }
        if (records < settings.clients().machines()) {
            cell.reportProblem(
                    "%d objects cannot be distributed over %d machines"
                            .formatted(records, settings.clients().machines()),
                    "table.records",
                    "clients.machines");
        }
        long bytes = TransactionsDeployment.objectBytes(settings);
        if (bytes > Address.MAX_REGION_BYTES) {
            boolean parts = transactions.partBytes() > 0;
            cell.reportProblem(
                    "%d objects%s take %d bytes on each machine, which exceeds the %d of a region"
                            .formatted(
                                    records,
                                    parts ? " and space for their parts" : "",
                                    bytes,
                                    Address.MAX_REGION_BYTES),
                    "table.records",
                    parts ? PART_BYTES : "table.record-bytes");
        }
    }

    private static void checkWrites(CellCheck cell, TransactionSettings transactions, boolean writes) {
        if (!writes) {
            List<String> keys = new ArrayList<>(FarmKeys.OF_REPLICAS);
            keys.addAll(List.of(
                    FarmKeys.REPLICAS,
                    LOCKING,
                    VALIDATION,
                    FarmKeys.UPDATE_US,
                    FarmKeys.MAX_READ_US,
                    "farm.back-off-us"));
            if (cell.settings().workload().writes() > 0) {
                cell.reportNoEffect(
                        FarmKeys.WRITES,
                        "its transactions write no object; it requires transactions.written-objects above 0");
            } else {
                keys.add(WRITTEN);
            }
            keys.forEach(key -> cell.reportNoEffect(key, "no transaction writes; it requires workload.writes above 0"));
            return;
        }
        if (transactions.writtenObjects() == transactions.readObjects()) {
            cell.reportNoEffect(VALIDATION, "transactions write all objects that they read, so no object is validated");
        }
        CommitChecks.checkAge(cell);
        CommitChecks.checkReplicas(cell);
    }
}
