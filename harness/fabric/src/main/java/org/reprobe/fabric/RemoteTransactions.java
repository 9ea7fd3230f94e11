package org.reprobe.fabric;

/**
 * Transactions on the server's memory by the operations of one queue pair: an extension that the Nessie paper (2014, section 5)
 * proposes, and that no real card has yet. {@link QueuePair#transactions} says whether a card has it.
 */
public interface RemoteTransactions {

    /**
     * Appends the begin of a transaction (XBEGIN); one that is open on this queue pair is given up. The card watches each word that
     * the transaction reads or writes, up to its {@link #commit}, as long as that takes; whatever else changes one of them dooms it, as
     * do more words than the card has capacity for. Other operations of the queue pair are not part of it.
     */
    void begin(long id, boolean signaled);

    /** Appends a read of an aligned word within the transaction: its own write, else what is there, to {@code local}. */
    void read(long id, long local, long remote, int key, boolean signaled);

    /** Appends a write of an aligned word within the transaction: nobody sees it before the commit. */
    void write(long id, long remote, int key, long value, boolean signaled);

    /**
     * Appends the end of the transaction (XEND): all its writes take effect at once, and the word at {@code local} becomes 1; or, if it
     * is doomed, none does, and the word becomes 0.
     */
    void commit(long id, long local, boolean signaled);
}
