package org.reprobe.check;

/**
 * Recorder of clients' operations and results. Client code calls it directly before the first step of an operation and
 * directly after the last one. An operation stays pending if its client dies in between, or if it ends without a reply.
 * A pending operation may take effect at any later time, or never. After an operation without a reply the client may
 * continue.
 */
public interface HistoryRecorder {

    HistoryRecorder NONE = new HistoryRecorder() {
        @Override
        public int invoked(int client, Operation operation, long key, long argument, long expected) {
            return 0;
        }

        @Override
        public void returned(int invocation, long result) {
            // Nothing is recorded.
        }
    };

    /** Records an operation's start; returns the handle for {@link #returned}. Parameters that it lacks are 0. */
    int invoked(int client, Operation operation, long key, long argument, long expected);

    default int invoked(int client, Operation operation, long key, long argument) {
        return invoked(client, operation, key, argument, 0);
    }

    /** Records the return of an operation, with a result as defined by {@link Operation}. */
    void returned(int invocation, long result);
}
