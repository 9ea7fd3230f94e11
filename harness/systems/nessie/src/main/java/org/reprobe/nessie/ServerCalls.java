package org.reprobe.nessie;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;

/** Requests of a client to the server program. Each call blocks until the reply. */
public sealed interface ServerCalls permits ServerCalls.None, ServerLink {

    /** Calls without a server program: there is never space, and a refused access is final. */
    ServerCalls NONE = new None();

    /**
     * Requests a free place for the key; returns the current layout, in which one may be free, or null without space.
     */
    @Nullable
    TableLayout makeRoom(long key) throws FabricException;

    /** Requests the current layout. Returns null without a server program. */
    @Nullable
    TableLayout layout() throws FabricException;

    /**
     * Reconnects and requests the layout. The server first ends this client's operations in progress, so that none of
     * their requests takes effect later. Returns null without a server program.
     */
    @Nullable
    TableLayout reconnect() throws FabricException;

    /** Requests the end of all operations in progress: one of another client does not end and blocks this one. */
    void settle() throws FabricException;

    /** Requests notices for this client's items outside the table, between operations; false if there are none. */
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
