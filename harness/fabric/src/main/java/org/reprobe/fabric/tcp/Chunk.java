package org.reprobe.fabric.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;

/** Reusable direct buffer, which spares Netty an object per operation. Netty holds a reference while it uses it. */
final class Chunk {
    static final int BYTES = 64 * 1024;
    /** Capacity until the token is proven: enough for the greeting. */
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

    boolean busy() {
        return buffer.refCnt() > 1;
    }
}
