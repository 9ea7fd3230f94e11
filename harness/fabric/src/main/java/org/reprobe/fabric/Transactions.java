package org.reprobe.fabric;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Transaction state of a server's card. It implements the remote hardware transactional memory that the Nessie paper
 * proposes (2014, section 5): a "high-speed cache to store uncommitted writes" and "remote versions of XBEGIN, XEND and
 * XABORT". Addresses are remote addresses. Not thread-safe.
 */
public final class Transactions {
    private static final long[] NO_WORDS = {};
    private static final boolean[] NONE_WRITTEN = {};

    private final int capacity;
    /** Open transactions, in the order in which they began. */
    private final List<Transaction> open = new ArrayList<>();

    private int words;

    /**
     * @param capacity number of words for which open transactions have space together; one more word evicts the
     *     transaction that began first, which then fails
     */
    public Transactions(int capacity) {
        this.capacity = capacity;
    }

    /** Memory to which a commit writes. */
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
        open.forEach(transaction -> {
            transaction.begun = false;
            transaction.free();
        });
        open.clear();
    }

    /** Fails open transactions with a changed word. Must be called for each non-transactional change of memory. */
    public void changed(long address, long bytes) {
        for (int i = 0; i < open.size(); i++) {
            Transaction transaction = open.get(i);
            transaction.doomed |= transaction.touches(address, bytes);
        }
    }

    /** Transactions of one queue pair. */
    public final class Transaction {
        private long[] addresses = NO_WORDS;
        private long[] values = NO_WORDS;
        private boolean[] written = NONE_WRITTEN;
        private int count;
        private boolean begun;
        private boolean doomed;

        private Transaction() {}

        /** XBEGIN; aborts an open transaction. */
        public void begin() {
            if (begun) {
                open.remove(this);
            }
            begun = true;
            open.add(this);
            free();
            doomed = false;
        }

        /** Returns the transaction's own earlier write, otherwise {@code there}, the memory's content. */
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
            free();
            return commits;
        }

        private void free() {
            words -= count;
            count = 0;
        }

        private void evict() {
            doomed = true;
            free();
        }

        /** Returns 0 without a transaction, 1 if it can commit, 2 if not; with its requests this is the whole state. */
        public int state() {
            return begun ? doomed ? 2 : 1 : 0;
        }

        /** Returns an address's index among the transaction's words, adding it if new; -1 if there is no room. */
        private int touch(long address) {
            for (int i = 0; i < count; i++) {
                if (addresses[i] == address) {
                    return i;
                }
            }
            if (!begun || (words == capacity && !makeRoom())) {
                doomed = true;
                return -1;
            }
            if (count == addresses.length) {
                int more = Math.max(4, 2 * count);
                addresses = Arrays.copyOf(addresses, more);
                values = Arrays.copyOf(values, more);
                written = Arrays.copyOf(written, more);
            }
            addresses[count] = address;
            written[count] = false;
            words++;
            return count++;
        }

        /** Evicts the oldest transaction that has words; returns false if it is this one. */
        private boolean makeRoom() {
            for (int i = 0; i < open.size(); i++) {
                Transaction oldest = open.get(i);
                if (oldest.count > 0) {
                    oldest.evict();
                    return oldest != this;
                }
            }
            return false;
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
