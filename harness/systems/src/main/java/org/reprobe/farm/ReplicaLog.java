package org.reprobe.farm;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.fabric.Requester;

/**
 * What replicas keep of transactions (FaRM 2014, section 3.4): {@link CommitMessage}s, one behind the other in a machine's memory. The first word
 * says how many words of records there are; it is written last, so that a record is there whole or not at all.
 */
final class ReplicaLog {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final Requester cpu;
    private final MemorySegment memory;
    private final long at;
    private final long bytes;

    /**
     * A log.
     *
     * @param at where it is in memory: a multiple of 8
     */
    ReplicaLog(Requester cpu, MemorySegment memory, long at, long bytes) {
        this.cpu = cpu;
        this.memory = memory;
        this.at = at;
        this.bytes = bytes;
    }

    /** Appends a message. */
    void append(long[] words, int count) {
        long used = memory.get(WORD, at);
        long record = at + (1 + used) * Long.BYTES;
        if (record + (1L + count) * Long.BYTES > at + bytes) {
            throw new IllegalStateException("the log is full");
        }
        cpu.accesses(Math.min((1L + count) * Long.BYTES, ObjectLayout.LINE_BYTES));
        memory.set(WORD, record, count);
        MemorySegment.copy(words, 0, memory, WORD, record + Long.BYTES, count);
        memory.set(WORD, at, used + 1 + count);
    }

    /** What is done with a record. */
    @FunctionalInterface
    interface Reader {
        void record(long[] words);
    }

    /** Goes through the records of a log, the oldest first. */
    static void forEach(MemorySegment memory, long at, Reader reader) {
        long used = memory.get(WORD, at);
        long done = 0;
        while (done < used) {
            long record = at + (1 + done) * Long.BYTES;
            long[] words = new long[(int) memory.get(WORD, record)];
            MemorySegment.copy(memory, WORD, record + Long.BYTES, words, 0, words.length);
            reader.record(words);
            done += 1 + words.length;
        }
    }
}
