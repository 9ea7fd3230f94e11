package org.reprobe.nessie;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;

/** Requests of a client to the server's program; each call blocks until the reply. */
public sealed interface ServerCalls permits ServerCalls.None, ServerLink {

    /** Without a server program: there is never space, and rejections are final. */
    ServerCalls NONE = new None();

    /** Requests to empty one of a key's places. Returns the layout, possibly with space; null if there is no space. */
    @Nullable
    TableLayout makeRoom(long key) throws FabricException;

    /** Requests the layout after a revocation; null without a server program. */
    @Nullable
    TableLayout layout() throws FabricException;

    /**
     * Reconnects and requests the layout: this client's operations in progress have been ended, and no request of
     * theirs arrives late. Returns null without a server program.
     */
    @Nullable
    TableLayout reconnect() throws FabricException;

    /** Reports another client's operation that does not end and blocks this client's. All operations are ended. */
    void settle() throws FabricException;

    /** Requests notices of all items of this idle client that are not in the table; returns false if there are none. */
    boolean collect() throws FabricException;

    final class None implements ServerCalls {
        private None() {}

        @Override
        public @Nullable TableLayout makeRoom(long key) {
            return null;
        }

        @Override
        public @Nullable TableLayout layout() {
            return null;
        }

        @Override
        public @Nullable TableLayout reconnect() {
            return null;
        }

        @Override
        public void settle() {
            // Blocked clients stay blocked.
        }

        @Override
        public boolean collect() {
            return false;
        }
    }
}
