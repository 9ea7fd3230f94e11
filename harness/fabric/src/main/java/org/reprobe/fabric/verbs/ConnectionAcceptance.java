package org.reprobe.fabric.verbs;

import java.nio.ByteBuffer;

/**
 * What a server sends along when it accepts a connection.
 *
 * @param writesLandInOrder whether its card promises that the bytes of a WRITE at this connection land in the order of addresses
 */
record ConnectionAcceptance(boolean writesLandInOrder) {
    /** Of a server that said nothing: no promise. */
    private static final ConnectionAcceptance SILENT = new ConnectionAcceptance(false);

    private static final int MAGIC = 0x52505241; // other programs have their own
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
