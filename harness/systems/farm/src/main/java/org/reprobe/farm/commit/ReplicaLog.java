package org.reprobe.farm.commit;

import java.io.Serial;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectsByAddress;
import org.reprobe.farm.memory.WordMap;

/**
 * What a thread of a machine keeps of what its replicas are told (FaRM 2014, section 3.4): {@link CommitMessage}s, one behind the other in a ring of
 * words in the machine's memory. Two words before it say from where to where there are records, counted on from the start: they are written last, so
 * that a record is there whole or not at all.
 *
 * <p>"Log cleaning is invoked when the log is half full". How is not printed: here, the oldest records go. Of them, what is the last version of an
 * object in this log that was committed is appended anew, as is what was prepared and neither committed nor aborted. That an object was freed is
 * such a version, too: it stays until its place is another's. Of an object that is written after it was allocated, as Tao's blocks are, the incarnation
 * goes with the record that says so: nobody takes over from such a log.
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
    /** By address: where the last committed version of an object stands. */
    private final WordMap last = new WordMap();
    /** By transaction: where what it has prepared stands. */
    private final WordMap undecided = new WordMap();

    private long[] record = {};
    private long[] kept = {};
    private long head;
    private long tail;
    private long cleanedWords;
    private long freedWords;

    /**
     * A log that is empty.
     *
     * @param at where it is in memory, which is zero there: a multiple of 8
     */
    public ReplicaLog(Requester cpu, MemorySegment memory, long at, long bytes, ObjectsByAddress objects) {
        this(cpu, memory, at, bytes, objects, null);
    }

    /**
     * Log that may be in a file as well.
     *
     * @param file that gets all records, too; null for none
     */
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

    /** Words of records that it holds. */
    long usedWords() {
        return tail - head;
    }

    /** Words that were appended anew, since what was around them was cleaned. */
    long cleanedWords() {
        return cleanedWords;
    }

    /** Words that were cleaned, those that were appended anew among them. */
    long freedWords() {
        return freedWords;
    }

    /**
     * Appends a message.
     *
     * @throws FullException when it has no room even after cleaning
     */
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
            throw new FullException("a replica's log (farm.log-bytes) is full: it has the last versions of "
                    + last.size() + " objects, for which it must have room twice");
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

    /** The objects of the record at a position have their last versions there, unless they have later ones. */
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

    /** Words of an object in a record that has what it gets, by the version that stands there. */
    int objectWords(long address, long version) {
        ObjectLayout object = objects.at(Address.regionOf(address), Address.offsetOf(address));
        return CommitMessage.writtenWords(version, object);
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
            head += 1 + count; // there is room for what is kept of it
            keep(position, count);
        }
        memory.set(WORD, at, head);
    }

    /** What is done with a transaction's number. */
    @FunctionalInterface
    interface Numbers {
        void is(long transaction);
    }

    /** Goes through transactions of which it does not know whether they have committed. */
    void forEachUndecided(Numbers numbers) {
        undecided.forEach((transaction, _) -> numbers.is(transaction));
    }

    /** Goes through its records, the oldest first. */
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

    /** What a log must keep is more than it has room for. */
    static final class FullException extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1;

        FullException(String message) {
            super(message);
        }
    }

    /** What is done with a record. */
    @FunctionalInterface
    public interface Reader {
        void record(long[] words);
    }

    /** Goes through the records of a log in memory, the oldest first. */
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
