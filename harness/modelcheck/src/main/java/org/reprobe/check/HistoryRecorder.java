package org.reprobe.check;

/**
 * Takes down what clients ask and are told. Client code calls it just before the first step of an operation and just
 * after the last one; an operation of a client that dies in between, or that ends without an answer, stays pending. In the latter case
 * the client may go on with others: the pending one takes effect at any later time, or never.
 */
public interface HistoryRecorder {

    /** Takes down nothing. */
    HistoryRecorder NONE = new HistoryRecorder() {
        @Override
        public int invoked(int client, Operation operation, long key, long argument, long expected) {
            return 0;
        }

        @Override
        public void returned(int invocation, long result) {
            // Nobody asks.
        }
    };

    /**
     * A client begins an operation.
     *
     * @param argument see {@link Operation}; 0 where there is none
     * @param expected of a compare-and-swap; else 0
     * @return what {@link #returned} takes
     */
    int invoked(int client, Operation operation, long key, long argument, long expected);

    /** A client begins an operation that expects nothing. */
    default int invoked(int client, Operation operation, long key, long argument) {
        return invoked(client, operation, key, argument, 0);
    }

    /** The operation is over. */
    void returned(int invocation, long result);
}
