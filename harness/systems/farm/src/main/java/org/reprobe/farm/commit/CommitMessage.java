package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import org.reprobe.farm.memory.ObjectLayout;

/**
 * The messages by which transactions commit (FaRM 2014, section 3.4), as words: its kind, and in the upper half the number of the
 * {@code Configuration} of who asks, whose transaction it is, and how many objects follow. Of an object there is its address and the version that
 * was read and, where its kind says so, what it gets: its payload, in whole words. Such a version's two low bits, which are the lock mode elsewhere, say
 * what becomes of the object. Of one that is allocated its incarnation follows, and one that is freed gets nothing.
 *
 * <p>The answer to each is one word: {@link #DONE}, or why not. That to {@link #ALLOCATE} is where there is room ({@link ObjectAllocations}), that to
 * {@link #SHIP} what was read.
 */
public final class CommitMessage {
    /** To a primary: lock these objects, and keep what they get. */
    public static final int PREPARE = 1;
    /** To a replica: log what these objects will get. */
    public static final int LOG_PREPARE = 2;
    /** To a primary: have these objects their versions still? */
    public static final int VALIDATE = 3;
    /** To a replica: what was prepared is committed. */
    public static final int LOG_COMMIT = 4;
    /** To a replica that was not told before: log what these objects have got. */
    public static final int LOG_WRITES = 5;
    /** To a primary: write and unlock what was prepared. */
    public static final int COMMIT = 6;
    /** To a primary: unlock what was prepared. */
    public static final int ABORT = 7;
    /** To a replica: what was prepared is void. */
    public static final int LOG_ABORT = 8;
    /** To a primary: find room for an object near the one whose address follows (section 3.3). */
    public static final int ALLOCATE = 9;
    /** To the machine that has all objects of a transaction: run it ({@code ShippedTransaction}). */
    public static final int SHIP = 10;

    // Answers.
    public static final long DONE = 0;
    /** Somebody has locked an object. */
    public static final long LOCKED = 1;
    /** An object has another version. */
    static final long CHANGED = 2;
    /** It was asked in another configuration. */
    public static final long REFUSED = 3;

    public static final int HEADER_WORDS = 3;
    /** Address, and version with what becomes of the object. */
    public static final int OBJECT_WORDS = 2;

    /** Of {@link #ALLOCATE}: no other message is as long. */
    public static final int ALLOCATE_WORDS = HEADER_WORDS + 1;

    // What becomes of an object.
    public static final long UPDATED = 0;
    public static final long ALLOCATED = 1;
    public static final long FREED = 2;
    /** As {@link #UPDATED}, and its incarnation is the next one: whoever has a pointer to it finds that out. */
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

    /** Whether objects have their payload in it. */
    public static boolean hasPayload(int kind) {
        return kind == PREPARE || kind == LOG_PREPARE || kind == LOG_WRITES;
    }

    /** Whether it says which objects it is about: others are about those that were prepared. */
    public static boolean namesObjects(int kind) {
        return hasPayload(kind) || kind == VALIDATE;
    }

    /** Whether a replica is told it; others are told primaries. */
    public static boolean isForReplica(int kind) {
        return kind == LOG_PREPARE || kind == LOG_COMMIT || kind == LOG_WRITES || kind == LOG_ABORT;
    }

    public static int payloadWords(ObjectLayout object) {
        return (object.payloadBytes() + Long.BYTES - 1) / Long.BYTES;
    }

    /** Words of an object in a message of a kind. */
    public static int objectWords(int kind, ObjectLayout object) {
        return OBJECT_WORDS + (hasPayload(kind) ? payloadWords(object) : 0);
    }

    /** Words of a whole message about objects of one layout, of which none is allocated or freed. */
    public static int words(long[] message, ObjectLayout object) {
        return HEADER_WORDS + objects(message) * objectWords(kind(message), object);
    }

    /** What becomes of an object that is written. */
    public static long becomes(long version) {
        return version & ObjectLayout.LOCK_MODE;
    }

    /** The version itself. */
    public static long version(long version) {
        return version & ~ObjectLayout.LOCK_MODE;
    }

    /** Words of an object that is written, by its version as a message has it. */
    public static int writtenWords(long version, ObjectLayout object) {
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
    public static int allocate(long[] words, long transaction, long near) {
        words[0] = ALLOCATE;
        words[1] = transaction;
        words[2] = 0;
        words[HEADER_WORDS] = near;
        return ALLOCATE_WORDS;
    }

    /** Near which object room is asked for. */
    public static long near(long[] words) {
        return words[HEADER_WORDS];
    }

    /** A message that is put together; for one thread. */
    public static final class Builder {
        private final long[] words;
        private final MemorySegment bytes;
        private int count;

        public Builder(int maxWords) {
            words = new long[maxWords];
            bytes = MemorySegment.ofArray(words);
        }

        /** Where there are no configurations. */
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

        /** One that is allocated. */
        public void allocate(long address, long version, ObjectLayout object, MemorySegment payload, long incarnation) {
            add(address, version | ALLOCATED, object, payload);
            words[count++] = incarnation;
        }

        /** One that is freed. */
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
