package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.RemoteRegion;

/**
 * Messages between clients and the server program, in 8-byte words. Request: kind, owner number of the client,
 * generation of its layout, key. Reply: status, generation, slots, and address, length and key of the table's memory.
 */
final class ServerMessage {
    static final int REQUEST_BYTES = 32;
    static final int REPLY_BYTES = 48;

    // Requests.

    /** Request for the layout: a client's first request, and its request after a rejection. */
    static final int LAYOUT = 1;
    /** Request to empty a place of the key. */
    static final int MAKE_ROOM = 2;
    /** Request to end all operations in progress. */
    static final int SETTLE = 3;
    /** Request for notices of the client's items that are not in the table. */
    static final int COLLECT = 4;
    /** Request after a reconnection to end the client's operation in progress. */
    static final int JOIN = 5;

    // Answers.

    static final int DONE = 1;
    /** No space for the key, or all items of the client are in the table. */
    static final int FULL = 2;
    /** The client was declared dead. */
    static final int DECLARED_DEAD = 3;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private ServerMessage() {}

    static void request(MemorySegment memory, int what, int owner, long generation, long key) {
        memory.set(WORD, 0, what);
        memory.set(WORD, 8, owner);
        memory.set(WORD, 16, generation);
        memory.set(WORD, 24, key);
    }

    static void reply(MemorySegment memory, int how, long generation, TableLayout layout) {
        memory.set(WORD, 0, how);
        memory.set(WORD, 8, generation);
        memory.set(WORD, 16, layout.slots());
        memory.set(WORD, 24, layout.memory().address());
        memory.set(WORD, 32, layout.memory().bytes());
        memory.set(WORD, 40, layout.memory().key());
    }

    static int what(MemorySegment memory) {
        return (int) memory.get(WORD, 0);
    }

    static int owner(MemorySegment memory) {
        return (int) memory.get(WORD, 8);
    }

    static long requestedGeneration(MemorySegment memory) {
        return memory.get(WORD, 16);
    }

    static long key(MemorySegment memory) {
        return memory.get(WORD, 24);
    }

    static long generation(MemorySegment memory) {
        return memory.get(WORD, 8);
    }

    static TableLayout layout(MemorySegment memory) {
        return new TableLayout(memory.get(WORD, 16), new RemoteRegion(memory.get(WORD, 24), memory.get(WORD, 32), (int)
                memory.get(WORD, 40)));
    }
}
