package org.reprobe.farm;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.document.Key;
import org.reprobe.analysis.document.Section;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.farm.messages.QueuePairSharing;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Deployment;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.Scheme;
import org.reprobe.system.Settings;
import org.reprobe.system.SystemUnderTest;

/** Reads of random blocks of other machines, all to all (FaRM 2014, section 3.1, figures 2 to 5). */
public final class FarmReadsSystem implements SystemUnderTest {
    private static final String SECTION = "farm-reads";
    private static final String READ_BYTES = SECTION + ".read-bytes";
    private static final String MEMORY_BYTES = SECTION + ".memory-bytes";
    private static final String SHARING = SECTION + ".sharing";
    private static final String TWO_WAY = SECTION + ".two-way";
    private static final String RING_BYTES = SECTION + ".ring-bytes";
    private static final String POLL_NS = SECTION + ".poll-ns";
    static final String ASSUME_IN_ORDER = SECTION + ".assume-in-order";
    private static final String MESSAGES = "farm-messages";
    private static final String SENDS = "farm-sends";
    private static final long MIB = 1 << 20;

    /** Keys of section {@code farm-reads}; {@code representsMib} is 0 for the actual memory. */
    @Section(name = SECTION, meaning = """
            Schemes farm-reads, farm-messages and farm-sends: machines are clients and servers, and their threads read random \
            blocks of other machines' memory. farm-reads uses READs. farm-messages and farm-sends send a request to a thread \
            there, by WRITEs into rings or by SENDs.""")
    public record ReadSettings(
            @Key(byDefault = "64", min = 8, max = 1 << 20, meaning = """
                    Bytes of a block; a multiple of 8. Blocks are at multiples of their length.""")
            int readBytes,

            @Key(byDefault = "8", min = 1, max = 8192, meaning = "READs or requests that a thread keeps in flight.")
            int inFlight,

            @Key(byDefault = "1", min = 1, max = 1024, fabrics = "sim", meaning = """
                    sim, farm-reads and farm-messages: q, threads of a machine that share a queue pair to each other machine. \
                    More than 1 requires a NIC profile with the cost of the lock (card.lock-ns).""")
            int sharing,

            @Key(byDefault = "false", fabrics = "sim", meaning = """
                    sim, farm-reads: threads of the same number on two machines read from each other over one queue pair. false: \
                    over one for each direction.""")
            boolean twoWay,

            @Key(byDefault = "1048576", min = 8, max = 1L << 40, meaning = "Bytes that each machine registers.")
            long memoryBytes,

            @Key(byDefault = "own", min = 1, max = 1 << 20, or = "own", fabrics = "sim", meaning = """
                    sim: registered memory per machine, in MiB, that memory-bytes represents. The card's cache of address translations is scaled \
                    down by the same factor, so that the small memory has the translation misses of the large one. own: the \
                    actual memory.""")
            int representsMib,

            @Key(byDefault = "4096", min = 48, max = 1 << 28, meaning = """
                    farm-messages: bytes of the ring from a thread to another machine, a multiple of 16. A message, with 16 bytes of framing, \
                    takes at most half of it.""")
            int ringBytes,

            @Key(byDefault = "0", min = 0, max = 1000, fabrics = "sim", meaning = """
                    sim, farm-messages: nanoseconds of CPU time for polling an empty ring. Each iteration of a thread's loop \
                    polls all of its rings.""")
            double pollNs,

            @Key(byDefault = "false", fabrics = "verbs", meaning = """
                    verbs, farm-messages: assume that the card writes the bytes of a WRITE in the order of addresses, as \
                    rings of messages require. Without this assumption, a card that does not guarantee the order is refused \
                    (see ./run.sh doctor).""")
            boolean assumeInOrder) {

        long blocks() {
            return memoryBytes / readBytes;
        }

        QueuePairSharing sharing(Settings settings) {
            return QueuePairSharing.of(settings, sharing);
        }

        /** Returns the ratio of represented memory to actual memory. */
        double memoryScale() {
            return representsMib == 0 ? 1 : (double) representsMib * MIB / memoryBytes;
        }
    }

    @Override
    public int position() {
        return 6;
    }

    @Override
    public List<Scheme> schemes() {
        return List.of(
                new Scheme(SECTION, "One-sided READs"),
                new Scheme(MESSAGES, "Messages there and back"),
                new Scheme(SENDS, "SENDs there and back"));
    }

    @Override
    public List<Class<? extends Record>> sections() {
        return List.of(ReadSettings.class);
    }

    @Override
    public Set<String> reads(String scheme) {
        Set<String> keys = new HashSet<>(List.of(READ_BYTES, SECTION + ".in-flight", MEMORY_BYTES));
        if (scheme.equals(SENDS)) {
            return keys;
        }
        keys.add(SHARING);
        if (scheme.equals(MESSAGES)) {
            keys.addAll(List.of(RING_BYTES, POLL_NS, ASSUME_IN_ORDER));
        } else {
            keys.addAll(FaultKeys.READ);
            keys.addAll(List.of(TWO_WAY, SECTION + ".represents-mib", "connection.outstanding-reads"));
        }
        return keys;
    }

    @Override
    public Map<String, String> alternatives() {
        return Map.of(
                "load.rate-per-s", "its threads keep a fixed number of READs in flight; use farm-reads.in-flight",
                "connection.send-queue", "use farm-reads.in-flight",
                "table.records", "it reads blocks of farm-reads.memory-bytes",
                "table.record-bytes", "use farm-reads.read-bytes");
    }

    @Override
    public void check(CellCheck cell) {
        Settings settings = cell.settings();
        ReadSettings own = settings.section(ReadSettings.class);
        switch (settings.scheme()) {
            case MESSAGES ->
                MessagingChecks.check(
                        cell,
                        RING_BYTES,
                        own.ringBytes(),
                        RandomMessagesDeployment.maxMessageBytes(own),
                        List.of(READ_BYTES));
            case SENDS -> checkSends(cell);
            default -> {
                FaultKeys.check(cell);
                MessagingChecks.checkReads(cell, MESSAGES);
                checkTwoWay(cell, own);
            }
        }
        if (settings.clients().machines() < 2) {
            cell.reportProblem(
                    "threads read the memory of other machines, but there is only one machine; use clients.machines of 2 or more",
                    "clients.machines",
                    "scheme");
        }
        if (own.readBytes() % Long.BYTES != 0) {
            cell.reportProblem("read-bytes is %d, but must be a multiple of 8".formatted(own.readBytes()), READ_BYTES);
        }
        if (own.readBytes() > own.memoryBytes()) {
            cell.reportProblem(
                    "READs of %d bytes are longer than the memory of %d bytes that they read"
                            .formatted(own.readBytes(), own.memoryBytes()),
                    READ_BYTES,
                    MEMORY_BYTES);
        }
        if (own.representsMib() > 0 && own.memoryScale() < 1) {
            cell.reportProblem(
                    "memory of %d bytes cannot represent %d MiB, which is less"
                            .formatted(own.memoryBytes(), own.representsMib()),
                    SECTION + ".represents-mib",
                    MEMORY_BYTES);
        }
        if (!settings.isReal()) {
            checkCard(cell, own);
        }
    }

    private static void checkTwoWay(CellCheck cell, ReadSettings own) {
        if (own.twoWay() && own.sharing() > 1) {
            cell.reportProblem(
                    "threads that share queue pairs cannot use them in both directions: two-way requires a sharing of 1",
                    TWO_WAY,
                    SHARING);
        }
        if (own.twoWay() && !cell.settings().faults().isEmpty()) {
            cell.reportProblem(
                    "threads cannot reconnect queue pairs of both directions: two-way requires a run without faults",
                    TWO_WAY,
                    "faults");
        }
    }

    private static void checkSends(CellCheck cell) {
        if (cell.settings().isReal()) {
            cell.reportProblem(
                    "over %s threads can't SEND to each other, only to the programs of servers: messages by SENDs are simulated; use scheme: %s"
                            .formatted(cell.settings().fabric(), MESSAGES),
                    "fabric",
                    "scheme");
        }
        MessagingChecks.checkCost(cell);
    }

    private static int sendQueue(Settings settings, ReadSettings own) {
        return switch (settings.scheme()) {
            case MESSAGES -> RandomMessagesDeployment.sendQueue(own);
            case SENDS -> RandomSendsDeployment.slots(own);
            default -> own.inFlight();
        };
    }

    private static void checkCard(CellCheck cell, ReadSettings own) {
        NicProfile nic = cell.nic();
        if (nic == null) {
            return;
        }
        Settings settings = cell.settings();
        boolean sends = settings.scheme().equals(SENDS);
        QueuePairSharing sharing = sends ? RandomSendsDeployment.sharing(settings) : own.sharing(settings);
        NicProfile.Limits limits = nic.limits();
        MessagingChecks.checkSendQueue(cell, SECTION + ".in-flight", sendQueue(settings, own));
        limit(
                cell,
                "connection.outstanding-reads",
                "outstanding-reads is %d, but %s allows at most %d",
                settings.connection().outstandingReads(),
                limits.outstandingReads());
        limit(cell, READ_BYTES, "READs of %d bytes: %s allows at most %d", own.readBytes(), limits.messageBytes());
        limit(
                cell,
                "clients.threads",
                "the machines need %d queue pairs each, but %s allows at most %d",
                sharing.queuePairs(settings.clients().threads()),
                limits.queuePairs());
        sharing.check(cell, SHARING);
    }

    private static void limit(CellCheck cell, String key, String message, long value, long max) {
        if (value > max) {
            cell.reportProblem(message.formatted(value, cell.settings().nic(), max), key, "nic");
        }
    }

    @Override
    public Deployment deployment(Settings settings, NicProfile nic, int repeat) {
        return switch (settings.scheme()) {
            case MESSAGES -> new RandomMessagesDeployment(settings, nic, repeat);
            case SENDS -> new RandomSendsDeployment(settings, nic, repeat);
            default -> new RandomReadsDeployment(settings, nic, repeat);
        };
    }
}
