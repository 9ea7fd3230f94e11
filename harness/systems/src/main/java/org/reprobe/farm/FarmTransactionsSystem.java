package org.reprobe.farm;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.farm.DistributedTransaction.Rules;
import org.reprobe.farm.DistributedTransaction.Validation;
import org.reprobe.farm.FarmSystem.FarmSettings.Told;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;

/** FaRM's transactions (2014, section 3.4) over objects of all machines: optimistic, with replicas that log. */
public final class FarmTransactionsSystem implements SystemUnderTest {
    private static final String SECTION = "farm-transactions";
    private static final String READS = SECTION + ".reads";
    private static final String WRITTEN = SECTION + ".writes";
    private static final String IN_FLIGHT = SECTION + ".in-flight";
    private static final String SHARING = SECTION + ".sharing";
    private static final String RING_BYTES = SECTION + ".ring-bytes";
    private static final String REPLICAS = SECTION + ".replicas";
    private static final String REPLICATION = SECTION + ".replication";
    private static final String LOG_BYTES = SECTION + ".log-bytes";
    private static final String SSD_MB_PER_S = SECTION + ".ssd-mb-per-s";
    private static final String SSD_BUFFER_BYTES = SECTION + ".ssd-buffer-bytes";
    private static final String LOCKING = SECTION + ".locking";
    private static final String VALIDATION = SECTION + ".validation";
    private static final String MAX_READ_US = SECTION + ".max-read-us";
    private static final String UPDATE_US = SECTION + ".update-us";
    static final String ASSUME_IN_ORDER = SECTION + ".assume-in-order";
    private static final String WRITES = "workload.writes";

    private static final List<String> OF_REPLICAS = List.of(REPLICATION, LOG_BYTES, SSD_MB_PER_S, SSD_BUFFER_BYTES);

    /**
     * Transactions.
     *
     * @param localUs 0 for the profile's
     * @param updateUs 0 for as much as {@code localUs}
     * @param ssdMbPerS 0 for logs in memory
     */
    @Section(name = SECTION, meaning = """
            Scheme farm-transactions: threads of machines that serve and ask run transactions over objects of all of them. \
            table.records says how many there are, table.record-bytes their payload.""")
    public record TransactionSettings(
            @Key(byDefault = "4", min = 1, max = 64, meaning = """
                    Objects that a transaction reads, drawn as workload.keys says, no two alike: by READs all at once.""")
            int reads,

            @Key(byDefault = "2", min = 0, max = 64, meaning = """
                    How many of these it writes. With workload.writes, the share of the transactions that do.""")
            int writes,

            @Key(byDefault = "8", min = 1, max = 256, meaning = "Transactions that each thread has in flight.")
            int inFlight,

            @Key(byDefault = "1", min = 1, max = 1024, fabrics = "sim", meaning = """
                    sim: threads of a machine that share their queue pairs.""")
            int sharing,

            @Key(byDefault = "lookup", above = 0, max = 1000, or = "lookup", fabrics = "sim", meaning = """
                    sim: microseconds that a thread takes to read, lock or validate an object in its own machine's memory. lookup: what \
                    the profile says of a lookup's CPU time (client.lookup-ns).""")
            double localUs,

            @Key(byDefault = "lookup", above = 0, max = 1000, or = "lookup", fabrics = "sim", meaning = """
                    sim: microseconds that a thread takes to write an object. lookup: as long as reading one takes. With \
                    workload.writes.""")
            double updateUs,

            @Key(byDefault = "1", min = 0.001, max = 1000, meaning = """
                    Microseconds that a transaction waits at most, a random time, before it reads an object again that it found locked, and \
                    before it begins anew after its first abort; after each further one twice as long, 64 times at most. With workload.writes.""")
            double backOffUs,

            @Key(byDefault = "1000", above = 0, max = 100_000, meaning = """
                    Microseconds after which what a READ has brought is no longer trusted, so that it is made again: less than 2^14 updates \
                    take, after which the 16 bits of the versions in cache lines are as before. With workload.writes.""")
            double maxReadUs,

            @Key(byDefault = "exclusive", meaning = """
                    How PREPARE locks. exclusive: READs don't accept what is locked. readable: they do, until the transaction commits, as \
                    printed; READs outside of transactions may then see a later transaction's object before an earlier one's. With workload.writes.""") Locking locking,

            @Key(byDefault = "versions-and-locks", meaning = """
                    When what was only read still holds. versions-and-locks: its version is as it was, and nobody has locked it. versions: the \
                    first alone, as printed, which is not serializable. With workload.writes.""")
            Validated validation,

            @Key(byDefault = "0", min = 0, max = 16, meaning = """
                    Replicas of each object besides its primary, on the machines that follow: they log what a transaction writes before it is \
                    written, and before it is answered. With workload.writes.""")
            int replicas,

            @Key(byDefault = "prepare-commit", meaning = """
                    What replicas are told. prepare-commit: what would be written, together with PREPARE, and then that it commits. \
                    commit-only: what is written, as it commits. With farm-transactions.replicas.""")
            Told replication,

            @Key(byDefault = "262144", min = 4096, max = 1 << 30, meaning = """
                    Bytes of the log of what replicas are told, of each thread, a multiple of 8. It is cleaned when it is half full, and must have \
                    room twice for the last versions of all objects that are written. With farm-transactions.replicas.""")
            int logBytes,

            @Key(byDefault = "memory", above = 0, max = 1e6, or = "memory", fabrics = "sim", meaning = """
                    sim: MB/s that each machine's SSD reads and writes. Logs go there; their cleaning reads two bytes and writes one for each \
                    that is logged. memory: logs stay in memory. With farm-transactions.replicas.""")
            double ssdMbPerS,

            @Key(byDefault = "4194304", min = 0, max = 1 << 30, fabrics = "sim", meaning = """
                    sim: bytes of non-volatile memory in front of each machine's SSD. A replica answers when what it logs is there. It is full \
                    when a run begins. With farm-transactions.ssd-mb-per-s.""")
            int ssdBufferBytes,

            @Key(byDefault = "4096", min = 48, max = 1 << 28, meaning = """
                    Bytes of the ring from a thread to another machine, a multiple of 16; it takes messages of up to half of that, with 16 \
                    bytes around each.""")
            int ringBytes,

            @Key(byDefault = "false", fabrics = "verbs", meaning = """
                    verbs: take for granted that the card lands the bytes of a WRITE in the order of addresses, also where it does not promise \
                    that (./run.sh doctor tells). Rings of messages need it.""")
            boolean assumeInOrder) {

        /** How PREPARE locks. */
        public enum Locking {
            EXCLUSIVE,
            READABLE
        }

        /** What is validated. */
        public enum Validated {
            VERSIONS_AND_LOCKS,
            VERSIONS
        }

        Rules rules() {
            return Rules.RIGHT
                    .with(replication)
                    .with(locking == Locking.EXCLUSIVE ? Participant.Locking.EXCLUSIVE : Participant.Locking.READABLE)
                    .with(validation == Validated.VERSIONS ? Validation.VERSIONS : Validation.VERSIONS_AND_LOCKS);
        }

        QueuePairSharing sharing(Settings settings) {
            return QueuePairSharing.of(settings, sharing);
        }
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(new Scheme(SECTION, "FaRM's transactions"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(TransactionSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        return new HashSet<>(List.of(
                SECTION,
                "table.records",
                "table.record-bytes",
                "workload.keys",
                "workload.theta",
                WRITES,
                "connection.outstanding-reads"));
    }

    @Override
    public Map<String, String> instead() {
        return Map.of(
                "connection.send-queue", "use " + IN_FLIGHT,
                "load.rate-per-s", "its threads begin a transaction when one has ended; use " + IN_FLIGHT);
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        TransactionSettings own = settings.section(TransactionSettings.class);
        boolean writes = settings.workload().writes() > 0;
        if (settings.table().recordBytes() % Long.BYTES != 0 || settings.table().recordBytes() < 2 * Long.BYTES) {
            cell.complain(
                    "objects of %d bytes: they must be whole words of 8 bytes, two at least"
                            .formatted(settings.table().recordBytes()),
                    "table.record-bytes");
            return;
        }
        if (own.writes() > own.reads()) {
            cell.complain(
                    "a transaction writes %d of the %d objects that it reads".formatted(own.writes(), own.reads()),
                    WRITTEN,
                    READS);
            return;
        }
        checkObjects(cell, own);
        own.sharing(settings).check(cell, SHARING);
        MessagingChecks.check(
                cell,
                RING_BYTES,
                own.ringBytes(),
                TransactionsDeployment.maxMessageBytes(settings),
                List.of(READS, WRITTEN, "table.record-bytes"));
        MessagingChecks.checkSendQueue(cell, IN_FLIGHT, TransactionsDeployment.sendQueue(own));
        MessagingChecks.checkReads(cell, FarmSystem.TWO_SIDED);
        checkWrites(cell, own, writes && own.writes() > 0);
    }

    private static void checkObjects(CellCheck cell, TransactionSettings own) {
        Settings settings = cell.settings();
        long records = settings.table().records();
        if (records < own.reads()) {
            cell.complain(
                    "a transaction reads %d different objects of %d".formatted(own.reads(), records),
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

    private static void checkWrites(CellCheck cell, TransactionSettings own, boolean writes) {
        if (!writes) {
            List<String> keys = new ArrayList<>(OF_REPLICAS);
            keys.addAll(List.of(REPLICAS, LOCKING, VALIDATION, UPDATE_US, MAX_READ_US, SECTION + ".back-off-us"));
            if (cell.settings().workload().writes() > 0) {
                cell.hasNoEffect(
                        WRITES, "its transactions write no object: it is for farm-transactions.writes above 0");
            } else {
                keys.add(WRITTEN);
            }
            keys.forEach(key -> cell.hasNoEffect(key, "nobody writes: it is for workload.writes above 0"));
            return;
        }
        if (own.writes() == own.reads()) {
            cell.hasNoEffect(
                    VALIDATION, "all that transactions read is locked, since they write it: nothing is validated");
        }
        checkAge(cell, own);
        if (own.replicas() == 0) {
            OF_REPLICAS.forEach(key ->
                    cell.hasNoEffect(key, "there are no replicas: it is for farm-transactions.replicas above 0"));
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

    private static void checkAge(CellCheck cell, TransactionSettings own) {
        if (!cell.settings().isReal() && cell.nic() == null) {
            return;
        }
        FarmSystem.checkAge(cell, own.localUs(), own.updateUs(), own.maxReadUs(), MAX_READ_US, UPDATE_US);
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return new TransactionsDeployment(settings, nic, repeat);
    }
}
