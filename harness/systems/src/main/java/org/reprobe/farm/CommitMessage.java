package org.reprobe.farm;

import java.lang.foreign.MemorySegment;

/**
 * The messages by which transactions commit (FaRM 2014, section 3.4), as words: its kind, and in the upper half the number of the
 * {@link Configuration} of who asks, whose transaction it is, and how many objects follow. Of an object there is its address and the version that was read and, where its kind says so, what it gets: its payload,
 * in whole words.
 *
 * <p>The answer to each is one word: {@link #DONE}, or why not.
 */
final class CommitMessage {
    /** To a primary: lock these objects, and keep what they get. */
    static final int PREPARE = 1;
    /** To a replica: log what these objects will get. */
    static final int LOG_PREPARE = 2;
    /** To a primary: have these objects their versions still? */
    static final int VALIDATE = 3;
    /** To a replica: what was prepared is committed. */
    static final int LOG_COMMIT = 4;
    /** To a replica that was not told before: log what these objects have got. */
    static final int LOG_WRITES = 5;
    /** To a primary: write and unlock what was prepared. */
    static final int COMMIT = 6;
    /** To a primary: unlock what was prepared. */
    static final int ABORT = 7;
    /** To a replica: what was prepared is void. */
    static final int LOG_ABORT = 8;

    // Answers.
    static final long DONE = 0;
    /** Somebody has locked an object. */
    static final long LOCKED = 1;
    /** An object has another version. */
    static final long CHANGED = 2;
    /** It was asked in another configuration. */
    static final long REFUSED = 3;

    static final int HEADER_WORDS = 3;
    /** Address and version. */
    static final int OBJECT_WORDS = 2;

    private CommitMessage() {}

    static int kind(long[] words) {
        return (int) words[0];
    }

    static long configuration(long[] words) {
        return words[0] >>> Integer.SIZE;
    }

    static long transaction(long[] words) {
        return words[1];
    }

    static int objects(long[] words) {
        return (int) words[2];
    }

    /** Whether objects have their payload in it. */
    static boolean hasPayload(int kind) {
        return kind == PREPARE || kind == LOG_PREPARE || kind == LOG_WRITES;
    }

    /** Whether it says which objects it is about: others are about those that were prepared. */
    static boolean namesObjects(int kind) {
        return hasPayload(kind) || kind == VALIDATE;
    }

    /** Whether a replica is told it; others are told primaries. */
    static boolean isForReplica(int kind) {
        return kind == LOG_PREPARE || kind == LOG_COMMIT || kind == LOG_WRITES || kind == LOG_ABORT;
    }

    static int payloadWords(ObjectLayout object) {
        return (object.payloadBytes() + Long.BYTES - 1) / Long.BYTES;
    }

    /** Words of an object in a message of a kind. */
    static int objectWords(int kind, ObjectLayout object) {
        return OBJECT_WORDS + (hasPayload(kind) ? payloadWords(object) : 0);
    }

    /** A message that is put together; for one thread. */
    static final class Builder {
        private final long[] words;
        private final MemorySegment bytes;
        private int count;

        Builder(int maxWords) {
            words = new long[maxWords];
            bytes = MemorySegment.ofArray(words);
        }

        /** Where there are no configurations. */
        void begin(int kind, long transaction) {
            begin(kind, 0, transaction);
        }

        void begin(int kind, long configuration, long transaction) {
            words[0] = configuration << Integer.SIZE | kind;
            words[1] = transaction;
            words[2] = 0;
            count = HEADER_WORDS;
        }

        void add(long address, long version) {
            words[2]++;
            words[count++] = address;
            words[count++] = version;
        }

        void add(long address, long version, ObjectLayout object, MemorySegment payload) {
            add(address, version);
            int of = payloadWords(object);
            words[count + of - 1] = 0;
            MemorySegment.copy(payload, 0, bytes, (long) count * Long.BYTES, object.payloadBytes());
            count += of;
        }

        long[] words() {
            return words;
        }

        int count() {
            return count;
        }

        boolean isEmpty() {
            return words[2] == 0;
        }
    }
}
