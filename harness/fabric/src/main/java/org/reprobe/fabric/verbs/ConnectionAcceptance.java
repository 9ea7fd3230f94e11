package org.reprobe.fabric.verbs;

import java.nio.ByteBuffer;

/** Private data of an accepted connection: the card's guarantee that a WRITE's bytes land in address order. */
record ConnectionAcceptance(boolean writesLandInOrder) {
    /** Default for servers that send no data: no guarantee. */
    private static final ConnectionAcceptance SILENT = new ConnectionAcceptance(false);

    private static final int MAGIC = 0x52505241; // distinguishes Reprobe's data from other programs'
    private static final int BYTES = 5;

    byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putInt(MAGIC)
                .put((byte) (writesLandInOrder ? 1 : 0))
                .array();
    }

    static ConnectionAcceptance parse(byte[] data) {
        ByteBuffer from = ByteBuffer.wrap(data);
        if (from.remaining() < BYTES || from.getInt() != MAGIC) {
            return SILENT;
        }
        return new ConnectionAcceptance(from.get() == 1);
    }
}
