package org.reprobe.fabric.verbs;

import java.io.IOException;

/** Posting of a queue pair's requests, in the slots of a ring, and polling of completions, through the provider. */
interface Posting extends AutoCloseable {

    /** Writes a READ, WRITE or SEND into a slot. */
    void put(int place, int opcode, int flags, long local, int bytes, long remote, int key);

    void compareAndSwap(int place, int flags, long local, long remote, int key, long expected, long desired);

    void fetchAndAdd(int place, int flags, long local, long remote, int key, long addend);

    /** Posts consecutive slots of the ring as one batch. */
    void post(int first, int count) throws IOException;

    void receive(long id, long local, int bytes) throws IOException;

    /** Takes available completions; returns their number. */
    int poll(int max) throws IOException;

    /** Returns the id of a polled RECEIVE, or the slot of another request. */
    long id(int i);

    int status(int i);

    int receivedBytes(int i);

    int vendorError(int i);

    @Override
    void close();
}
