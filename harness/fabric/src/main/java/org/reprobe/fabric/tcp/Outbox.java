package org.reprobe.fabric.tcp;

import java.lang.foreign.MemorySegment;

/**
 * Output of a connection. One chunk is filled while another is being sent. If both are full, the producer pauses until
 * {@link Wire} has sent one (back-pressure), so a peer that does not read costs two chunks at most. Confined to the
 * event loop.
 */
final class Outbox {
    /** Receiver of chunks, which holds a reference until the bytes are sent. */
    @FunctionalInterface
    interface Wire {
        void write(Chunk chunk);
    }

    private final Wire wire;
    private Chunk filling;
    private Chunk leaving;
    private int filled;
    private int bytes;

    /** @param bytes initial capacity of a chunk */
    Outbox(Wire wire, int bytes) {
        this.wire = wire;
        this.bytes = bytes;
        this.filling = new Chunk(bytes);
        this.leaving = new Chunk(bytes);
    }

    /** Uses chunks of full length from the next one on. */
    void grow() {
        bytes = Chunk.BYTES;
        if (filled == 0) {
            filling = grown(filling);
        }
    }

    private Chunk grown(Chunk chunk) {
        return chunk.bytes() < bytes ? new Chunk(bytes) : chunk;
    }

    /** Returns the memory for the next bytes, which begin at {@link #at}. */
    MemorySegment memory() {
        return filling.memory;
    }

    int at() {
        return filled;
    }

    int room() {
        return filling.bytes() - filled;
    }

    void advance(int bytes) {
        filled += bytes;
    }

    /** Makes room for {@code bytes} bytes by a flush if necessary; returns false if they do not fit. */
    boolean ensure(int bytes) {
        if (room() < bytes) {
            flush();
        }
        return room() >= bytes;
    }

    /** Sends the current chunk unless the previous one is still being sent. */
    void flush() {
        if (filled == 0 || leaving.busy()) {
            return;
        }
        Chunk full = filling;
        full.buffer.setIndex(0, filled);
        filling = grown(leaving);
        leaving = full;
        filled = 0;
        full.buffer.retain();
        wire.write(full);
    }

    /** Returns true if nothing is buffered or being sent. */
    boolean empty() {
        return filled == 0 && !leaving.busy();
    }
}
