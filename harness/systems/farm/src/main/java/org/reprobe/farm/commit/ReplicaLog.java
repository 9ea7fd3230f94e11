package org.reprobe.farm.commit;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.WordMap;

/**
 * Log of a thread for its machine's replicas (FaRM 2014, section 3.4): {@link CommitMessage}s in a ring of words in the
 * machine's memory. Two words before the ring hold the positions of the first and the end of the last record, counted
 * from the start. They are written last, so a record is either complete or absent.
 *
 * <p>"Log cleaning is invoked when the log is half full"; the paper does not print how. Here, the oldest records are
 * removed. An object's last committed version in this log and undecided PREPAREs are appended again. A free is such a
 * version, too, until the place is reused. The incarnation of an object that is written after its allocation, as Tao's
 * blocks are, may be cleaned; such logs do not serve takeovers.
 */
public final class ReplicaLog {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int TAIL_WORD = 1;
    private static final int FIRST_WORD = 2;

    private final Requester cpu;
    private final MemorySegment memory;
    private final long at;
    private final long capacity;
    private final ObjectsByAddress objects;
    private final @Nullable LogFile file;
    /** Position of the last committed version, by address. */
    private final WordMap last = new WordMap();
    /** Position of the undecided PREPARE, by transaction. */
    private final WordMap undecided = new WordMap();

    private long[] record = {};
    private long[] kept = {};
    private long head;
    private long tail;
    private long cleanedWords;
    private long freedWords;

    /** Creates an empty log in memory only, at a zeroed offset {@code at} that is a multiple of 8. */
    public ReplicaLog(Requester cpu, MemorySegment memory, long at, long bytes, ObjectsByAddress objects) {
        this(cpu, memory, at, bytes, objects, null);
    }

    /** Creates an empty log; {@code file} receives all records, too. */
    public ReplicaLog(
            Requester cpu,
            MemorySegment memory,
            long at,
            long bytes,
            ObjectsByAddress objects,
            @Nullable LogFile file) {
        this.file = file;
        this.cpu = cpu;
        this.memory = memory;
        this.at = at;
        this.capacity = bytes / Long.BYTES - FIRST_WORD;
        this.objects = objects;
    }

    private static long wordAt(long at, long capacity, long position) {
        return at + (FIRST_WORD + position % capacity) * Long.BYTES;
    }

    private long word(long position) {
        return memory.get(WORD, wordAt(at, capacity, position));
    }

    long usedWords() {
        return tail - head;
    }

    /** Returns the number of words that cleaning has appended again. */
    long cleanedWords() {
        return cleanedWords;
    }

    /** Returns the number of words that cleaning has removed, including those appended again. */
    long freedWords() {
        return freedWords;
    }

    /** Appends a message; throws {@link FullException} if the log is full even after cleaning. */
    void append(long[] words, int count) {
        if (usedWords() + 1 + count > capacity / 2) {
            clean();
        }
        put(words, count);
        cpu.accesses(Math.min((1L + count) * Long.BYTES, ObjectLayout.LINE_BYTES));
        memory.set(WORD, at + TAIL_WORD * Long.BYTES, tail);
    }

    private void put(long[] words, int count) {
        if (usedWords() + 1 + count > capacity) {
            throw new FullException("a replica's log (farm.log-bytes) is full: it holds the last versions of "
                    + last.size() + " objects and needs space for twice as many");
        }
        long position = tail;
        memory.set(WORD, wordAt(at, capacity, position), count);
        for (int i = 0; i < count; i++) {
            memory.set(WORD, wordAt(at, capacity, position + 1 + i), words[i]);
        }
        tail += 1 + count;
        if (file != null) {
            file.append(words, count, position, head);
        }
        long transaction = CommitMessage.transaction(words);
        switch (CommitMessage.kind(words)) {
            case CommitMessage.LOG_PREPARE -> undecided.put(transaction, position);
            case CommitMessage.LOG_ABORT -> undecided.remove(transaction);
            case CommitMessage.LOG_COMMIT -> {
                long prepared = undecided.remove(transaction);
                if (prepared != WordMap.NONE) {
                    commit(prepared);
                }
            }
            default -> commit(position);
        }
    }

    /** Marks the objects of a record as the last committed versions. */
    private void commit(long position) {
        long from = position + 1 + CommitMessage.HEADER_WORDS;
        for (long i = word(position + CommitMessage.HEADER_WORDS); i > 0; i--) {
            long known = last.get(word(from));
            if (known == WordMap.NONE || word(known + 1) <= word(from + 1)) {
                last.put(word(from), from);
            }
            from += objectWords(word(from), word(from + 1));
        }
    }

    private int objectWords(long address, long version) {
        return CommitMessage.writtenWords(version, objects.at(address));
    }

    void awaitSafe() throws FabricException {
        if (file != null) {
            file.awaitSafe();
        }
    }

    private void clean() {
        long until = tail;
        while (head < until && usedWords() > capacity / 4) {
            long position = head;
            int count = (int) word(position);
            record = room(record, count);
            for (int i = 0; i < count; i++) {
                record[i] = word(position + 1 + i);
            }
            freedWords += 1 + count;
            head += 1 + count; // makes space for the kept part
            keep(position, count);
        }
        memory.set(WORD, at + TAIL_WORD * Long.BYTES, tail); // the kept parts, before the removed records are skipped
        memory.set(WORD, at, head);
    }

    @FunctionalInterface
    interface Numbers {
        void is(long transaction);
    }

    /** Visits transactions of unknown outcome. */
    void forEachUndecided(Numbers numbers) {
        undecided.forEach((transaction, _) -> numbers.is(transaction));
    }

    public void forEach(Reader reader) {
        forEach(memory, at, (capacity + FIRST_WORD) * Long.BYTES, reader);
    }

    private static long[] room(long[] words, int count) {
        return words.length < count ? new long[count] : words;
    }

    private void keep(long position, int count) {
        int kind = CommitMessage.kind(record);
        if (!CommitMessage.hasPayload(kind)) {
            return;
        }
        long transaction = CommitMessage.transaction(record);
        if (kind == CommitMessage.LOG_PREPARE && undecided.get(transaction) == position) {
            put(record, count);
            cleanedWords += count;
            return;
        }
        int from = CommitMessage.HEADER_WORDS;
        int end = CommitMessage.HEADER_WORDS;
        kept = room(kept, count);
        kept[0] = CommitMessage.LOG_WRITES;
        kept[1] = transaction;
        kept[2] = 0;
        for (int i = 0; i < CommitMessage.objects(record); i++) {
            int words = objectWords(record[from], record[from + 1]);
            if (last.get(record[from]) == position + 1 + from) {
                System.arraycopy(record, from, kept, end, words);
                end += words;
                kept[2]++;
            }
            from += words;
        }
        if (kept[2] > 0) {
            put(kept, end);
            cleanedWords += end;
        }
    }

    /** Overflow: the records that must be kept exceed the log. */
    static final class FullException extends RuntimeException {
        FullException(String message) {
            super(message);
        }
    }

    @FunctionalInterface
    public interface Reader {
        void record(long[] words);
    }

    /** Visits the records of a log in memory, oldest first. */
    public static void forEach(MemorySegment memory, long at, long bytes, Reader reader) {
        long capacity = bytes / Long.BYTES - FIRST_WORD;
        long position = memory.get(WORD, at);
        while (position < memory.get(WORD, at + TAIL_WORD * Long.BYTES)) {
            long[] words = new long[(int) memory.get(WORD, wordAt(at, capacity, position))];
            for (int i = 0; i < words.length; i++) {
                words[i] = memory.get(WORD, wordAt(at, capacity, position + 1 + i));
            }
            reader.record(words);
            position += 1 + words.length;
        }
    }
}
