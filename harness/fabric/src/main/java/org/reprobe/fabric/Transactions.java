package org.reprobe.fabric;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Transaction state of a server's card: remote hardware transactional memory as proposed by the Nessie paper (2014, section
 * 5), with "high-speed cache to store uncommitted writes" and "remote versions of XBEGIN, XEND and XABORT". Addresses are
 * remote addresses. Not thread-safe.
 */
public final class Transactions {
    private final int maxWords;
    private final List<Transaction> open = new ArrayList<>();

    /** @param maxWords capacity of a transaction; touching more words dooms it */
    public Transactions(int maxWords) {
        this.maxWords = maxWords;
    }

    @FunctionalInterface
    public interface Words {
        void set(long address, long value);
    }

    /** Creates the successive transactions of one queue pair. */
    public Transaction ofQueuePair() {
        return new Transaction();
    }

    /** Aborts all open transactions. */
    public void reset() {
        open.forEach(transaction -> transaction.begun = false);
        open.clear();
    }

    /** Dooms all transactions that have touched memory changed by a non-transactional operation. */
    public void changed(long address, long bytes) {
        for (int i = 0; i < open.size(); i++) {
            Transaction transaction = open.get(i);
            transaction.doomed |= transaction.touches(address, bytes);
        }
    }

    /** Transactions of one queue pair. */
    public final class Transaction {
        private long[] addresses = new long[4];
        private long[] values = new long[4];
        private boolean[] written = new boolean[4];
        private int count;
        private boolean begun;
        private boolean doomed;

        private Transaction() {}

        /** XBEGIN; aborts an open transaction. */
        public void begin() {
            if (!begun) {
                begun = true;
                open.add(this);
            }
            count = 0;
            doomed = false;
        }

        /** Reads within the transaction: its own earlier write, otherwise {@code there}, the memory's content. */
        public long read(long address, long there) {
            int at = touch(address);
            return at >= 0 && written[at] ? values[at] : there;
        }

        /** Transactional write, invisible before the commit. */
        public void write(long address, long value) {
            int at = touch(address);
            if (at >= 0) {
                values[at] = value;
                written[at] = true;
            }
        }

        /** XEND; returns true if all writes took effect atomically, false if none did. */
        public boolean commit(Words memory) {
            boolean commits = begun && !doomed;
            open.remove(this);
            begun = false;
            for (int i = 0; commits && i < count; i++) {
                if (written[i]) {
                    memory.set(addresses[i], values[i]);
                    changed(addresses[i], Long.BYTES);
                }
            }
            return commits;
        }

        /** Complete state for given requests: 0 no open transaction, 1 can commit, 2 doomed. */
        public int state() {
            return begun ? doomed ? 2 : 1 : 0;
        }

        /** Index of an address in the touched set; -1 if the set is full. */
        private int touch(long address) {
            for (int i = 0; i < count; i++) {
                if (addresses[i] == address) {
                    return i;
                }
            }
            if (!begun || count == maxWords) {
                doomed = true;
                return -1;
            }
            if (count == addresses.length) {
                addresses = Arrays.copyOf(addresses, 2 * count);
                values = Arrays.copyOf(values, 2 * count);
                written = Arrays.copyOf(written, 2 * count);
            }
            addresses[count] = address;
            written[count] = false;
            return count++;
        }

        private boolean touches(long address, long bytes) {
            for (int i = 0; i < count; i++) {
                if (addresses[i] + Long.BYTES > address && addresses[i] < address + bytes) {
                    return true;
                }
            }
            return false;
        }
    }
}
