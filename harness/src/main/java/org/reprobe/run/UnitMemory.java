package org.reprobe.run;

import java.util.IdentityHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.fabric.SendQueue;
import org.reprobe.findorput.AdaptiveChunks;
import org.reprobe.findorput.FindOrPut;
import org.reprobe.nessie.Geometry;
import org.reprobe.nessie.NessieClient;
import org.reprobe.nessie.ServerLink;
import org.reprobe.pilaf.PilafClient;
import org.reprobe.pilaf.PilafTable;
import org.reprobe.remote.VerbWorkload;
import org.reprobe.scenario.Scenario.PlannedCell;
import org.reprobe.scenario.Settings;
import org.reprobe.scheme.LookupClient;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableSpec;

/**
 * The memory that a run takes, told before it begins. What is outside of the Java heap is told exactly, but for what blocks are
 * aligned by; what is in it from the arrays that grow with the settings, so that it is never less.
 *
 * @param tableBytes of the table that lookups share with other runs, while it is built; 0 for none
 * @param ownBytes outside of the heap: protocols' tables, buffers of clients
 * @param heapBytes in the heap: clients' queues and counts, what keys are chosen with, keys that protocols have loaded
 */
record UnitMemory(long tableBytes, long ownBytes, long heapBytes) {
    /** Of Java's heap; the rest is the program's. */
    private static final double SHARE_OF_HEAP = 0.8;

    /** Of a place in the rings of a simulated queue pair and its {@link SendQueue}. */
    private static final long QUEUE_PLACE_BYTES = 128;

    /** Of a place in a lookup client's rings of requests. */
    private static final long REQUEST_BYTES = 40;

    /** Of a lookup under way. */
    private static final long LOOKUP_BYTES = 96;

    private static final long MOST_LOOKUPS = 1 << 16;

    /** A client's thread, histograms and small objects. */
    private static final long LOOKUP_CLIENT_BYTES = 256 << 10;

    private static final long PROTOCOL_CLIENT_BYTES = 256 << 10;

    /** Versions, free list and use of an item. */
    private static final long ITEM_BYTES = 12;

    private static final UnitMemory NONE = new UnitMemory(0, 0, 0);

    /** Tells it for units, once for all repeats of a cell. */
    static Function<Plan.Unit, UnitMemory> ofUnits() {
        IdentityHashMap<PlannedCell, UnitMemory> known = new IdentityHashMap<>();
        return unit -> known.computeIfAbsent(unit.planned(), _ -> of(unit));
    }

    /** @throws RuntimeException for a run that can't be, in words */
    static UnitMemory of(Plan.Unit unit) {
        TableSpec table = unit.table();
        if (table != null) {
            return lookups(unit, table);
        }
        return unit.settings().scheme().isProtocol() ? protocol(unit) : NONE;
    }

    /** All of it. */
    long bytes() {
        return tableBytes + ownBytes + heapBytes;
    }

    /** What a run has for itself. */
    long besideTable() {
        return ownBytes + heapBytes;
    }

    /** How much of Java's heap runs may take. */
    static long heapBudgetBytes() {
        return (long) (SHARE_OF_HEAP * Runtime.getRuntime().maxMemory());
    }

    /** Why a run can't be had with so much memory; null when it can. */
    @Nullable
    String refusal(long budgetBytes) {
        if (tableBytes > budgetBytes) {
            return "the table needs " + Quantities.bytes(tableBytes) + " of memory while it is built, but "
                    + Quantities.bytes(budgetBytes) + " may be used. Use fewer or smaller records, or --max-memory";
        }
        if (bytes() > budgetBytes) {
            return "the run needs " + Quantities.bytes(bytes()) + " of memory ("
                    + (tableBytes > 0 ? Quantities.bytes(tableBytes) + " for the table, " : "")
                    + Quantities.bytes(besideTable()) + " for "
                    + (tableBytes > 0 ? "buffers and queues of clients" : "its table and clients") + "), but "
                    + Quantities.bytes(budgetBytes)
                    + " may be used. Use fewer records or clients, a shorter send queue, or --max-memory";
        }
        if (heapBytes > heapBudgetBytes()) {
            return "not enough memory for the clients: they need " + Quantities.bytes(heapBytes)
                    + " of Java's heap, of which " + Quantities.bytes(heapBudgetBytes())
                    + " may be used. Use fewer clients or records, or a shorter send queue";
        }
        return null;
    }

    private static UnitMemory lookups(Plan.Unit unit, TableSpec spec) {
        long clients = CellRun.clients(unit.settings());
        LookupClient.Plan plan = CellRun.planned(unit.settings(), unit.nic(), spec, unit.runSeed());
        int queue = plan.usedSendQueue();
        // Each process chooses for itself.
        long choices = unit.isReal() ? unit.settings().clients().machines() : 1;
        return new UnitMemory(
                TableBuilder.neededBytes(spec),
                clients * plan.bufferBytes(),
                choices * plan.keys().choiceBytes()
                        + clients
                                * (LOOKUP_CLIENT_BYTES
                                        + SendQueue.powerOfTwo(queue) * (QUEUE_PLACE_BYTES + REQUEST_BYTES)
                                        + Math.min(queue, MOST_LOOKUPS) * LOOKUP_BYTES));
    }

    private static UnitMemory protocol(Plan.Unit unit) {
        Settings settings = unit.settings();
        ProtocolCell cell = new ProtocolCell(settings, unit.repeat());
        long clients = cell.clients();
        long fixed = clients * PROTOCOL_CLIENT_BYTES;
        return switch (settings.scheme()) {
            case NESSIE -> {
                Geometry geometry = cell.nessieGeometry();
                long link = cell.nessieIsServed() ? ServerLink.bytes() : 0;
                yield new UnitMemory(
                        0,
                        cell.largestNessieGeometry().bytes() + clients * (NessieClient.localBytes(geometry) + link),
                        // Keys are chosen by both halves, and items are the clients'.
                        fixed
                                + 2 * (settings.table().records() * Long.BYTES + geometry.slots() / Byte.SIZE)
                                + clients * geometry.itemsPerOwner() * ITEM_BYTES);
            }
            case PILAF -> {
                PilafTable table = cell.pilaf();
                yield new UnitMemory(
                        0,
                        table.bytes() + clients * PilafClient.bytesOf(table),
                        fixed + table.items() * ITEM_BYTES + settings.table().records() * Long.BYTES);
            }
            case FIND_OR_PUT -> {
                int buckets = settings.protocol().chunkBuckets() > 0
                        ? settings.protocol().chunkBuckets()
                        : new AdaptiveChunks(ChunkModel.bucketsByPercent(unit.nic())).most();
                yield new UnitMemory(
                        0,
                        Math.multiplyExact(cell.buckets(), (long) Long.BYTES)
                                + clients * FindOrPut.localBytes((int) Math.min(buckets, cell.buckets())),
                        fixed + clients * cell.servers() * SendQueue.powerOfTwo(32) * QUEUE_PLACE_BYTES);
            }
            case COMPARE_AND_SWAP -> {
                int list = Math.max(1, settings.connection().sendQueue());
                yield new UnitMemory(
                        0,
                        (cell.words() + clients * list) * Long.BYTES,
                        fixed
                                + clients
                                        * ((long) cell.words() * Long.BYTES
                                                + SendQueue.powerOfTwo(list) * QUEUE_PLACE_BYTES));
            }
            case VERB -> {
                long ofClient = VerbWorkload.localBytes(settings.protocol().verbBytes());
                boolean served = settings.protocol().verb() == VerbWorkload.Verb.SEND;
                yield new UnitMemory(
                        0, cell.verbBytes() + clients * (served ? ofClient + ofClient / 2 : ofClient), fixed);
            }
            default -> throw new IllegalStateException(settings.scheme().key() + " is no protocol");
        };
    }
}
