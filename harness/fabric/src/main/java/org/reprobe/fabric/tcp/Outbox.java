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
    private Chunk filling = new Chunk();
    private Chunk leaving = new Chunk();
    private int filled;

    Outbox(Wire wire) {
        this.wire = wire;
    }

    /** Where the next bytes go, at {@link #at}. */
    MemorySegment memory() {
        return filling.memory;
    }

    int at() {
        return filled;
    }

    int room() {
        return Chunk.BYTES - filled;
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
        filling = leaving;
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
