package org.reprobe.fabric.verbs;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Private data of a connection request; an unknown client process has session {@link Sessions#UNKNOWN}. */
record ConnectRequest(long token, int client, int outstandingReads, boolean oneSided, int inlineBytes, int session) {
    private static final int BYTES = 32;
    private static final int MAGIC = 0x52505242; // another program's requests are refused

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .putLong(token)
                .putInt(client)
                .putInt(outstandingReads)
                .putInt(oneSided ? 1 : 0)
                .putInt(inlineBytes)
                .putInt(session)
                .array();
    }

    /** Parses private data; returns null if it is not a request of this form. */
    static @Nullable ConnectRequest parse(byte[] data) {
        ByteBuffer from = ByteBuffer.wrap(data);
        if (from.remaining() < BYTES || from.getInt() != MAGIC) {
            return null;
        }
        return new ConnectRequest(
                from.getLong(), from.getInt(), from.getInt(), from.getInt() != 0, from.getInt(), from.getInt());
    }
}
