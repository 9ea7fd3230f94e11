package org.reprobe.run;

import java.util.IdentityHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.scenario.Scenario.PlannedCell;
import org.reprobe.system.Content;
import org.reprobe.system.MemoryNeed;

/**
 * Memory of a run, computed before it starts: see {@link MemoryNeed}. {@code contentBytes} are for shared content while
 * it is built, {@code ownBytes} for tables and buffers outside of the heap, {@code heapBytes} for queues, counts and
 * samplers of keys.
 */
record UnitMemory(long contentBytes, long ownBytes, long heapBytes) {
    /** Share of Java's heap for runs; the rest is for the program. */
    private static final double SHARE_OF_HEAP = 0.8;

    /** Returns the memory of units, computed once for all repeats of a cell. */
    static Function<RunPlan.Unit, UnitMemory> ofUnits() {
        IdentityHashMap<PlannedCell, UnitMemory> known = new IdentityHashMap<>();
        return unit -> known.computeIfAbsent(unit.planned(), _ -> of(unit));
    }

    /** @throws RuntimeException with the reason, for an impossible run */
    static UnitMemory of(RunPlan.Unit unit) {
        Content content = unit.content();
        MemoryNeed need = unit.run().memory();
        return new UnitMemory(content == null ? 0 : content.neededBytes(), need.ownBytes(), need.heapBytes());
    }

    long bytes() {
        return contentBytes + ownBytes + heapBytes;
    }

    long besideContent() {
        return ownBytes + heapBytes;
    }

    static long heapBudgetBytes() {
        return (long) (SHARE_OF_HEAP * Runtime.getRuntime().maxMemory());
    }

    /** Returns the reason why a run does not fit; null if it fits. */
    @Nullable
    String refusal(long budgetBytes) {
        if (contentBytes > budgetBytes) {
            return "the table needs " + Quantities.bytes(contentBytes) + " of memory while it is built; the limit is "
                    + Quantities.bytes(budgetBytes) + ". Use fewer or smaller records, or --max-memory";
        }
        if (bytes() > budgetBytes) {
            return "the run needs " + Quantities.bytes(bytes()) + " of memory ("
                    + (contentBytes > 0 ? Quantities.bytes(contentBytes) + " for the table, " : "")
                    + Quantities.bytes(besideContent()) + " for "
                    + (contentBytes > 0 ? "buffers and queues of clients" : "its table and clients")
                    + "); the limit is "
                    + Quantities.bytes(budgetBytes)
                    + ". Use fewer records or clients, a shorter send queue, or --max-memory";
        }
        if (heapBytes > heapBudgetBytes()) {
            return "not enough memory for the clients: they need " + Quantities.bytes(heapBytes)
                    + " of Java's heap; the limit is " + Quantities.bytes(heapBudgetBytes())
                    + ". Use fewer clients or records, or a shorter send queue";
        }
        return null;
    }
}
