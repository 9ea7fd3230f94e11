package org.reprobe.nessie;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;

/** What a client asks of the server's program; each call blocks until the answer has come. */
public sealed interface ServerCalls permits ServerCalls.None, ServerLink {

    /** No server program: there is never room, and what is refused stays refused. */
    ServerCalls NONE = new None();

    /**
     * Asks to empty one of a key's places.
     *
     * @return where the table is now, with room perhaps; null when there is none
     */
    @Nullable
    TableLayout makeRoom(long key) throws FabricException;

    /** Asks where the table is now, after access was revoked; null when there is no server program. */
    @Nullable
    TableLayout layout() throws FabricException;

    /**
     * Connects again and asks where the table is: what this client had under way has an end then, and nothing of it comes late.
     *
     * @return null when there is no server program
     */
    @Nullable
    TableLayout reconnect() throws FabricException;

    /** Says that an operation of somebody's does not end, so that this client's can't go on. All have an end then. */
    void settle() throws FabricException;

    /**
     * Asks for notices of all items of this client's that are not in the table. It must have no operation under way.
     *
     * @return whether there are any
     */
    boolean collect() throws FabricException;

    /** {@link #NONE}. */
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
            // Those who are stuck stay so.
        }

        @Override
        public boolean collect() {
            return false;
        }
    }
}
