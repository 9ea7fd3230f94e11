package org.reprobe.nessie;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.RemoteRegion;

/**
 * What clients and the server's program say to each other, in 8-byte words. A request: what it asks, the client's number as an
 * owner of items, the generation of the layout that it knows, a key. An answer: how it ended, the generation, slots, address,
 * length and key of the table's memory.
 */
final class ServerMessage {
    static final int REQUEST_BYTES = 32;
    static final int ANSWER_BYTES = 48;

    // Requests.

    /** Where is the table? A client's first request, and what it asks when it was refused. */
    static final int LAYOUT = 1;
    /** Empty a place of the key. */
    static final int MAKE_ROOM = 2;
    /** End all operations that are under way. */
    static final int SETTLE = 3;
    /** Give notice of my items that are not in the table. */
    static final int COLLECT = 4;
    /** I have connected again: end what I had under way. */
    static final int JOIN = 5;

    // Answers.

    static final int DONE = 1;
    /** There is no room for the key; or all items are in the table. */
    static final int FULL = 2;
    /** The client was taken for dead. */
    static final int DECLARED_DEAD = 3;

    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;

    private ServerMessage() {}

    static void request(MemorySegment memory, int what, int owner, long generation, long key) {
        memory.set(WORD, 0, what);
        memory.set(WORD, 8, owner);
        memory.set(WORD, 16, generation);
        memory.set(WORD, 24, key);
    }

    static void answer(MemorySegment memory, int how, long generation, TableLayout layout) {
        memory.set(WORD, 0, how);
        memory.set(WORD, 8, generation);
        memory.set(WORD, 16, layout.slots());
        memory.set(WORD, 24, layout.memory().address());
        memory.set(WORD, 32, layout.memory().bytes());
        memory.set(WORD, 40, layout.memory().key());
    }

    /** What a request asks, or how an answer says that it ended. */
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
