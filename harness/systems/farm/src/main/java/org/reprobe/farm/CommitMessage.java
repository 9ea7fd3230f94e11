package org.reprobe.farm;

import java.lang.foreign.MemorySegment;

/**
 * The messages by which transactions commit (FaRM 2014, section 3.4), as words: its kind, and in the upper half the number of the
 * {@link Configuration} of who asks, whose transaction it is, and how many objects follow. Of an object there is its address and the version that
 * was read and, where its kind says so, what it gets: its payload, in whole words. Such a version's two low bits, which are the lock mode elsewhere, say
 * what becomes of the object. Of one that is allocated its incarnation follows, and one that is freed gets nothing.
 *
 * <p>The answer to each is one word: {@link #DONE}, or why not. That to {@link #ALLOCATE} is where there is room ({@link ObjectAllocations}), that to
 * {@link #SHIP} what was read.
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
    /** To a primary: find room for an object near the one whose address follows (section 3.3). */
    static final int ALLOCATE = 9;
    /** To the machine that has all objects of a transaction: run it ({@link ShippedTransaction}). */
    static final int SHIP = 10;

    // Answers.
    static final long DONE = 0;
    /** Somebody has locked an object. */
    static final long LOCKED = 1;
    /** An object has another version. */
    static final long CHANGED = 2;
    /** It was asked in another configuration. */
    static final long REFUSED = 3;

    static final int HEADER_WORDS = 3;
    /** Address, and version with what becomes of the object. */
    static final int OBJECT_WORDS = 2;

    /** Of {@link #ALLOCATE}: no other message is as long. */
    static final int ALLOCATE_WORDS = HEADER_WORDS + 1;

    // What becomes of an object.
    static final long UPDATED = 0;
    static final long ALLOCATED = 1;
    static final long FREED = 2;
    /** As {@link #UPDATED}, and its incarnation is the next one: whoever has a pointer to it finds that out. */
    static final long RENEWED = 3;

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

    /** Words of a whole message about objects of one layout, of which none is allocated or freed. */
    static int words(long[] message, ObjectLayout object) {
        return HEADER_WORDS + objects(message) * objectWords(kind(message), object);
    }

    /** What becomes of an object that is written. */
    static long becomes(long version) {
        return version & ObjectLayout.LOCK_MODE;
    }

    /** The version itself. */
    static long version(long version) {
        return version & ~ObjectLayout.LOCK_MODE;
    }

    /** Words of an object that is written, by its version as a message has it. */
    static int writtenWords(long version, ObjectLayout object) {
        if (becomes(version) == FREED) {
            return OBJECT_WORDS;
        }
        return OBJECT_WORDS + payloadWords(object) + (becomes(version) == ALLOCATED ? 1 : 0);
    }

    /** The incarnation of an object that is allocated, which stands at {@code at} of a message. */
    static long incarnation(long[] words, int at, ObjectLayout object) {
        return words[at + OBJECT_WORDS + payloadWords(object)];
    }

    /** Puts the message together that asks for room near an object; its length. */
    static int allocate(long[] words, long transaction, long near) {
        words[0] = ALLOCATE;
        words[1] = transaction;
        words[2] = 0;
        words[HEADER_WORDS] = near;
        return ALLOCATE_WORDS;
    }

    /** Near which object room is asked for. */
    static long near(long[] words) {
        return words[HEADER_WORDS];
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

        /** One that is allocated. */
        void allocate(long address, long version, ObjectLayout object, MemorySegment payload, long incarnation) {
            add(address, version | ALLOCATED, object, payload);
            words[count++] = incarnation;
        }

        /** One that is freed. */
        void free(long address, long version) {
            add(address, version | FREED);
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
