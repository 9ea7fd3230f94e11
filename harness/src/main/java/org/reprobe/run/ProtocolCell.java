package org.reprobe.run;

import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.findorput.SharedTable;
import org.reprobe.nessie.Fill;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.Nessie;
import org.reprobe.pilaf.PilafTable;
import org.reprobe.remote.VerbWorkload;
import org.reprobe.scenario.SchemeName;
import org.reprobe.scenario.Settings;
import org.reprobe.workload.Rng;

/**
 * What both halves of a protocol derive from a cell's settings, so that it need not be sent: how the table lies, and which
 * keys are in it.
 *
 * @param repeat each has keys of its own, and so a table of its own; cells share them
 */
record ProtocolCell(Settings settings, int repeat) {
    /** The paper measures find-or-put over intervals of the load of this length (section 4.1). */
    private static final double LOAD_INTERVAL = 0.02;

    /** Machines that hold parts of the table. */
    int servers() {
        return settings.scheme() == SchemeName.FIND_OR_PUT ? settings.clients().machines() : 1;
    }

    int clients() {
        return CellRun.clients(settings);
    }

    /** Keys in Nessie's and Pilaf's tables, by ordinal. */
    LongUnaryOperator loadedKeys() {
        return ordinal -> Rng.at(settings.tableSeed(repeat), ordinal);
    }

    /** Keys that are not in them, by number. */
    LongUnaryOperator freshKeys() {
        return number -> Rng.at(~settings.tableSeed(repeat), number);
    }

    private long slots() {
        return Math.round(settings.table().records() / settings.loadFactor());
    }

    private int valueBytes() {
        return settings.table().recordBytes() - Long.BYTES;
    }

    Geometry nessieGeometry() {
        int perClient = Math.toIntExact(
                settings.table().records() / clients() + 1 + settings.protocol().spareItems());
        return new Geometry(slots(), clients() + 1, perClient, valueBytes());
    }

    /** The same when the server's program has resized the index table as often as it may. */
    Geometry largestNessieGeometry() {
        return nessieGeometry()
                .withSlots(slots() * Math.max(1, settings.protocol().growth()));
    }

    Fill.Places places() {
        return settings.protocol().independentPlaces() ? Fill.Places.EITHER : Fill.Places.IN_TURN;
    }

    boolean nessieIsServed() {
        return settings.protocol().growth() > 0;
    }

    Nessie nessie(RemoteRegion region, Fill fill) {
        Settings.Protocol protocol = settings.protocol();
        return new Nessie(
                nessieGeometry(), region, fill.loaded(), protocol.rules(), protocol.backOffNs(), Nessie.ATTEMPTS);
    }

    int pilafRecords() {
        return Math.toIntExact(settings.table().records());
    }

    PilafTable pilaf() {
        return new PilafTable(slots(), pilafRecords() + settings.protocol().pilafFreeItems(), valueBytes());
    }

    /** Of find-or-put's whole table. */
    long buckets() {
        return slots();
    }

    /** Data that are in it from the start. */
    long loadedData() {
        double below = settings.workload().writes() > 0 ? LOAD_INTERVAL : 0;
        return Math.max(0, Math.round((settings.loadFactor() - below) * buckets()));
    }

    /** Data of find-or-put, by number. */
    LongUnaryOperator data() {
        return number -> Rng.at(settings.tableSeed(repeat), number) >>> 1;
    }

    private int activeProcesses() {
        int active = settings.protocol().active();
        return active == 0 ? clients() : Math.min(clients(), active);
    }

    /** Which processes do something. Machines take turns, whether indices do so as on sim or run through each machine. */
    IntPredicate active() {
        int active = activeProcesses();
        if (!Fabrics.isReal(settings.fabric())) {
            return index -> index < active;
        }
        int machines = settings.clients().machines();
        int threads = settings.clients().threads();
        return index -> index % threads * machines + index / threads < active;
    }

    /** After how many of its inserts a process ends. */
    long mostInserts() {
        return Math.max(1, Math.round(LOAD_INTERVAL * buckets() / activeProcesses()));
    }

    /** Words of 8 bytes that COMPARE_AND_SWAPs are for. */
    int words() {
        return Math.toIntExact(settings.table().records());
    }

    long verbBytes() {
        return Math.max(Long.BYTES, settings.protocol().verbBytes());
    }

    VerbWorkload verb(RemoteRegion region, long warmUpNs, long durationNs) {
        Settings.Protocol protocol = settings.protocol();
        return new VerbWorkload(
                new VerbWorkload.Plan(region, protocol.verb(), protocol.verbBytes(), warmUpNs, durationNs), clients());
    }

    /** Find-or-put's table as one process has it. */
    SharedTable sharedTable(ServedTable served) {
        return SharedTable.of(buckets(), servers(), served.regions(), served.memories());
    }
}
