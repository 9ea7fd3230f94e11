package org.reprobe.fabric.verbs;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends along with a connection request.
 *
 * @param token the endpoint's
 * @param client its index
 * @param outstandingReads that the client will have in flight
 */
record ConnectRequest(long token, int client, int outstandingReads) {
    private static final int MAGIC = 0x52505242; // another program's requests are refused

    byte[] toBytes() {
        return ByteBuffer.allocate(20)
                .putInt(MAGIC)
                .putLong(token)
                .putInt(client)
                .putInt(outstandingReads)
                .array();
    }

    /** Null when it is no such request. */
    static @Nullable ConnectRequest parse(byte[] data) {
        ByteBuffer from = ByteBuffer.wrap(data);
        if (from.remaining() < 20 || from.getInt() != MAGIC) {
            return null;
        }
        return new ConnectRequest(from.getLong(), from.getInt(), from.getInt());
    }
}
