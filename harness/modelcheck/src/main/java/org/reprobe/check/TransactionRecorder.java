package org.reprobe.check;

/**
 * Recorder of a client's transactions, one at a time. A transaction is an operation ({@link Operation#TRANSACTION});
 * its reads and writes are operations with its number. {@link TransactionHistory} reconstructs the transactions from
 * the {@link History}. Writes must be recorded before the commit begins, since a client that dies during the commit may
 * have written them.
 */
public final class TransactionRecorder {
    private final HistoryRecorder history;
    private final int client;
    private long number;
    private int invocation;

    public TransactionRecorder(HistoryRecorder history, int client) {
        this.history = history;
        this.client = client;
    }

    /** Records the start of a transaction. A restart after an abort is another transaction. */
    public void begins() {
        number++;
        invocation = history.invoked(client, Operation.TRANSACTION, number, 0);
    }

    /** Records a read of the current transaction. */
    public void read(long key, long value) {
        history.returned(history.invoked(client, Operation.READ, key, 0, number), value);
    }

    /** Records a write before the commit begins. */
    public void writes(long key, long value) {
        history.returned(history.invoked(client, Operation.WRITE, key, value, number), Event.DONE);
    }

    /** Records the end of the current transaction. */
    public void ended(boolean committed) {
        history.returned(invocation, committed ? Event.DONE : Event.REFUSED);
    }
}
