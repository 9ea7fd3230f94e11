package org.reprobe.fabric.verbs;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends along with a connection request.
 *
 * @param token the endpoint's
 * @param client its index
 * @param outstandingReads that the client will have in flight
 * @param oneSided whether it carries no messages
 */
record ConnectRequest(long token, int client, int outstandingReads, boolean oneSided) {
    private static final int BYTES = 24;
    private static final int MAGIC = 0x52505242; // another program's requests are refused

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .putLong(token)
                .putInt(client)
                .putInt(outstandingReads)
                .putInt(oneSided ? 1 : 0)
                .array();
    }

    /** Null when it is no such request. */
    static @Nullable ConnectRequest parse(byte[] data) {
        ByteBuffer from = ByteBuffer.wrap(data);
        if (from.remaining() < BYTES || from.getInt() != MAGIC) {
            return null;
        }
        return new ConnectRequest(from.getLong(), from.getInt(), from.getInt(), from.getInt() != 0);
    }
}
