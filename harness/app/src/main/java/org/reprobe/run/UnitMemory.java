package org.reprobe.run;

import java.util.IdentityHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.scenario.Scenario.PlannedCell;
import org.reprobe.system.Content;
import org.reprobe.system.MemoryNeed;

/**
 * The memory that a run takes, told before it begins: see {@link MemoryNeed}.
 *
 * @param contentBytes of what it shares with other runs, while that is built; 0 for nothing
 * @param ownBytes outside of the heap: tables that it writes, buffers of clients
 * @param heapBytes in the heap: clients' queues and counts, what keys are chosen with
 */
record UnitMemory(long contentBytes, long ownBytes, long heapBytes) {
    /** Of Java's heap; the rest is the program's. */
    private static final double SHARE_OF_HEAP = 0.8;

    /** Tells it for units, once for all repeats of a cell. */
    static Function<RunPlan.Unit, UnitMemory> ofUnits() {
        IdentityHashMap<PlannedCell, UnitMemory> known = new IdentityHashMap<>();
        return unit -> known.computeIfAbsent(unit.planned(), _ -> of(unit));
    }

    /** @throws RuntimeException for a run that can't be, in words */
    static UnitMemory of(RunPlan.Unit unit) {
        Content content = unit.content();
        MemoryNeed need = unit.run().memory();
        return new UnitMemory(content == null ? 0 : content.neededBytes(), need.ownBytes(), need.heapBytes());
    }

    /** All of it. */
    long bytes() {
        return contentBytes + ownBytes + heapBytes;
    }

    /** What a run has for itself. */
    long besideContent() {
        return ownBytes + heapBytes;
    }

    /** How much of Java's heap runs may take. */
    static long heapBudgetBytes() {
        return (long) (SHARE_OF_HEAP * Runtime.getRuntime().maxMemory());
    }

    /** Why a run can't be had with so much memory; null when it can. */
    @Nullable
    String refusal(long budgetBytes) {
        if (contentBytes > budgetBytes) {
            return "the table needs " + Quantities.bytes(contentBytes) + " of memory while it is built, but "
                    + Quantities.bytes(budgetBytes) + " may be used. Use fewer or smaller records, or --max-memory";
        }
        if (bytes() > budgetBytes) {
            return "the run needs " + Quantities.bytes(bytes()) + " of memory ("
                    + (contentBytes > 0 ? Quantities.bytes(contentBytes) + " for the table, " : "")
                    + Quantities.bytes(besideContent()) + " for "
                    + (contentBytes > 0 ? "buffers and queues of clients" : "its table and clients") + "), but "
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
}
