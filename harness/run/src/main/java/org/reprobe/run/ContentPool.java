package org.reprobe.run;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.system.BuiltContent;
import org.reprobe.system.Content;
import org.reprobe.system.RefusedException;

/**
 * Memory of runs: shared tables, and each run's own. A table is built once, shared by all runs with lookups in it, and
 * freed after the last of them, or earlier if no other run could start. Its monitor guards it and is notified whenever
 * a table becomes ready or memory becomes free, so that a caller can choose among several tables and wait for any.
 */
final class ContentPool implements AutoCloseable {
    private final long budgetBytes;
    private final long heapBudgetBytes;
    private final Maker maker;
    private final Map<Content, Integer> usesLeft;
    private final Map<Content, Entry> entries = new HashMap<>();
    private long usedBytes;
    private long usedHeapBytes;
    private int runs;
    private boolean closed;

    interface Maker {
        BuiltContent make(Content spec, int threads) throws RefusedException;
    }

    /** @param budgetBytes limit for all tables, including those being built, and all runs */
    ContentPool(long budgetBytes, long heapBudgetBytes, Map<Content, Integer> uses, Maker maker) {
        this.budgetBytes = budgetBytes;
        this.heapBudgetBytes = heapBudgetBytes;
        this.usesLeft = new HashMap<>(uses);
        this.maker = maker;
    }

    private enum State {
        TO_BUILD,
        READY,
        REFUSED
    }

    private static final class Entry {
        private State state = State.TO_BUILD;
        private long bytes;
        private int leases;
        private @Nullable BuiltContent built;
        private @Nullable String refusal;
    }

    /** Memory of one run, and its share of a table; closed when the run has ended. */
    final class Lease implements AutoCloseable {
        private final @Nullable Content spec;
        private final @Nullable Entry entry;
        private final UnitMemory memory;

        private Lease(@Nullable Content spec, @Nullable Entry entry, UnitMemory memory) {
            this.spec = spec;
            this.entry = entry;
            this.memory = memory;
        }

        /**
         * Returns the table; null for a run without one. The holder of the first lease builds it here; until then there
         * are no others. If it can't be built, every run of the table is refused.
         */
        @Nullable
        BuiltContent content(int threads) throws RefusedException {
            if (spec == null || entry == null) {
                return null;
            }
            synchronized (ContentPool.this) {
                if (entry.built != null) {
                    return entry.built;
                }
                if (entry.refusal != null) {
                    throw new RefusedException(entry.refusal);
                }
            }
            BuiltContent image = null;
            String refusal = "building the table failed unexpectedly";
            try {
                image = maker.make(spec, threads);
                return image;
            } catch (RefusedException e) {
                refusal = String.valueOf(e.getMessage());
                throw e;
            } finally {
                built(entry, image, refusal);
            }
        }

        private void built(Entry entry, @Nullable BuiltContent image, String refusal) {
            synchronized (ContentPool.this) {
                usedBytes -= entry.bytes;
                entry.bytes = image == null ? 0 : image.bytes();
                usedBytes += entry.bytes;
                entry.built = image;
                entry.refusal = image == null ? refusal : null;
                entry.state = image == null ? State.REFUSED : State.READY;
                ContentPool.this.notifyAll();
            }
        }

        @Override
        public void close() {
            synchronized (ContentPool.this) {
                runs--;
                usedBytes -= memory.besideContent();
                usedHeapBytes -= memory.heapBytes();
                ContentPool.this.notifyAll();
                if (spec == null || entry == null) {
                    return;
                }
                entry.leases--;
                int left = usesLeft.merge(spec, -1, Integer::sum);
                if (entry.leases == 0 && (left <= 0 || closed)) {
                    free(spec, entry);
                }
            }
        }
    }

    /**
     * Reserves memory for a run, and a share of a table that is ready or can be built now; null while the table is
     * being built or the memory does not suffice.
     */
    synchronized @Nullable Lease tryLease(@Nullable Content spec, UnitMemory memory) {
        Entry entry = spec == null ? null : entries.get(spec);
        if (entry != null && entry.state == State.TO_BUILD) {
            return null;
        }
        long building = spec == null || entry != null ? 0 : spec.neededBytes();
        if (runs == 0 && !fits(building, memory)) {
            // Idle tables must not block the only run that could start.
            Map.copyOf(entries).forEach((other, idle) -> {
                if (idle != entry) {
                    free(other, idle);
                }
            });
        }
        if (!fits(building, memory)) {
            return null;
        }
        Entry leased = entry;
        if (spec != null && leased == null) {
            leased = new Entry();
            leased.bytes = building;
            usedBytes += building;
            entries.put(spec, leased);
        }
        if (leased != null) {
            leased.leases++;
        }
        runs++;
        usedBytes += memory.besideContent();
        usedHeapBytes += memory.heapBytes();
        return new Lease(spec, leased, memory);
    }

    private boolean fits(long building, UnitMemory memory) {
        return usedBytes + building + memory.besideContent() <= budgetBytes
                && usedHeapBytes + memory.heapBytes() <= heapBudgetBytes;
    }

    synchronized long usedBytes() {
        return usedBytes;
    }

    /** Frees unused tables; others are freed with their last lease. */
    @Override
    public synchronized void close() {
        closed = true;
        for (Map.Entry<Content, Entry> entry : Map.copyOf(entries).entrySet()) {
            if (entry.getValue().leases == 0) {
                free(entry.getKey(), entry.getValue());
            }
        }
    }

    private void free(Content spec, Entry entry) {
        entries.remove(spec);
        usedBytes -= entry.bytes;
        if (entry.built != null) {
            entry.built.close();
        }
    }
}
