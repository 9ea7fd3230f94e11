package org.reprobe.fabric.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/**
 * A direct buffer that its owner uses again and again, seen by Netty and by us: no wrapper is made for a copy. Netty
 * holds a reference while it needs the bytes.
 */
final class Chunk {
    static final int BYTES = 64 * 1024;
    /** Length of a chunk of a connection that has not shown the token: room for the greeting. */
    static final int GREETING_BYTES = 4 * Frames.MAX_BYTES;

    final MemorySegment memory;
    final ByteBuf buffer;

    Chunk(int bytes) {
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes);
        this.memory = MemorySegment.ofBuffer(direct);
        this.buffer = Unpooled.wrappedBuffer(direct);
    }

    int bytes() {
        return buffer.capacity();
    }

    /** Netty still reads from or writes to it. */
    boolean busy() {
        return buffer.refCnt() > 1;
    }
}
