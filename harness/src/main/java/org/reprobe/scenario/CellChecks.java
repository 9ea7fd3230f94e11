package org.reprobe.scenario;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.apache.commons.math3.special.Gamma;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Document;
import org.reprobe.analysis.document.Problem;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.table.CuckooThreshold;
import org.reprobe.table.TableKind;
import org.reprobe.workload.Distribution;

/**
 * What no single key shows: settings of a cell that don't go together. Each complaint stands at the first of its keys
 * that the user wrote; one about a key that is wrong by itself is kept back, since it would only repeat that.
 */
final class CellChecks {
    /** How many tables of a hundred may fail to be built before their settings are refused. */
    private static final double FAILURES = 0.01;

    /** A 32-bit hash names no more slots. */
    private static final double MAX_SLOTS = 4294967296.0;

    private final Document document;
    private final Set<String> wrong;
    private final Map<String, @Nullable NicProfile> profiles;
    private final Set<Problem> problems = new LinkedHashSet<>();
    private final Map<Long, Double> thresholds = new HashMap<>();

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
        boolean lookup = cell.word("workload.operation").equals("lookup");
        if (scheme.table() == TableKind.CUCKOO) {
            threshold(cell);
        }
        if (lookup) {
            duplicates(cell, scheme);
            double slots = cell.whole("table.records") / cell.number("load-factor");
            if (slots > MAX_SLOTS) {
                complain(
                        cell,
                        "%d records at load factor %s need %.0f slots; a 32-bit hash reaches at most 2^32"
                                .formatted(cell.whole("table.records"), cell.word("load-factor"), slots),
                        "table.records",
                        "load-factor");
            }
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

    private void threshold(CellValues cell) {
        int hashes = cell.count("table.hashes");
        int associativity = cell.count("table.associativity");
        double threshold = thresholds.computeIfAbsent(
                ((long) hashes << 32) | associativity, ignored -> CuckooThreshold.loadFactor(hashes, associativity));
        if (cell.number("load-factor") >= threshold) {
            complain(
                    cell,
                    ("a cuckoo table with %d hashes and %d record%s a slot can't be filled to %s: its load threshold is"
                                    + " %.4f; raise associativity or lower load-factor")
                            .formatted(
                                    hashes,
                                    associativity,
                                    associativity == 1 ? "" : "s",
                                    cell.word("load-factor"),
                                    // Rounded down: the threshold itself is out of reach.
                                    Math.floor(threshold * 1e4) / 1e4),
                    "load-factor",
                    "table.associativity",
                    "table.hashes",
                    "scheme");
        }
    }

    /** Whether a table has room for all records of one key. */
    private void duplicates(CellValues cell, SchemeName scheme) {
        long records = cell.whole("table.records");
        long keySpace = cell.keySpace();
        Distribution keys = cell.keys();
        if (keys == Distribution.DISTINCT && records > keySpace) {
            complain(
                    cell,
                    "%d records can't all have distinct keys: there are only %d keys".formatted(records, keySpace),
                    "table.records",
                    "table.keys-per-record",
                    "workload.keys");
        }
        long places;
        if (scheme.table() == TableKind.CUCKOO) {
            places = cell.whole("table.hashes") * cell.whole("table.associativity");
        } else if (scheme.table() == TableKind.HOPSCOTCH) {
            places = cell.whole("table.neighbourhood");
        } else {
            return;
        }
        String table = scheme.table().title();
        if (keys == Distribution.ZIPF) {
            complain(
                    cell,
                    "a %s table has room for %d records of a key, but zipf gives some keys far more; use a linear scheme"
                            .formatted(table, places),
                    "workload.keys",
                    "scheme");
        } else if (keys == Distribution.UNIFORM) {
            // How often each key comes is Poisson to all practical ends; this many keys come too often for their
            // places.
            double mean = (double) records / keySpace;
            double tooOften = keySpace * Gamma.regularizedGammaP(places + 1.0, mean);
            if (tooOften > FAILURES) {
                complain(
                        cell,
                        ("about %s of %d keys would come more than %d times, but a %s table has no more places for a"
                                        + " key; use keys: distinct, or more keys-per-record")
                                .formatted(about(tooOften), keySpace, places, table),
                        "table.keys-per-record",
                        "workload.keys",
                        "table.associativity",
                        "table.hashes",
                        "table.records",
                        "scheme");
            }
        }
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

    private static String about(double count) {
        return count < 10 ? String.format(Locale.ROOT, "%.2g", count) : String.format(Locale.ROOT, "%.0f", count);
    }
}
