package org.reprobe.fabric.verbs;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Private data of a connection request.
 *
 * @param token of the server's endpoint
 * @param client index of the client
 * @param outstandingReads READs that the client will have in flight
 * @param oneSided true for a connection without messages
 * @param session number of the client's process at the server; {@link Sessions#UNKNOWN} if unknown
 */
record ConnectRequest(long token, int client, int outstandingReads, boolean oneSided, int session) {
    private static final int BYTES = 28;
    private static final int MAGIC = 0x52505242; // another program's requests are refused

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .putLong(token)
                .putInt(client)
                .putInt(outstandingReads)
                .putInt(oneSided ? 1 : 0)
                .putInt(session)
                .array();
    }

    /** Parses private data; returns null if it is not a request of this form. */
    static @Nullable ConnectRequest parse(byte[] data) {
        ByteBuffer from = ByteBuffer.wrap(data);
        if (from.remaining() < BYTES || from.getInt() != MAGIC) {
            return null;
        }
        return new ConnectRequest(from.getLong(), from.getInt(), from.getInt(), from.getInt() != 0, from.getInt());
    }
}
