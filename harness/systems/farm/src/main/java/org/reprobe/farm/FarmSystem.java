package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.Explorable;
import org.reprobe.system.MachinesTest;
import org.reprobe.system.MachinesTestable;
import org.reprobe.system.NamedWorkloads;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.table.Storage;
import org.reprobe.trial.SystemTrials;
import org.reprobe.workload.NamedWorkload.Writes;

/** FaRM (2014): lookups in a hash table over the memories of all machines, by one-sided READs or by messages. */
public final class FarmSystem implements Explorable, MachinesTestable {
    private static final double NS_PER_US = 1e3;

    /** What an update takes a real CPU at least, whose lock and fences alone take as long. */
    private static final double MIN_UPDATE_US = 0.1;

    private static final String ONE_SIDED = "farm";
    static final String TWO_SIDED = "farm-two-sided";
    static final String TRANSACTIONS = "farm-transactions";
    static final String TAO = "farm-tao";
    static final String RING_BYTES = "farm.ring-bytes";
    private static final String SLOTS = "farm.slots";
    static final String ASSUME_IN_ORDER = "farm.assume-in-order";
    private static final String KEYS_PER_GET = "farm.keys-per-get";
    static final String MAX_READ_US = "farm.max-read-us";
    static final String UPDATE_US = "farm.update-us";
    static final String WRITES = "workload.writes";
    static final String REPLICAS = "farm.replicas";
    static final String LEASE_MS = "farm.lease-ms";
    static final String LOGS = "farm.logs";

    /** Those that only matter where there are messages. */
    private static final List<String> OF_MESSAGES = List.of(RING_BYTES, ASSUME_IN_ORDER);

    /** Those that only matter where values are updated. */
    private static final List<String> OF_UPDATES = List.of("farm.back-off-us", UPDATE_US, "farm.combining", REPLICAS);

    /** Those that only matter where updates are replicated. */
    static final List<String> OF_REPLICAS =
            List.of("farm.replication", "farm.log-bytes", LOGS, "farm.ssd-mb-per-s", "farm.ssd-buffer-bytes");

    /** Those of threads whose transactions commit over machines. */
    static final List<String> OF_COMMITS = Stream.concat(
                    Stream.of(
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
                            RING_BYTES,
                            ASSUME_IN_ORDER),
                    OF_REPLICAS.stream())
            .toList();

    /** Those that only matter where lookups READ meanwhile. */
    private static final List<String> OF_READS = List.of(MAX_READ_US, "farm.retries");

    /**
     * FaRM.
     *
     * @param ranks 0 for as many as records
     * @param localUs 0 for the profile's
     * @param updateUs 0 for as much as {@code localUs}
     * @param ssdMbPerS 0 for logs in memory
     */
    @Section(
            name = "farm",
            meaning =
                    "Schemes farm and farm-two-sided: chained associative hopscotch over all machines, which serve and ask; farm-transactions over objects, and farm-tao over a graph.")
    public record FarmSettings(
            @Key(byDefault = "8", min = 2, max = 64, meaning = """
                    H, even: a key stands in one of two buckets of H/2 slots, or in its home's chain.""")
            int neighbourhood,

            @Key(byDefault = "16", min = 8, max = 256, meaning = """
                    Bytes of a key, a multiple of 8; the rest of table.record-bytes is its value.""")
            int keyBytes,

            @Key(byDefault = "keys", meaning = """
                    farm-two-sided: what slots have where values stand outside (table.storage: heap). keys: the key. tags: a byte of its hash, \
                    and the key stands with its value, as in MemC3.""") Slots slots,

            @Key(
                    byDefault = "8",
                    min = 1,
                    max = 256,
                    meaning =
                            "Lookups, multi-gets, transactions or operations on a graph that each thread has in flight.")
            int inFlight,

            @Key(byDefault = "1", min = 1, max = 1024, fabrics = "sim", meaning = """
                    sim: threads of a machine that share their queue pairs.""")
            int sharing,

            @Key(byDefault = "own", min = 1, max = Integer.MAX_VALUE, or = "own", meaning = """
                    Ranks of zipf, scattered over the records or nodes: as many as a larger table has that this one stands for. own: one \
                    for each record.""")
            long ranks,

            @Key(byDefault = "lookup", above = 0, max = 1000, or = "lookup", fabrics = "sim", meaning = """
                    sim: microseconds that a thread takes for a lookup in its own machine's memory, or to lock or validate an object there, or find room for one. lookup: what the profile says of \
                    any lookup's CPU time (client.lookup-ns).""")
            double localUs,

            @Key(byDefault = "1", min = 1, max = 1024, meaning = """
                    farm-two-sided: keys that an operation looks up together (a multi-get), in one message to each machine that has some. \
                    Each counts as a lookup.""")
            int keysPerGet,

            @Key(byDefault = "1", min = 0.001, max = 1000, meaning = """
                    Microseconds that whoever has met an update waits at most before it looks again: a random time. farm-transactions, farm-tao: and before it \
                    begins anew after its first abort; after each further one twice as long, 64 times at most. With workload.writes.""")
            double backOffUs,

            @Key(byDefault = "1000", above = 0, max = 100_000, meaning = """
                    farm, farm-transactions, farm-tao: microseconds after which what a READ has brought is no longer trusted, so that it is made again: less than 2^14 updates \
                    take, after which the 16 bits of the versions in cache lines are as before. With workload.writes.""")
            double maxReadUs,

            @Key(byDefault = "8", min = 0, max = 1_000_000, meaning = """
                    farm: READs that a lookup makes again, since they met updates or took too long, before it is sent to the key's machine \
                    as a message. With workload.writes.""")
            int retries,

            @Key(byDefault = "lookup", above = 0, max = 1000, or = "lookup", fabrics = "sim", meaning = """
                    sim: microseconds for which a thread keeps what it changes locked. lookup: as long as a lookup in its own machine's \
                    memory takes. With workload.writes.""")
            double updateUs,

            @Key(byDefault = "true", meaning = """
                    Whether updates of a key that threads of its machine have at the same time are done by one transaction. With workload.writes.""") boolean combining,

            @Key(byDefault = "0", min = 0, max = 16, meaning = """
                    Replicas of each region besides its primary, on the machines that follow: they log what updates write before it is written, \
                    and before the update is answered. With workload.writes.""")
            int replicas,

            @Key(byDefault = "commit-only", meaning = """
                    What replicas are told of an update: commit-only: what it writes, as it commits. prepare-commit: what it would write, and \
                    then, in another message, that it commits. With farm.replicas.""") ReplicationMode replication,

            @Key(byDefault = "262144", min = 4096, max = 1 << 30, meaning = """
                    Bytes of the log of what replicas are told, of each thread, a multiple of 8. It is cleaned when it is half full, and must have \
                    room twice for the last versions of all objects that are updated. With farm.replicas.""")
            int logBytes,

            @Key(
                    byDefault = "memory",
                    fabrics = {"shm", "tcp", "verbs"},
                    meaning = """
                    shm, tcp, verbs: where replicas' logs are. memory: in memory alone. files: also in files, six times as long as farm.log-bytes for each thread, where its \
                    process has temporary files; a replica answers when what it logs is flushed. With farm.replicas; not farm-tao.""")
            Logs logs,

            @Key(byDefault = "memory", above = 0, max = 1e6, or = "memory", fabrics = "sim", meaning = """
                    sim: MB/s that each machine's SSD reads and writes. Logs go there; their cleaning reads two bytes and writes one for each \
                    that is logged. memory: logs stay in memory. With farm.replicas.""")
            double ssdMbPerS,

            @Key(byDefault = "4194304", min = 0, max = 1 << 30, fabrics = "sim", meaning = """
                    sim: bytes of non-volatile memory in front of each machine's SSD. A replica answers when what it logs is there. It is full \
                    when a run begins. With farm.ssd-mb-per-s.""")
            int ssdBufferBytes,

            @Key(byDefault = "none", above = 0, max = 10_000, or = "none", meaning = """
                    farm-transactions: milliseconds that a lease lasts. A machine without one is evicted, and replicas take over what it was the primary \
                    of; a transaction says that it has committed when a primary has written as well. none: no machine may fail (faults). With \
                    farm.replicas and farm.replication: prepare-commit.""")
            double leaseMs,

            @Key(byDefault = "4096", min = 48, max = 1 << 28, meaning = """
                    farm-two-sided, farm-transactions, farm-tao, and farm with workload.writes: bytes of the ring from a thread to another machine, a multiple of 16; it takes messages of up to half \
                    of that, with 16 bytes around each.""")
            int ringBytes,

            @Key(byDefault = "false", fabrics = "verbs", meaning = """
                    verbs, farm-two-sided, farm-transactions, farm-tao, and farm with workload.writes: take for granted that the card lands the bytes of a WRITE in the order of addresses, also where it \
                    does not promise that (./run.sh doctor tells). Rings of messages need it.""")
            boolean assumeInOrder) {

        /** Where replicas' logs are, on real fabrics. */
        public enum Logs {
            MEMORY,
            FILES
        }

        boolean logsInFiles() {
            return replicas > 0 && logs == Logs.FILES;
        }

        QueuePairSharing sharing(Settings settings) {
            return QueuePairSharing.of(settings, sharing);
        }

        /**
         * Rings between all threads.
         *
         * @param memories by machine
         * @param regions by machine
         * @param sendQueue of a queue pair
         * @param outstandingReads of a queue pair
         */
        Messages.Rings rings(
                Settings settings,
                RingPlaces places,
                List<MemorySegment> memories,
                List<RemoteRegion> regions,
                int sendQueue,
                int outstandingReads) {
            return new Messages.Rings(
                    places,
                    memories,
                    regions,
                    client -> sharing(settings).options(client, sendQueue, outstandingReads),
                    assumeInOrder,
                    0,
                    leaseMs > 0);
        }
    }

    /** What a slot has whose value stands outside. */
    public enum Slots {
        KEYS,
        TAGS;

        SlotContent outside() {
            return this == KEYS ? SlotContent.KEY : SlotContent.TAG;
        }
    }

    @Override
    public int position() {
        return 6;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(
                new Scheme(ONE_SIDED, "FaRM"),
                new Scheme(TWO_SIDED, "FaRM's table, by messages"),
                new Scheme(TRANSACTIONS, "FaRM's transactions"),
                new Scheme(TAO, "Tao on FaRM"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(FarmSettings.class, TransactionSettings.class, TaoSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        if (scheme.equals(TRANSACTIONS)) {
            return TransactionChecks.READ;
        }
        if (scheme.equals(TAO)) {
            return Set.copyOf(TaoChecks.READ);
        }
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
                WRITES,
                NamedWorkloads.KEY));
        keys.addAll(OF_MESSAGES);
        keys.addAll(OF_UPDATES);
        keys.addAll(OF_REPLICAS);
        if (scheme.equals(TWO_SIDED)) {
            keys.add(KEYS_PER_GET);
            keys.add(SLOTS);
        } else {
            keys.add("connection.outstanding-reads");
            keys.addAll(OF_READS);
        }
        return keys;
    }

    @Override
    public Map<String, String> alternatives() {
        return Map.of(
                "connection.send-queue", "use farm.in-flight",
                "load.rate-per-s", "its threads begin a lookup when one has ended; use farm.in-flight");
    }

    @Override
    public void check(CellCheck cell) {
        if (cell.settings().scheme().equals(TRANSACTIONS)) {
            TransactionChecks.check(cell);
            return;
        }
        if (cell.settings().scheme().equals(TAO)) {
            TaoChecks.check(cell);
            return;
        }
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        RemoteSystems.checkKeys(cell);
        RemoteSystems.checkSlots(cell, 1);
        checkNamed(cell);
        if (own.neighbourhood() % 2 != 0) {
            cell.complain(
                    "a neighbourhood of %d: half of it are a bucket's slots, so it must be even"
                            .formatted(own.neighbourhood()),
                    "farm.neighbourhood");
        }
        if (own.keyBytes() % Long.BYTES != 0) {
            cell.complain(
                    "keys of %d bytes: they must be whole words of 8 bytes".formatted(own.keyBytes()),
                    "farm.key-bytes");
        }
        int valueBytes = settings.table().recordBytes() - own.keyBytes();
        if (valueBytes < Long.BYTES || valueBytes % Long.BYTES != 0) {
            cell.complain(
                    "records of %d bytes with keys of %d leave %d for a value, which must be whole words of 8 bytes"
                            .formatted(settings.table().recordBytes(), own.keyBytes(), Math.max(0, valueBytes)),
                    "table.record-bytes",
                    "farm.key-bytes");
        }
        if (settings.table().records() < settings.clients().machines()) {
            cell.complain(
                    "%d records can't be spread over %d machines"
                            .formatted(
                                    settings.table().records(),
                                    settings.clients().machines()),
                    "table.records",
                    "clients.machines");
        }
        boolean hasLayout = own.neighbourhood() % 2 == 0 && valueBytes >= Long.BYTES;
        if (hasLayout && !FarmDeployment.layout(settings).fitsObjects()) {
            cell.complain(
                    "records of %d bytes: two of them and the pointer to the next overflow block, or a value outside, must be in an object of 1 MiB"
                            .formatted(settings.table().recordBytes()),
                    "table.record-bytes");
        }
        own.sharing(settings).check(cell, "farm.sharing");
        NicProfile nic = cell.nic();
        boolean twoSided = settings.scheme().equals(TWO_SIDED);
        boolean updates = settings.workload().writes() > 0;
        if (twoSided && own.slots() == Slots.TAGS) {
            checkTags(cell, updates);
        }
        if ((twoSided || updates) && (hasLayout || own.replicas() == 0)) {
            MessagingChecks.check(
                    cell,
                    RING_BYTES,
                    own.ringBytes(),
                    FarmMessagesDeployment.maxMessageBytes(settings, updates),
                    updates
                            ? List.of("table.record-bytes", "farm.key-bytes", WRITES)
                            : List.of(KEYS_PER_GET, "table.record-bytes"));
            MessagingChecks.checkSendQueue(cell, "farm.in-flight", FarmMessagesDeployment.sendQueue(own, !twoSided));
        }
        if (!twoSided) {
            MessagingChecks.checkReads(cell, TWO_SIDED);
        }
        if (updates) {
            checkUpdates(cell, twoSided);
            checkReplicas(cell);
        } else {
            OF_REPLICAS.forEach(
                    key -> cell.hasNoEffect(key, "nobody updates a value: it is for farm.replicas above 0"));
            String nobody = "nobody updates a value: it is for workload.writes above 0";
            OF_UPDATES.forEach(key -> cell.hasNoEffect(key, nobody));
            if (!twoSided) {
                OF_READS.forEach(key -> cell.hasNoEffect(key, nobody));
                String noMessages = "lookups READ, and nobody updates a value: it is for workload.writes above 0";
                OF_MESSAGES.forEach(key -> cell.hasNoEffect(key, noMessages));
            }
        }
        if (!settings.isReal()
                && settings.clients().machines() == 1
                && own.localUs() == 0
                && nic != null
                && nic.client().lookupNs() == 0) {
            cell.complain(
                    "one machine's lookups are all in its own memory, and on %s they take no time: say farm.local-us"
                            .formatted(settings.nic()),
                    "clients.machines",
                    "nic");
        }
    }

    private static void checkNamed(CellCheck cell) {
        NamedWorkloads.check(cell, EnumSet.allOf(Writes.class), Map.of());
        if (cell.settings().workload().isNamed()) {
            cell.hasNoEffect("farm.ranks", "YCSB's workloads have 10^10 ranks on any table");
        }
    }

    private static void checkTags(CellCheck cell, boolean updates) {
        if (cell.settings().table().storage() == Storage.INLINE) {
            cell.complain(
                    "slots with tags lead to records outside of them, and table.storage is inline: say heap",
                    SLOTS,
                    "table.storage");
        }
        if (updates) {
            cell.complain(
                    "slots with tags are for lookups: updates (writes is %s) find keys in the slots"
                            .formatted(cell.settings().workload().writes()),
                    SLOTS,
                    WRITES);
        }
    }

    /** Complains of replicas that there can't be, and of keys that are for replicas. */
    static void checkReplicas(CellCheck cell) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        if (own.replicas() == 0) {
            OF_REPLICAS.forEach(key -> cell.hasNoEffect(key, "there are no replicas: it is for farm.replicas above 0"));
            return;
        }
        if (own.ssdMbPerS() == 0) {
            cell.hasNoEffect("farm.ssd-buffer-bytes", "logs stay in memory: it is for farm.ssd-mb-per-s");
        }
        if (own.replicas() >= settings.clients().machines()) {
            cell.complain(
                    "%d replicas besides the primary on %d machines: each copy is on a machine of its own"
                            .formatted(own.replicas(), settings.clients().machines()),
                    REPLICAS,
                    "clients.machines");
        }
        if (settings.table().storage() != Storage.INLINE) {
            cell.complain("replicas log buckets and blocks: values must be in them", REPLICAS, "table.storage");
        }
        if (own.logBytes() % Long.BYTES != 0) {
            cell.complain(
                    "a log of %d bytes: it has whole words of 8 bytes".formatted(own.logBytes()), "farm.log-bytes");
        }
        if (own.logsInFiles() && own.logBytes() > LogFile.MAX_LOG_BYTES) {
            cell.complain(
                    "a log of %d bytes: in files it has %d at most".formatted(own.logBytes(), LogFile.MAX_LOG_BYTES),
                    "farm.log-bytes",
                    LOGS);
        }
    }

    private static void checkUpdates(CellCheck cell, boolean twoSided) {
        Settings settings = cell.settings();
        FarmSettings own = settings.section(FarmSettings.class);
        if (twoSided && own.keysPerGet() > 1) {
            cell.complain(
                    "multi-gets of %d keys and updates (writes is %s): an operation updates one key or looks one up"
                            .formatted(own.keysPerGet(), settings.workload().writes()),
                    KEYS_PER_GET,
                    WRITES);
        }
        if (!twoSided) {
            checkAge(cell);
        }
    }

    /** Complains of READs that may take so long that versions come round meanwhile. */
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
            cell.complain(
                    "a READ of %s us (max-read-us) could meet versions that have come round: %d updates of %s us take %s us"
                            .formatted(own.maxReadUs(), ObjectWriter.VERSIONS, updateUs, wrapUs),
                    settings.isReal() ? new String[] {MAX_READ_US} : new String[] {MAX_READ_US, UPDATE_US});
        }
    }

    @Override
    public MachinesTest machinesTest() {
        return new TransactionsMachinesTest();
    }

    @Override
    public SystemTrials trials() {
        return FarmTrials.all();
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        if (settings.scheme().equals(TRANSACTIONS)) {
            return new TransactionsDeployment(settings, repeat);
        }
        if (settings.scheme().equals(TAO)) {
            return new TaoDeployment(settings, repeat);
        }
        return settings.scheme().equals(TWO_SIDED) || settings.workload().writes() > 0
                ? new FarmMessagesDeployment(settings, nic, repeat)
                : new FarmDeployment(settings, nic, repeat);
    }
}
