package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import org.reprobe.farm.memory.ObjectLayout;

/**
 * Messages of the commit protocol (FaRM 2014, section 3.4), in words. A message has a header: kind, with the
 * coordinator's configuration number in the upper half; transaction; number of objects. Then follow the address and the
 * version read of each object and, in kinds with payloads, its new payload in whole words. The two low bits of the
 * version, elsewhere the lock mode, hold the change: update, allocation, free or renewal. The incarnation of an
 * allocated object follows its payload; a freed object has neither.
 *
 * <p>The reply is one word: {@link #DONE} or an error. Replies to {@link #ALLOCATE} contain the place
 * ({@link ObjectAllocations}), replies to {@link #SHIP} the objects read.
 */
public final class CommitMessage {
    /** To a primary: lock these objects and keep their new payloads. */
    public static final int PREPARE = 1;
    /** To a replica: log the new payloads. */
    public static final int LOG_PREPARE = 2;
    /** To a primary: check that the versions are unchanged. */
    public static final int VALIDATE = 3;
    /** To a replica: log that the prepared transaction has committed. */
    public static final int LOG_COMMIT = 4;
    /** To a replica without an earlier {@link #LOG_PREPARE}: log the committed payloads. */
    public static final int LOG_WRITES = 5;
    /** To a primary: write and unlock the prepared objects. */
    public static final int COMMIT = 6;
    /** To a primary: unlock the prepared objects. */
    public static final int ABORT = 7;
    /** To a replica: log that the prepared transaction has aborted. */
    public static final int LOG_ABORT = 8;
    /** To a primary: allocate a place near the object whose address follows (section 3.3). */
    public static final int ALLOCATE = 9;
    /** To the machine that holds all objects of a transaction: execute it ({@code ShippedTransaction}). */
    public static final int SHIP = 10;

    // Replies.
    public static final long DONE = 0;
    public static final long LOCKED = 1;
    static final long CHANGED = 2;
    /** The request belongs to another configuration. */
    public static final long REFUSED = 3;

    public static final int HEADER_WORDS = 3;
    /** Words of an object without payload: address, and version with the change. */
    public static final int OBJECT_WORDS = 2;

    /** Length of {@link #ALLOCATE}; no other message has this length. */
    public static final int ALLOCATE_WORDS = HEADER_WORDS + 1;

    // Changes of an object.
    public static final long UPDATED = 0;
    public static final long ALLOCATED = 1;
    public static final long FREED = 2;
    /** {@link #UPDATED} with the next incarnation, which invalidates pointers to the object. */
    public static final long RENEWED = 3;

    private CommitMessage() {}

    public static int kind(long[] words) {
        return (int) words[0];
    }

    static long configuration(long[] words) {
        return words[0] >>> Integer.SIZE;
    }

    public static long transaction(long[] words) {
        return words[1];
    }

    public static int objects(long[] words) {
        return (int) words[2];
    }

    public static boolean hasPayload(int kind) {
        return kind == PREPARE || kind == LOG_PREPARE || kind == LOG_WRITES;
    }

    /** Returns true if the message lists its objects; other kinds refer to the prepared ones. */
    public static boolean namesObjects(int kind) {
        return hasPayload(kind) || kind == VALIDATE;
    }

    /** Returns true for messages to replicas, false for messages to primaries. */
    public static boolean isForReplica(int kind) {
        return kind == LOG_PREPARE || kind == LOG_COMMIT || kind == LOG_WRITES || kind == LOG_ABORT;
    }

    public static int payloadWords(ObjectLayout object) {
        return (object.payloadBytes() + Long.BYTES - 1) / Long.BYTES;
    }

    public static int objectWords(int kind, ObjectLayout object) {
        return OBJECT_WORDS + (hasPayload(kind) ? payloadWords(object) : 0);
    }

    /** Returns the length of a message about objects of one layout, none of which is allocated or freed. */
    public static int words(long[] message, ObjectLayout object) {
        return HEADER_WORDS + objects(message) * objectWords(kind(message), object);
    }

    /** Returns the change encoded in a version. */
    public static long change(long version) {
        return version & ObjectLayout.LOCK_MODE;
    }

    public static long version(long version) {
        return version & ~ObjectLayout.LOCK_MODE;
    }

    /** Returns the words of a written object, given its encoded version. */
    public static int writtenWords(long version, ObjectLayout object) {
        if (change(version) == FREED) {
            return OBJECT_WORDS;
        }
        return OBJECT_WORDS + payloadWords(object) + (change(version) == ALLOCATED ? 1 : 0);
    }

    /** Returns the incarnation of an allocated object that begins at {@code at} of a message. */
    static long incarnation(long[] words, int at, ObjectLayout object) {
        return words[at + OBJECT_WORDS + payloadWords(object)];
    }

    /** Writes an {@link #ALLOCATE} message and returns its length. */
    public static int allocate(long[] words, long transaction, long near) {
        words[0] = ALLOCATE;
        words[1] = transaction;
        words[2] = 0;
        words[HEADER_WORDS] = near;
        return ALLOCATE_WORDS;
    }

    /** Returns the address near which an {@link #ALLOCATE} message requests a place. */
    public static long near(long[] words) {
        return words[HEADER_WORDS];
    }

    /** Builder of messages. Confined to one thread. */
    public static final class Builder {
        private final long[] words;
        private final MemorySegment bytes;
        private int count;

        public Builder(int maxWords) {
            words = new long[maxWords];
            bytes = MemorySegment.ofArray(words);
        }

        /** Begins a message without a configuration. */
        public void begin(int kind, long transaction) {
            begin(kind, 0, transaction);
        }

        public void begin(int kind, long configuration, long transaction) {
            words[0] = configuration << Integer.SIZE | kind;
            words[1] = transaction;
            words[2] = 0;
            count = HEADER_WORDS;
        }

        public void add(long address, long version) {
            words[2]++;
            words[count++] = address;
            words[count++] = version;
        }

        public void add(long address, long version, ObjectLayout object, MemorySegment payload) {
            add(address, version);
            int of = payloadWords(object);
            words[count + of - 1] = 0;
            MemorySegment.copy(payload, 0, bytes, (long) count * Long.BYTES, object.payloadBytes());
            count += of;
        }

        public void allocate(long address, long version, ObjectLayout object, MemorySegment payload, long incarnation) {
            add(address, version | ALLOCATED, object, payload);
            words[count++] = incarnation;
        }

        public void free(long address, long version) {
            add(address, version | FREED);
        }

        public long[] words() {
            return words;
        }

        public int count() {
            return count;
        }

        public boolean isEmpty() {
            return words[2] == 0;
        }
    }
}
