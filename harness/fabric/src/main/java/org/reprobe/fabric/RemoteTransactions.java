package org.reprobe.fabric;

/**
 * Transactions on the server's memory through one queue pair: an extension proposed by the Nessie paper (2014, section 5)
 * that no real card has. {@link QueuePair#transactions} returns it where supported.
 */
public interface RemoteTransactions {

    /**
     * Appends XBEGIN; an open transaction of this queue pair is aborted. Until {@link #commit} the card watches each word
     * that the transaction reads or writes. Any other change of such a word dooms the transaction, as does exceeding the
     * card's capacity. Other operations of the queue pair are not part of it.
     */
    void begin(long id, boolean signaled);

    /** Appends a transactional read of an aligned word to {@code local}: the transaction's own write, otherwise the memory. */
    void read(long id, long local, long remote, int key, boolean signaled);

    /** Appends a transactional write of an aligned word, invisible before the commit. */
    void write(long id, long remote, int key, long value, boolean signaled);

    /**
     * Appends XEND. A commit applies all writes atomically and sets the word at {@code local} to 1; a doomed transaction
     * applies none and sets it to 0.
     */
    void commit(long id, long local, boolean signaled);
}
