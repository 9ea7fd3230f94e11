package org.reprobe.fabric.verbs;

import java.io.IOException;

/** A queue pair's requests and completions, as fast as the provider can. Places are those of a ring. */
interface Posting extends AutoCloseable {

    /** Writes a READ, WRITE or SEND into a place. */
    void put(int place, int opcode, int flags, long local, int bytes, long remote, int key);

    /** Writes a COMPARE_AND_SWAP into a place. */
    void compareAndSwap(int place, int flags, long local, long remote, int key, long expected, long desired);

    /** Writes a FETCH_AND_ADD into a place. */
    void fetchAndAdd(int place, int flags, long local, long remote, int key, long addend);

    /** Posts neighbouring places of the ring as one batch. */
    void post(int first, int count) throws IOException;

    /** Posts a RECEIVE. */
    void receive(long id, long local, int bytes) throws IOException;

    /** Takes completions that are there; their number. */
    int poll(int max) throws IOException;

    /** The id of a polled RECEIVE, the place of another request. */
    long id(int i);

    int status(int i);

    int receivedBytes(int i);

    int vendorError(int i);

    @Override
    void close();
}
