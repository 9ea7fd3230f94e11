package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;

/**
 * The way of a connection's messages, as one end sees it.
 *
 * @param in what the other end sends
 * @param out what this end sends
 */
record MessageChannel(MessageRing in, MessageRing out) {

    /** Bytes of the file. */
    static long bytes(int clientReceives, int serverReceives) {
        return toServerAt(clientReceives) + MessageRing.bytes(serverReceives);
    }

    static MessageChannel atClient(MemorySegment memory, int clientReceives, int serverReceives) {
        return new MessageChannel(toClient(memory, clientReceives), toServer(memory, clientReceives, serverReceives));
    }

    static MessageChannel atServer(MemorySegment memory, int clientReceives, int serverReceives) {
        return new MessageChannel(toServer(memory, clientReceives, serverReceives), toClient(memory, clientReceives));
    }

    private static MessageRing toClient(MemorySegment memory, int clientReceives) {
        return new MessageRing(memory.asSlice(0, toServerAt(clientReceives)), clientReceives);
    }

    private static MessageRing toServer(MemorySegment memory, int clientReceives, int serverReceives) {
        long at = toServerAt(clientReceives);
        return new MessageRing(memory.asSlice(at, MessageRing.bytes(serverReceives)), serverReceives);
    }

    private static long toServerAt(int clientReceives) {
        return MessageRing.bytes(clientReceives);
    }
}
