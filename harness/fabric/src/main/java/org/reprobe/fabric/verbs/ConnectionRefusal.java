package org.reprobe.fabric.verbs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.reprobe.verbs.Connections;

/** Reason of a server's refusal, sent with the rejection: ASCII text for the client's user, truncated to fit. */
record ConnectionRefusal(String why) {
    private static final int MAGIC = 0x5250524e; // distinguishes Reprobe's data from other programs'
    private static final int HEADER_BYTES = 5;

    byte[] toBytes() {
        byte[] words = why.getBytes(StandardCharsets.US_ASCII);
        int length = Math.min(words.length, Connections.MAX_REJECT_BYTES - HEADER_BYTES);
        return ByteBuffer.allocate(HEADER_BYTES + length)
                .putInt(MAGIC)
                .put((byte) length)
                .put(words, 0, length)
                .array();
    }

    /** Parses private data; returns null if it is no refusal by Reprobe. */
    static @Nullable ConnectionRefusal parse(byte[] data) {
        ByteBuffer from = ByteBuffer.wrap(data);
        if (from.remaining() < HEADER_BYTES || from.getInt() != MAGIC) {
            return null;
        }
        int length = Math.min(Byte.toUnsignedInt(from.get()), from.remaining());
        return new ConnectionRefusal(new String(data, HEADER_BYTES, length, StandardCharsets.US_ASCII));
    }
}
