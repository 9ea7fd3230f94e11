package org.reprobe.run;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableRefusedException;
import org.reprobe.table.TableSpec;

/**
 * The tables in memory. A table is built once, shared by all runs that look keys up in it and freed after the last of
 * them. Its own monitor guards it and is notified whenever a table becomes ready or memory becomes free, so that a
 * caller can choose among several tables and wait for any.
 */
final class TablePool implements AutoCloseable {
    private final long budgetBytes;
    private final Maker maker;
    private final Map<TableSpec, Integer> usesLeft;
    private final Map<TableSpec, Entry> entries = new HashMap<>();
    private long usedBytes;
    private boolean closed;

    /** How a table comes to be. */
    interface Maker {
        TableImage make(TableSpec spec, int threads) throws TableRefusedException;
    }

    /**
     * @param budgetBytes most memory of all tables together, those being built included
     * @param uses how many runs need each table
     */
    TablePool(long budgetBytes, Map<TableSpec, Integer> uses, Maker maker) {
        this.budgetBytes = budgetBytes;
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
        private @Nullable TableImage image;
        private @Nullable String refusal;
    }

    /** One run's share of a table. To be closed when the run has ended. */
    final class Lease implements AutoCloseable {
        private final TableSpec spec;
        private final Entry entry;

        private Lease(TableSpec spec, Entry entry) {
            this.spec = spec;
            this.entry = entry;
        }

        /**
         * The table. Whoever holds the first lease builds it here; nobody else gets a lease before that is done.
         *
         * @throws TableRefusedException when it could not be built, to everyone who wants it
         */
        TableImage image(int threads) throws TableRefusedException {
            synchronized (TablePool.this) {
                if (entry.image != null) {
                    return entry.image;
                }
                if (entry.refusal != null) {
                    throw new TableRefusedException(entry.refusal);
                }
            }
            TableImage image = null;
            String refusal = "building the table failed unexpectedly";
            try {
                image = maker.make(spec, threads);
                return image;
            } catch (TableRefusedException e) {
                refusal = String.valueOf(e.getMessage());
                throw e;
            } finally {
                built(image, refusal);
            }
        }

        private void built(@Nullable TableImage image, String refusal) {
            synchronized (TablePool.this) {
                usedBytes -= entry.bytes;
                entry.bytes = image == null
                        ? 0
                        : image.geometry().tableBytes() + image.geometry().heapBytes();
                usedBytes += entry.bytes;
                entry.image = image;
                entry.refusal = image == null ? refusal : null;
                entry.state = image == null ? State.REFUSED : State.READY;
                TablePool.this.notifyAll();
            }
        }

        @Override
        public void close() {
            synchronized (TablePool.this) {
                entry.leases--;
                int left = usesLeft.merge(spec, -1, Integer::sum);
                if (entry.leases == 0 && (left <= 0 || closed)) {
                    free(spec, entry);
                }
                TablePool.this.notifyAll();
            }
        }
    }

    /** A share of a table that is there or can be built now; null when it is being built or does not fit yet. */
    synchronized @Nullable Lease tryLease(TableSpec spec) {
        Entry entry = entries.get(spec);
        if (entry == null) {
            long needed = TableBuilder.neededBytes(spec);
            if (usedBytes + needed > budgetBytes) {
                return null;
            }
            entry = new Entry();
            entry.bytes = needed;
            usedBytes += needed;
            entries.put(spec, entry);
        } else if (entry.state == State.TO_BUILD) {
            return null;
        }
        entry.leases++;
        return new Lease(spec, entry);
    }

    /** Bytes of all tables, those being built included. */
    synchronized long usedBytes() {
        return usedBytes;
    }

    /** Frees what nobody uses; the rest is freed with its last lease. */
    @Override
    public synchronized void close() {
        closed = true;
        for (Map.Entry<TableSpec, Entry> entry : Map.copyOf(entries).entrySet()) {
            if (entry.getValue().leases == 0) {
                free(entry.getKey(), entry.getValue());
            }
        }
    }

    private void free(TableSpec spec, Entry entry) {
        entries.remove(spec);
        usedBytes -= entry.bytes;
        if (entry.image != null) {
            entry.image.close();
        }
    }
}
