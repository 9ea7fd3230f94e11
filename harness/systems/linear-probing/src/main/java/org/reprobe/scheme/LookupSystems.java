package org.reprobe.scheme;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.system.CellCheck;
import org.reprobe.system.FaultKeys;
import org.reprobe.system.NamedWorkloads;
import org.reprobe.system.Settings;
import org.reprobe.table.RecordSizes;
import org.reprobe.table.Refusal;
import org.reprobe.table.Refusals;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.NamedWorkload.Writes;

/** Common keys and checks of the lookup systems: linear probing, cuckoo and hopscotch. */
final class LookupSystems {
    static final String GATHER = "connection.gather";

    private static final String PHASES = "load.phases";
    private static final int MAX_PHASES = 10_000;

    static final Set<String> READ = Set.of(
            "load-factor",
            "connection.send-queue",
            "connection.outstanding-reads",
            GATHER,
            "connection.timeout",
            "connection.retry-count",
            "connection.timeout-floor",
            "connection.represents-send-queue",
            "load",
            "series.slice-ms",
            "series.worst-window-ms",
            "table.records",
            "table.represents-records",
            "table.record-bytes",
            "table.storage",
            "table.keys-per-record",
            "workload.keys",
            "workload.theta",
            "workload.writes",
            NamedWorkloads.KEY);

    private LookupSystems() {}

    /** Returns the table of a repeat. Cells that differ only in settings of probing share a table. */
    static TableSpec spec(Settings settings, int repeat, TableKind kind) {
        CuckooSystem.CuckooSettings cuckoo = settings.section(CuckooSystem.CuckooSettings.class);
        return new TableSpec(
                kind,
                settings.table().storage(),
                settings.table().records(),
                settings.table().recordBytes(),
                settings.loadFactor(),
                cuckoo.associativity(),
                cuckoo.hashes(),
                settings.section(HopscotchSystem.HopscotchSettings.class).neighbourhood(),
                settings.keySpec(),
                settings.tableSeed(repeat),
                kind == TableKind.LINEAR ? settings.table().sizes() : RecordSizes.ONE);
    }

    /** Reports tables that cannot be built and connections that the card does not support. */
    static void check(CellCheck cell, TableSpec spec) {
        for (Refusal refusal : Refusals.of(spec)) {
            cell.reportProblem(
                    refusal.message(),
                    refusal.settings().stream().map(LookupSystems::key).toArray(String[]::new));
        }
        FaultKeys.check(cell);
        Settings settings = cell.settings();
        checkLoad(cell, settings.load());
        NamedWorkloads.check(
                cell,
                EnumSet.of(Writes.UPDATE),
                Map.of(
                        Writes.READ_MODIFY_WRITE,
                        "reads a record for every update: that is ycsb-a, so use that",
                        Writes.INSERT,
                        "builds its table before the run and inserts nothing: use ycsb-a, ycsb-b or ycsb-c"));
        if (settings.table().scale() < 1) {
            cell.reportProblem(
                    "a table of %d records cannot represent a smaller one of %d"
                            .formatted(
                                    settings.table().records(), settings.table().representsRecords()),
                    "table.represents-records",
                    "table.records");
        }
        if (settings.connection().scale() < 1) {
            cell.reportProblem(
                    "represents-send-queue is %d, but must be at least send-queue, which is %d"
                            .formatted(
                                    settings.connection().representsSendQueue(),
                                    settings.connection().sendQueue()),
                    "connection.represents-send-queue",
                    "connection.send-queue");
        }
        NicProfile nic = cell.nic();
        if (settings.isReal() || nic == null) {
            return;
        }
        if (settings.connection().gather() > 1) {
            checkGather(cell, nic);
        }
        if (settings.workload().writes() > 0 && !nic.hasAtomics()) {
            cell.reportProblem(
                    "writes take a record's lock by atomics, which " + settings.nic() + " does not have",
                    "workload.writes",
                    "nic");
        }
        limit(
                cell,
                "connection.send-queue",
                settings.connection().sendQueue(),
                nic.limits().sendQueue());
        limit(
                cell,
                "connection.outstanding-reads",
                settings.connection().outstandingReads(),
                nic.limits().outstandingReads());
        if (settings.clients().total() > nic.limits().queuePairs()) {
            cell.reportProblem(
                    "%d clients need as many queue pairs, but %s allows at most %d"
                            .formatted(
                                    settings.clients().total(),
                                    settings.nic(),
                                    nic.limits().queuePairs()),
                    "clients.threads",
                    "clients.machines",
                    "nic");
        }
    }

    private static void checkLoad(CellCheck cell, Settings.Load load) {
        boolean phases = !load.phases().isEmpty();
        if (phases && load.ratePerS() > 0) {
            cell.reportProblem(
                    "phases have rates of their own: use either load.rate-per-s or load.phases",
                    "load.rate-per-s",
                    PHASES);
        }
        if (!load.trace().equals(Settings.Load.NO_TRACE)) {
            cell.reportProblem("a trace is allowed in section load only, not in sweep, cells or rules", "load.trace");
        }
        if (load.phases().size() > MAX_PHASES) {
            cell.reportProblem(
                    "%d phases; at most %d are allowed".formatted(load.phases().size(), MAX_PHASES), PHASES);
        }
        double intervalS = cell.settings().measure().durationMs() / 1e3;
        if (phases && load.meanPerS(intervalS) == 0) {
            cell.reportProblem("no phase within the measured interval has a rate above 0", PHASES);
        }
        if (!phases) {
            cell.reportNoEffect("load.scale", "it requires load.phases or load.trace");
        }
    }

    private static void checkGather(CellCheck cell, NicProfile nic) {
        Settings settings = cell.settings();
        if (settings.workload().writes() > 0) {
            cell.reportProblem(
                    "lookups that write do not gather READs: use writes: 0 or gather: 1",
                    GATHER,
                    "workload.writes",
                    NamedWorkloads.KEY);
        }
        if (settings.load().isPaced()) {
            cell.reportNoEffect(
                    GATHER, "paced lookups post each READ as soon as it is known; use load.rate-per-s: full");
        }
        if (nic.card().packetNs() > 0
                || nic.card().oneEngine() == 1
                || nic.slot().bytesPerSecond() > 0) {
            cell.reportProblem(
                    "%s has stages per packet, for which READs of several ranges are not modelled; use a profile without card.packet-ns, card.one-engine and slot"
                            .formatted(settings.nic()),
                    GATHER,
                    "nic");
        }
    }

    static void limit(CellCheck cell, String key, long value, long max) {
        if (value > max) {
            String name = key.substring(key.indexOf('.') + 1);
            cell.reportProblem(
                    "%s is %d, but %s allows at most %d"
                            .formatted(name, value, cell.settings().nic(), max),
                    key,
                    "nic");
        }
    }

    private static String key(Refusal.Setting setting) {
        return switch (setting) {
            case KIND -> "scheme";
            case RECORDS -> "table.records";
            case RECORD_BYTES -> "table.record-bytes";
            case LOAD_FACTOR -> "load-factor";
            case ASSOCIATIVITY -> "cuckoo.associativity";
            case HASHES -> "cuckoo.hashes";
            case NEIGHBOURHOOD -> "hopscotch.neighbourhood";
            case KEYS -> "workload.keys";
            case THETA -> "workload.theta";
            case KEY_SPACE -> "table.keys-per-record";
        };
    }
}
