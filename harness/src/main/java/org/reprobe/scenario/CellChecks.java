package org.reprobe.scenario;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.nessie.TransactionalOperations;
import org.reprobe.table.Refusal;
import org.reprobe.table.Refusals;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;

/**
 * What no single key shows: settings of a cell that don't go together. Each complaint stands at the first of its keys
 * that the user wrote; one about a key that is wrong by itself is kept back, since it would only repeat that.
 */
final class CellChecks {
    private static final int MOST_WORDS = 1 << 20;
    private static final long MOST_ITEMS = 1 << 29;
    private static final long MOST_PLACES = 1L << 40;

    private final Document document;
    private final Set<String> wrong;
    private final Map<String, @Nullable NicProfile> profiles;
    private final Set<Problem> problems = new LinkedHashSet<>();
    private final Map<TableSpec, List<Refusal>> refusals = new HashMap<>();

    /**
     * @param wrong dotted keys that are wrong by themselves
     * @param profiles the NIC profiles that cells name; null for one that can't be used
     */
    CellChecks(Document document, Set<String> wrong, Map<String, @Nullable NicProfile> profiles) {
        this.document = document;
        this.wrong = wrong;
        this.profiles = profiles;
    }

    /** All problems found, each once. */
    Set<Problem> problems() {
        return problems;
    }

    void check(CellValues cell) {
        SchemeName scheme = cell.scheme();
        if (scheme.isProtocol()) {
            protocol(cell, scheme);
            return;
        }
        if (cell.number("workload.writes") != 0) {
            complain(
                    cell,
                    "writes are for nessie, pilaf and find-or-put; " + scheme.key() + " only looks up",
                    "workload.writes",
                    "scheme");
        }
        boolean lookup = cell.word("workload.operation").equals("lookup");
        if (lookup) {
            table(cell);
        }
        boolean linear = scheme.table() == TableKind.LINEAR;
        if (!lookup && !linear) {
            complain(
                    cell,
                    "operation predict asks the read-size model, which " + scheme.key()
                            + " does not use; use a linear scheme",
                    "scheme",
                    "workload.operation");
        }
        if (lookup && !cell.isWord("model.hint-distance")) {
            complain(
                    cell,
                    "hint-distance is for operation predict; lookups take their hints from clusters.track",
                    "model.hint-distance",
                    "workload.operation");
        }
        boolean variable = scheme == SchemeName.LINEAR_VARIABLE || scheme == SchemeName.LINEAR_VARIABLE_UNCONSTRAINED;
        if (cell.node("clusters.track").booleanValue() && !variable) {
            complain(
                    cell,
                    "clusters are tracked by linear-variable and linear-variable-unconstrained only, not by "
                            + scheme.key(),
                    "clusters.track",
                    "scheme");
        }
        long slotBytes = cell.word("table.storage").equals("heap") ? 5 : cell.whole("table.record-bytes");
        if (scheme == SchemeName.LINEAR_FIXED && cell.isWord("read-slots") && cell.whole("read-bytes") < slotBytes) {
            complain(
                    cell,
                    "read-bytes is %d, less than one slot of %d bytes".formatted(cell.whole("read-bytes"), slotBytes),
                    "read-bytes",
                    "table.record-bytes");
        }
        if (scheme == SchemeName.CUCKOO_PARALLEL
                && !cell.isWord("connection.send-queue")
                && cell.whole("connection.send-queue") < cell.whole("table.hashes")) {
            complain(
                    cell,
                    "send-queue is %d, but a lookup of cuckoo-parallel posts %d READs at once"
                            .formatted(cell.whole("connection.send-queue"), cell.whole("table.hashes")),
                    "connection.send-queue",
                    "table.hashes",
                    "scheme");
        }
        if (cell.word("fabric").equals("sim")) {
            limits(cell, slotBytes);
        }
    }

    private static boolean needsAtomics(CellValues cell, SchemeName scheme) {
        return switch (scheme) {
            case NESSIE, FIND_OR_PUT, COMPARE_AND_SWAP -> true;
            case VERB -> cell.word("verb.kind").equals("compare-and-swap");
            default -> false;
        };
    }

    private void protocol(CellValues cell, SchemeName scheme) {
        if (!cell.word("workload.operation").equals("lookup")) {
            complain(
                    cell,
                    "operation predict asks the read-size model, which " + scheme.key()
                            + " does not use; use a linear scheme",
                    "workload.operation",
                    "scheme");
        }
        NicProfile nic = profiles.get(cell.word("nic"));
        if (cell.word("fabric").equals("sim") && nic != null && !nic.hasAtomics() && needsAtomics(cell, scheme)) {
            complain(
                    cell,
                    scheme.key() + " needs atomics, which " + cell.word("nic") + " does not have",
                    "nic",
                    "scheme");
        }
        boolean hasValue = scheme == SchemeName.NESSIE || scheme == SchemeName.PILAF;
        if (hasValue && cell.whole("table.record-bytes") < 2 * Long.BYTES) {
            complain(
                    cell,
                    "record-bytes is %d, but a record of %s has a key of 8 bytes and a value of 8 at least"
                            .formatted(cell.whole("table.record-bytes"), scheme.key()),
                    "table.record-bytes",
                    "scheme");
        }
        long clients = cell.whole("clients.machines") * cell.whole("clients.threads");
        if (hasValue || scheme == SchemeName.FIND_OR_PUT) {
            places(cell, scheme);
        }
        if (scheme == SchemeName.PILAF) {
            items(cell, "pilaf", cell.whole("table.records") + cell.whole("pilaf.free-items"), "pilaf.free-items");
        }
        if (scheme == SchemeName.NESSIE) {
            if (cell.node("nessie.always-possible").booleanValue()
                    && !cell.node("nessie.new-keys").booleanValue()) {
                complain(
                        cell,
                        "always-possible is about writes of new keys; it needs new-keys: true",
                        "nessie.always-possible",
                        "nessie.new-keys");
            }
            if (cell.node("nessie.always-possible").booleanValue()
                    && !cell.word("fabric").equals("sim")) {
                complain(
                        cell,
                        "always-possible looks at the server's memory while clients write, which only fabric sim allows; on fabric "
                                + cell.word("fabric") + " use false, and nessie.growth for what clients can't place",
                        "nessie.always-possible",
                        "fabric");
            }
            if (cell.word("nessie.rules").equals("rhtm")) {
                transactions(cell);
            }
            if (cell.whole("nessie.growth") > 0 && !cell.word("nessie.rules").equals("corrected")) {
                complain(
                        cell,
                        "the server's program needs what rules corrected leave behind; with rules "
                                + cell.word("nessie.rules") + " use growth 0",
                        "nessie.growth",
                        "nessie.rules");
            }
            items(
                    cell,
                    "nessie",
                    cell.whole("table.records") + clients * (1 + cell.whole("nessie.spare-items")),
                    "nessie.spare-items");
        } else if (scheme == SchemeName.COMPARE_AND_SWAP) {
            if (cell.whole("table.records") > MOST_WORDS) {
                complain(
                        cell,
                        "%d records: compare-and-swap takes at most %d words of 8 bytes"
                                .formatted(cell.whole("table.records"), MOST_WORDS),
                        "table.records",
                        "scheme");
            }
        } else if (cell.whole("table.records") < cell.whole("clients.machines")) {
            complain(
                    cell,
                    "%d records can't be spread over %d machines"
                            .formatted(cell.whole("table.records"), cell.whole("clients.machines")),
                    "table.records",
                    "clients.machines");
        }
    }

    private void items(CellValues cell, String scheme, long items, String free) {
        if (items > MOST_ITEMS) {
            complain(
                    cell,
                    "%d items: %s takes at most %d, of records and of %s"
                            .formatted(items, scheme, MOST_ITEMS, free.substring(free.indexOf('.') + 1)),
                    "table.records",
                    free);
        }
    }

    /** Places of a table that is far from full are more than any memory has long before their number overflows. */
    private void places(CellValues cell, SchemeName scheme) {
        double growth = scheme == SchemeName.NESSIE ? Math.max(1, cell.whole("nessie.growth")) : 1;
        double places = cell.whole("table.records") / cell.number("load-factor") * growth;
        if (places > MOST_PLACES) {
            complain(
                    cell,
                    "%d records at load factor %s need %.3g places, but %s takes at most %d"
                            .formatted(
                                    cell.whole("table.records"),
                                    cell.number("load-factor"),
                                    places,
                                    scheme.key(),
                                    MOST_PLACES),
                    "load-factor",
                    "table.records");
        }
    }

    private void transactions(CellValues cell) {
        if (!cell.word("fabric").equals("sim")) {
            complain(
                    cell,
                    "rules rhtm need a card with remote transactions, which no real one has; on fabric "
                            + cell.word("fabric") + " use corrected or printed, or use fabric sim",
                    "nessie.rules",
                    "fabric");
            return;
        }
        NicProfile profile = profiles.get(cell.word("nic"));
        if (profile != null && profile.transactions().words() < TransactionalOperations.MOST_WORDS) {
            complain(
                    cell,
                    "rules rhtm need a card with remote transactions of %d words, which %s has not; use one with a section transactions, such as rhtm-40g"
                            .formatted(TransactionalOperations.MOST_WORDS, cell.word("nic")),
                    "nessie.rules",
                    "nic");
        }
    }

    private void table(CellValues cell) {
        for (Refusal refusal : refusals.computeIfAbsent(cell.settings().tableSpec(0), Refusals::of)) {
            complain(
                    cell,
                    refusal.message(),
                    refusal.settings().stream().map(CellChecks::key).toArray(String[]::new));
        }
    }

    private static String key(Refusal.Setting setting) {
        return switch (setting) {
            case KIND -> "scheme";
            case RECORDS -> "table.records";
            case RECORD_BYTES -> "table.record-bytes";
            case LOAD_FACTOR -> "load-factor";
            case ASSOCIATIVITY -> "table.associativity";
            case HASHES -> "table.hashes";
            case NEIGHBOURHOOD -> "table.neighbourhood";
            case KEYS -> "workload.keys";
            case THETA -> "workload.theta";
            case KEY_SPACE -> "table.keys-per-record";
        };
    }

    private void limits(CellValues cell, long slotBytes) {
        String nic = cell.word("nic");
        NicProfile profile = profiles.get(nic);
        if (profile == null) {
            return;
        }
        NicProfile.Limits limits = profile.limits();
        if (!cell.isWord("connection.send-queue")) {
            limit(cell, "connection.send-queue", limits.sendQueue(), nic);
        }
        limit(cell, "connection.outstanding-reads", limits.outstandingReads(), nic);
        long queuePairs = cell.whole("clients.machines") * cell.whole("clients.threads");
        if (queuePairs > limits.queuePairs()) {
            complain(
                    cell,
                    "%d clients need as many queue pairs, but %s allows at most %d"
                            .formatted(queuePairs, nic, limits.queuePairs()),
                    "clients.threads",
                    "clients.machines",
                    "nic");
        }
        if (!cell.isWord("read-slots") && cell.whole("read-slots") * slotBytes > limits.messageBytes()) {
            complain(
                    cell,
                    "a READ of %d slots has %d bytes, but %s allows at most %d"
                            .formatted(
                                    cell.whole("read-slots"),
                                    cell.whole("read-slots") * slotBytes,
                                    nic,
                                    limits.messageBytes()),
                    "read-slots",
                    "nic");
        }
        if (cell.whole("read-bytes") > limits.messageBytes()) {
            limit(cell, "read-bytes", limits.messageBytes(), nic);
        }
    }

    private void limit(CellValues cell, String key, long most, String nic) {
        if (cell.whole(key) > most) {
            String name = key.substring(key.indexOf('.') + 1);
            complain(
                    cell, "%s is %d, but %s allows at most %d".formatted(name, cell.whole(key), nic, most), key, "nic");
        }
    }

    private void complain(CellValues cell, String message, String... keys) {
        String pointer = "";
        for (String key : keys) {
            if (wrong.contains(key)) {
                return;
            }
            if (pointer.isEmpty()) {
                pointer = cell.pointer(key);
            }
        }
        problems.add(document.problem(pointer, message));
    }
}
