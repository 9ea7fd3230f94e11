package org.reprobe.check;

/**
 * Recorder of clients' operations and results. Client code calls it just before the first step of an operation and just
 * after the last one. An operation stays pending if its client dies in between or if it ends without a reply. In the latter
 * case the client may continue; the pending operation takes effect at any later time, or never.
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

    /** Records the start of an operation, with 0 for missing parameters; returns the handle for {@link #returned}. */
    int invoked(int client, Operation operation, long key, long argument, long expected);

    default int invoked(int client, Operation operation, long key, long argument) {
        return invoked(client, operation, key, argument, 0);
    }

    void returned(int invocation, long result);
}
