package org.reprobe.check;

/**
 * Takes down a client's transactions: one at a time, each an operation of its own ({@link Operation#TRANSACTION}), and between its
 * beginning and its end what it reads and writes, as operations that have its number. So a history of several keys is a {@link History},
 * and {@link TransactionHistory} puts it together again.
 *
 * <p>What it writes is to be told before it begins to commit: a client that dies later may have written it.
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

    /** A transaction begins, or begins anew: what was aborted is another one. */
    public void begins() {
        number++;
        invocation = history.invoked(client, Operation.TRANSACTION, number, 0);
    }

    /** It has read a key that it has not written. */
    public void read(long key, long value) {
        history.returned(history.invoked(client, Operation.READ, key, 0, number), value);
    }

    /** It will write a key. */
    public void writes(long key, long value) {
        history.returned(history.invoked(client, Operation.WRITE, key, value, number), Event.DONE);
    }

    /** It is over. */
    public void ended(boolean committed) {
        history.returned(invocation, committed ? Event.DONE : Event.REFUSED);
    }
}
