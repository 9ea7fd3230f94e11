package org.reprobe.farm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.commit.LogDevice;
import org.reprobe.farm.commit.LogFile;
import org.reprobe.farm.commit.LogMedium;
import org.reprobe.farm.commit.LogStages;
import org.reprobe.farm.commit.ReplicationMode;
import org.reprobe.farm.messages.Messages;
import org.reprobe.farm.messages.QueuePairSharing;
import org.reprobe.farm.messages.RingPlaces;
import org.reprobe.farm.table.OutsideSlots;
import org.reprobe.system.Settings;

/**
 * Settings that FaRM's schemes share.
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
                and the key stands with its value, as in MemC3.""") OutsideSlots slots,

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
        LogMedium logs,

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
    private static final double BYTES_PER_MB = 1e6;

    boolean logsInFiles() {
        return replicas > 0 && logs == LogMedium.FILES;
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

    /** Returns what replicas' logs are written to. */
    LogStages logStages(int machines) {
        return new LogStages(logDevices(machines), logsInFiles());
    }

    /** Returns a simulated SSD for each machine; none where logs stay in memory, or there are none. */
    List<LogDevice> logDevices(int machines) {
        return replicas == 0 || ssdMbPerS == 0
                ? List.of()
                : Stream.generate(() -> new LogDevice(ssdMbPerS * BYTES_PER_MB, ssdBufferBytes))
                        .limit(machines)
                        .toList();
    }

    /** Returns the bytes outside of the Java heap that so many threads need for files of logs. */
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
                            "farm.logs: files: temporary files of this machine are in memory (tmpfs), where a flush does nothing")
                    : List.of();
        } catch (IOException _) {
            return List.of(); // no warning where the type of the file system is unknown
        }
    }
}
