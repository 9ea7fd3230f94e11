package org.reprobe.verb;

import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.remote.RemoteSystems;
import org.reprobe.system.CellCheck;
import org.reprobe.system.Settings;
import org.reprobe.verb.VerbSettings.Addresses;
import org.reprobe.verb.VerbSettings.Exchange;
import org.reprobe.verb.VerbSettings.Kind;
import org.reprobe.verb.VerbSettings.Refill;

/** Checks of the keys of single requests. */
final class VerbChecks {
    /** Each client remembers the last value of every word. */
    private static final int MAX_WORDS = 1 << 20;

    private static final String KIND = "verb.kind";
    private static final String EXCHANGE = "verb.exchange";
    private static final String SHARING = "verb.sharing";
    private static final String DOORBELLS = "verb.doorbells";
    private static final String IN_FLIGHT = "verb.in-flight";
    private static final String BATCH = "verb.batch";
    private static final String LOCK_UNKNOWN =
            "%s is %d, but the lock time of shared %s is unknown for %s (card.lock-ns)";
    private static final String SIGNAL_EVERY = "verb.signal-every";
    private static final String REGION_BYTES = "verb.region-bytes";
    private static final String OUTSTANDING_READS = "connection.outstanding-reads";

    private VerbChecks() {}

    static void checkCompareAndSwap(CellCheck cell) {
        RemoteSystems.checkAtomics(cell);
        long records = cell.settings().table().records();
        if (records > MAX_WORDS) {
            cell.reportProblem(
                    "%d records: compare-and-swap takes at most %d words of 8 bytes".formatted(records, MAX_WORDS),
                    "table.records",
                    "scheme");
        }
    }

    static void check(CellCheck cell) {
        VerbSettings verb = cell.settings().section(VerbSettings.class);
        checkEffects(cell, verb);
        checkInFlight(cell, verb);
        if (!cell.settings().isReal()) {
            checkLocks(cell, verb);
        }
        checkCard(cell, verb);
        if (verb.effectiveExchange() != Exchange.REQUEST) {
            checkExchange(cell, verb);
        }
        if (verb.places() == 0) {
            cell.reportProblem(
                    "region-bytes is %d, but one payload has %d".formatted(verb.regionBytes(), verb.bytes()),
                    REGION_BYTES,
                    "verb.bytes");
        }
    }

    private static void checkEffects(CellCheck cell, VerbSettings verb) {
        Kind kind = verb.kind();
        if (verb.effectiveExchange() == Exchange.REQUEST) {
            cell.reportNoEffect(
                    EXCHANGE,
                    kind == Kind.WRITE
                            ? "no program replies to a WRITE; use ping-pong, or kind: send"
                            : "no program replies to READs and atomics; use kind: write or send");
        }
        if (!kind.carriesPayload()) {
            cell.reportNoEffect("verb.inline-bytes", "READs and atomics carry no payload; use kind: write or send");
        } else {
            cell.reportNoEffect(OUTSTANDING_READS, "it limits READs and atomics; use verb.in-flight");
        }
        if (kind == Kind.SEND || verb.isWritePingPong()) {
            cell.reportNoEffect("verb.addresses", "the receiver has one buffer per sender; use kind: read");
        }
        if (verb.addresses() == Addresses.ONE) {
            cell.reportNoEffect(REGION_BYTES, "all requests use one address; use addresses: random");
        }
    }

    private static void checkLocks(CellCheck cell, VerbSettings verb) {
        NicProfile nic = cell.nic();
        boolean unknown = nic != null && nic.card().lockNs() == 0;
        if (verb.sharing() > 1 && (verb.kind() == Kind.SEND || verb.isWritePingPong())) {
            cell.reportProblem(
                    "sharing is %d, but with %s each thread has queue pairs of its own; use 1"
                            .formatted(verb.sharing(), verb.kind() == Kind.SEND ? "kind: send" : "a ping-pong"),
                    SHARING,
                    KIND);
        } else if (verb.sharing() > 1 && unknown) {
            cell.reportProblem(
                    LOCK_UNKNOWN.formatted("sharing", verb.sharing(), "queue pairs", nic(cell)), SHARING, "nic");
        }
        if (verb.doorbells() > 0 && unknown) {
            cell.reportProblem(
                    LOCK_UNKNOWN.formatted("doorbells", verb.doorbells(), "doorbells", nic(cell)), DOORBELLS, "nic");
        }
        if (verb.isWritePingPong()) {
            cell.reportNoEffect(DOORBELLS, "a thread of a ping-pong has one message at a time; use exchange: request");
        }
    }

    private static String nic(CellCheck cell) {
        return cell.settings().nic();
    }

    private static void checkInFlight(CellCheck cell, VerbSettings verb) {
        if (verb.batch() > verb.inFlight()) {
            cell.reportProblem(
                    "batch is %d, but a queue pair has at most %d requests in flight"
                            .formatted(verb.batch(), verb.inFlight()),
                    BATCH,
                    IN_FLIGHT);
        }
        if (verb.signalEvery() > verb.inFlight()) {
            cell.reportProblem(
                    "signal-every is %d, but a queue pair has at most %d requests in flight: the client would wait for ever"
                            .formatted(verb.signalEvery(), verb.inFlight()),
                    SIGNAL_EVERY,
                    IN_FLIGHT);
        }
        if (verb.refill() == Refill.EACH
                && verb.batch() % verb.signalEvery() != 0
                && verb.signalEvery() % verb.batch() != 0) {
            // Otherwise all posted requests could be without completion while the rest waits for a full batch.
            cell.reportProblem(
                    "batch is %d and signal-every is %d: one must be a multiple of the other, or use refill: all"
                            .formatted(verb.batch(), verb.signalEvery()),
                    BATCH,
                    SIGNAL_EVERY);
        }
    }

    private static void checkExchange(CellCheck cell, VerbSettings verb) {
        checkOne(cell, verb, "verb.queue-pairs", verb.queuePairs());
        checkOne(cell, verb, IN_FLIGHT, verb.inFlight());
        Settings.Clients clients = cell.settings().clients();
        if (verb.isWritePingPong() && clients.machines() < 2) {
            cell.reportProblem(
                    "machines is 1, but in a ping-pong by WRITE the last client machine is the server; use 2 or more",
                    "clients.machines",
                    EXCHANGE,
                    KIND);
        }
        if (verb.isWritePingPong() && !cell.settings().faults().isEmpty()) {
            cell.reportProblem("a ping-pong by WRITE does not survive faults; use kind: send", EXCHANGE, KIND);
        }
    }

    private static void checkOne(CellCheck cell, VerbSettings verb, String key, int value) {
        if (value != 1) {
            cell.reportProblem(
                    "%s is %d, but with exchange %s a thread has one message at a time; use 1, or exchange: request"
                            .formatted(
                                    key.substring(key.indexOf('.') + 1),
                                    value,
                                    verb.exchange() == Exchange.REPLY ? "reply" : "ping-pong"),
                    key,
                    EXCHANGE);
        }
    }

    private static void checkCard(CellCheck cell, VerbSettings verb) {
        NicProfile nic = cell.nic();
        if (cell.settings().isReal() || nic == null) {
            return;
        }
        if (verb.kind().isAtomic()) {
            RemoteSystems.checkAtomics(cell);
        }
        NicProfile.Limits limits = nic.limits();
        Settings.Clients clients = cell.settings().clients();
        long queuePairs = clients.machines() * verb.queuePairsOfMachine(clients.threads());
        int maxInFlight = limits.sendQueue() - VerbWorkload.reserved(verb);
        limit(cell, IN_FLIGHT, "in-flight is %d", verb.inFlight(), maxInFlight);
        limit(cell, "verb.bytes", "bytes is %d", verb.bytes(), limits.messageBytes());
        limit(cell, "verb.queue-pairs", "the clients need %d queue pairs", queuePairs, limits.queuePairs());
        if (!verb.kind().carriesPayload()) {
            limit(
                    cell,
                    OUTSTANDING_READS,
                    "outstanding-reads is %d",
                    cell.settings().connection().outstandingReads(),
                    limits.outstandingReads());
        }
    }

    private static void limit(CellCheck cell, String key, String what, long value, long max) {
        if (value > max) {
            cell.reportProblem(
                    (what + ", but %s allows at most %d")
                            .formatted(value, cell.settings().nic(), max),
                    key,
                    "nic");
        }
    }
}
