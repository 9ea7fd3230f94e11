package org.reprobe.fabric.tcp;

import java.lang.foreign.MemorySegment;

/**
 * What goes out on a connection: one chunk is filled while another is on its way. When both are full, whoever produces
 * waits for {@link Wire} to be done, so a peer that does not read costs two chunks and no more. Of the event loop.
 */
final class Outbox {
    /** Takes a chunk: holds a reference until its bytes are gone. */
    @FunctionalInterface
    interface Wire {
        void write(Chunk chunk);
    }

    private final Wire wire;
    private Chunk filling;
    private Chunk leaving;
    private int filled;
    private int bytes;

    /** @param bytes of a chunk at first */
    Outbox(Wire wire, int bytes) {
        this.wire = wire;
        this.bytes = bytes;
        this.filling = new Chunk(bytes);
        this.leaving = new Chunk(bytes);
    }

    /** Has chunks of full length from the next one on. */
    void grow() {
        bytes = Chunk.BYTES;
        if (filled == 0) {
            filling = grown(filling);
        }
    }

    private Chunk grown(Chunk chunk) {
        return chunk.bytes() < bytes ? new Chunk(bytes) : chunk;
    }

    /** Where the next bytes go, at {@link #at}. */
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

    /** Whether so many bytes fit, after a flush if need be. */
    boolean ensure(int bytes) {
        if (room() < bytes) {
            flush();
        }
        return room() >= bytes;
    }

    /** Lets go of what is there, unless the chunk before has not left yet. */
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

    /** Nothing waits and nothing is on its way. */
    boolean empty() {
        return filled == 0 && !leaving.busy();
    }
}
