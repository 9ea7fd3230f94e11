package org.reprobe.fabric.shm;

import java.lang.foreign.MemorySegment;

/** Message rings of a connection as one end sees them: {@code in} from the other end, {@code out} from this one. */
record MessageChannel(MessageRing in, MessageRing out) {

    /** Returns the size of the channel's file in bytes. */
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
