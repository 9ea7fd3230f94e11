package org.reprobe.fabric;

/**
 * Transactions on the server's memory through one queue pair: a card extension that the Nessie paper proposes (2014,
 * section 5). No real card supports them.
 */
public interface RemoteTransactions {

    /**
     * Appends XBEGIN; an open transaction of this queue pair is aborted. Until {@link #commit} the card watches each
     * word that the transaction reads or writes. The transaction fails if another operation changes such a word, or if
     * the card needs the space of its words. Other operations of the queue pair are not part of the transaction.
     */
    void begin(long id, boolean signaled);

    /** Appends a read of an aligned word to {@code local}: the transaction's own write, or the memory's content. */
    void read(long id, long local, long remote, int key, boolean signaled);

    /** Appends a read of several aligned words to {@code local}. */
    void read(long id, long local, long remote, int key, int bytes, boolean signaled);

    /** Appends a transactional write of an aligned word, invisible before the commit. */
    void write(long id, long remote, int key, long value, boolean signaled);

    /** Appends a transactional write of several aligned words from {@code local}. */
    void write(long id, long local, long remote, int key, int bytes, boolean signaled);

    /** Appends XEND, which applies all writes atomically, or none; it sets the word at {@code local} to 1 or 0. */
    void commit(long id, long local, boolean signaled);
}
