package org.reprobe.fabric;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What a server's card with transactions remembers: remote hardware transactional memory as the Nessie paper (2014, section 5)
 * proposes it, with "high-speed cache to store uncommitted writes" and "remote versions of XBEGIN, XEND and XABORT". For
 * fabrics that have such a card; addresses are those of requests. For one thread at a time.
 */
public final class Transactions {
    private final int maxWords;
    private final List<Transaction> open = new ArrayList<>();

    /** @param maxWords how many words a transaction may touch; more doom it */
    public Transactions(int maxWords) {
        this.maxWords = maxWords;
    }

    /** Where commits write. */
    @FunctionalInterface
    public interface Words {
        /** Writes a word of server memory. */
        void set(long address, long value);
    }

    /** A queue pair's transactions, one after the other. */
    public Transaction ofQueuePair() {
        return new Transaction();
    }

    /** Forgets all that are open. */
    public void reset() {
        open.forEach(transaction -> transaction.begun = false);
        open.clear();
    }

    /** Memory was changed by an operation that is of no transaction: dooms all that have touched it. */
    public void changed(long address, long bytes) {
        for (int i = 0; i < open.size(); i++) {
            Transaction transaction = open.get(i);
            transaction.doomed |= transaction.touches(address, bytes);
        }
    }

    /** One queue pair's. */
    public final class Transaction {
        private long[] addresses = new long[4];
        private long[] values = new long[4];
        private boolean[] written = new boolean[4];
        private int count;
        private boolean begun;
        private boolean doomed;

        private Transaction() {}

        /** XBEGIN. One that is open is given up. */
        public void begin() {
            if (!begun) {
                begun = true;
                open.add(this);
            }
            count = 0;
            doomed = false;
        }

        /**
         * A read within the transaction.
         *
         * @param there what memory holds
         * @return what the transaction has written there before, else {@code there}
         */
        public long read(long address, long there) {
            int at = touch(address);
            return at >= 0 && written[at] ? values[at] : there;
        }

        /** A write within the transaction: nobody sees it yet. */
        public void write(long address, long value) {
            int at = touch(address);
            if (at >= 0) {
                values[at] = value;
                written[at] = true;
            }
        }

        /** XEND: true if all writes have taken effect, at once; false if none has. */
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

        /** All that decides what it will do, given what it was asked: 0 none is open, 1 it can commit, 2 it can't. */
        public int state() {
            return begun ? doomed ? 2 : 1 : 0;
        }

        /** The place of an address among those touched; -1 when there is no room for it. */
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
