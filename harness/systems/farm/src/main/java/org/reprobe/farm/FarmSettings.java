package org.reprobe.farm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.farm.commit.CommitRules.Locking;
import org.reprobe.farm.commit.LogDevice;
import org.reprobe.farm.commit.LogFile;
import org.reprobe.farm.commit.LogMedium;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.Replication;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.memory.RegionCopies;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.QueuePairSharing;
import org.reprobe.farm.table.OutsideSlots;
import org.reprobe.system.Settings;

/**
 * Keys of section {@code farm}, which FaRM's schemes share. 0 means: for {@code ranks} as many as records, for
 * {@code localUs} the NIC profile's value, for {@code updateUs} that of {@code localUs}, for {@code ssdMbPerS} logs in
 * memory.
 */
@Section(
        name = "farm",
        meaning =
                "Schemes farm and farm-two-sided: a chained associative hopscotch table on machines that are clients and servers; farm-transactions: transactions over objects; farm-tao: a graph.")
public record FarmSettings(
        @Key(byDefault = "8", min = 2, max = 64, meaning = """
                H, an even number: a key is in one of two buckets of H/2 slots, or in the chain of its home bucket.""")
        int neighbourhood,

        @Key(byDefault = "16", min = 8, max = 256, meaning = """
                Bytes of a key, a multiple of 8; the rest of table.record-bytes is its value.""")
        int keyBytes,

        @Key(byDefault = "keys", meaning = """
                farm-two-sided: content of slots if values are outside (table.storage: heap). keys: the key. tags: a byte of \
                its hash, with the key beside its value, as in MemC3.""") OutsideSlots slots,

        @Key(
                byDefault = "8",
                min = 1,
                max = 256,
                meaning = "Lookups, multi-gets, transactions or operations on a graph that each thread has in flight.")
        int inFlight,

        @Key(byDefault = "1", min = 1, max = 1024, fabrics = "sim", meaning = """
                sim: threads of a machine that share their queue pairs.""")
        int sharing,

        @Key(byDefault = "own", min = 1, max = Integer.MAX_VALUE, or = "own", meaning = """
                Ranks of zipf, scattered over the records or nodes: as many as in the larger table that this one represents. \
                own: one per record.""")
        long ranks,

        @Key(byDefault = "lookup", above = 0, max = 1000, or = "lookup", fabrics = "sim", meaning = """
                sim: microseconds of CPU time for a lookup in the memory of the thread's own machine, or to lock, validate or \
                allocate an object there. lookup: the CPU time of a lookup in the NIC profile (client.lookup-ns).""")
        double localUs,

        @Key(byDefault = "1", min = 1, max = 1024, meaning = """
                farm-two-sided: keys per lookup operation (a multi-get), in one message to each machine that holds some of them. \
                Each key counts as a lookup.""")
        int keysPerGet,

        @Key(byDefault = "1", min = 0.001, max = 1000, meaning = """
                Maximum random wait in microseconds before a READ that coincided with an update is repeated. farm-transactions, \
                farm-tao: also before a transaction is retried after its first abort; it doubles with each further abort, up to \
                64 times. With workload.writes.""")
        double backOffUs,

        @Key(byDefault = "1000", above = 0, max = 100_000, meaning = """
                farm, farm-transactions, farm-tao: microseconds after which the data of a READ expires and the READ is \
                repeated. It must be less than the time of 2^14 updates, after which the 16-bit versions of cache lines \
                repeat. With workload.writes.""")
        double maxReadUs,

        @Key(byDefault = "8", min = 0, max = 1_000_000, meaning = """
                farm: number of READs that a lookup repeats, because they coincided with updates or took too long, before it is \
                sent to the machine of the key as a message. With workload.writes.""")
        int retries,

        @Key(byDefault = "lookup", above = 0, max = 1000, or = "lookup", fabrics = "sim", meaning = """
                sim: microseconds for which a thread locks an object that it changes. lookup: the time of a lookup in the \
                memory of its own machine. With workload.writes.""")
        double updateUs,

        @Key(byDefault = "true", meaning = """
                True if threads of a machine combine concurrent updates of a key into one transaction. With workload.writes.""") boolean combining,

        @Key(byDefault = "0", min = 0, max = 16, meaning = """
                Replicas of each region in addition to its primary, on the following machines. They log the data of an update \
                before it is written and acknowledged. With workload.writes.""")
        int replicas,

        @Key(byDefault = "commit-only", meaning = """
                Replication of an update. commit-only: one message with the data, at the commit. prepare-commit: one message \
                with the data, and another one for the commit. With farm.replicas.""") ReplicationMode replication,

        @Key(byDefault = "readable", meaning = """
                farm: lock of an updated object while replicas log its update. readable: READs accept the object until it is \
                written (the paper's dual-mode locking). exclusive: READs reject it, and lookups are repeated until it is \
                unlocked. With farm.replicas.""") Locking locking,

        @Key(byDefault = "262144", min = 4096, max = 1 << 30, meaning = """
                Bytes of the replication log of each thread, a multiple of 8. It is cleaned when it is half full, and must \
                have space for twice the last versions of all updated objects. With farm.replicas.""")
        int logBytes,

        @Key(
                byDefault = "memory",
                fabrics = {"shm", "tcp", "verbs"},
                meaning = """
                shm, tcp, verbs: place of replicas' logs. memory: in memory only. files: also in files in the temporary folder of \
                the process, six times as long as farm.log-bytes per thread. A replica replies when its log is \
                flushed. With farm.replicas; not farm-tao.""")
        LogMedium logs,

        @Key(byDefault = "memory", above = 0, max = 1e6, or = "memory", fabrics = "sim", meaning = """
                sim: MB/s of reads and writes of each machine's SSD. Logs are written to it; cleaning reads two bytes and \
                writes one per logged byte. memory: logs stay in memory. With farm.replicas.""")
        double ssdMbPerS,

        @Key(byDefault = "4194304", min = 0, max = 1 << 30, fabrics = "sim", meaning = """
                sim: bytes of a non-volatile buffer in front of each machine's SSD, which is full at the start of a run. A \
                replica replies when its log records are in the buffer. With farm.ssd-mb-per-s.""")
        int ssdBufferBytes,

        @Key(byDefault = "none", above = 0, max = 10_000, or = "none", meaning = """
                farm-transactions: duration of a lease in milliseconds. A machine without a lease is evicted, and replicas take \
                over its regions. A transaction is acknowledged only after a primary has written, too. none: no machine may \
                fail (faults). With farm.replicas and farm.replication: prepare-commit.""")
        double leaseMs,

        @Key(byDefault = "4096", min = 48, max = 1 << 28, meaning = """
                farm-two-sided, farm-transactions, farm-tao, and farm with workload.writes: bytes of the ring from a thread to \
                another machine, a multiple of 16. A message, with 16 bytes of framing, takes at most half of it.""")
        int ringBytes,

        @Key(byDefault = "false", fabrics = "verbs", meaning = """
                verbs, farm-two-sided, farm-transactions, farm-tao, and farm with workload.writes: assume that the card writes \
                the bytes of a WRITE in the order of addresses, as rings of messages require. Without this assumption, a card \
                that does not guarantee the order is refused (see ./run.sh doctor).""")
        boolean assumeInOrder) {
    private static final double BYTES_PER_MB = 1e6;
    private static final double PS_PER_US = 1e6;
    private static final double NS_PER_US = 1e3;

    boolean logsInFiles() {
        return replicas > 0 && logs == LogMedium.FILES;
    }

    QueuePairSharing sharing(Settings settings) {
        return QueuePairSharing.of(settings, sharing);
    }

    /** Returns the settings of a run's threads; {@code seed} is for random waits. */
    ThreadPlan threads(Settings settings, long seed) {
        return new ThreadPlan(
                settings.clients().threads(),
                inFlight,
                (long) (localUs * PS_PER_US),
                (long) (updateUs * PS_PER_US),
                Math.max(1, (long) (backOffUs * NS_PER_US)),
                (long) (maxReadUs * NS_PER_US),
                seed);
    }

    /** Returns the replication of all regions; each machine is the primary of {@code regionsOfMachine}. */
    Replication replication(int machines, int regionsOfMachine) {
        List<LogDevice> devices = replicas == 0 || ssdMbPerS == 0
                ? List.of()
                : Stream.generate(() -> new LogDevice(ssdMbPerS * BYTES_PER_MB, ssdBufferBytes))
                        .limit(machines)
                        .toList();
        return new Replication(
                RegionCopies.inOrder(machines, regionsOfMachine, replicas),
                replication,
                locking,
                logBytes,
                new LogStages(devices, logsInFiles()));
    }

    /** Returns the off-heap bytes of log files. */
    long logBufferBytes(int threads) {
        return logsInFiles() ? threads * LogFile.bufferBytes(logBytes) : 0;
    }

    /** Returns warnings about logs for a result. */
    List<String> logWarnings() {
        if (!logsInFiles()) {
            return List.of();
        }
        try {
            String type = Files.getFileStore(Path.of(System.getProperty("java.io.tmpdir", ".")))
                    .type();
            return type.equals("tmpfs")
                    ? List.of(
                            "farm.logs: files: temporary files of this machine are in memory (tmpfs), where a flush has no effect")
                    : List.of();
        } catch (IOException _) {
            return List.of(); // no warning if the type of the file system is unknown
        }
    }
}
