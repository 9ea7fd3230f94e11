package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.commit.CommitMessage;

/**
 * Message that ships a transaction to the machine that has all its objects (FaRM 2014, section 3.4, "single machine
 * transactions"), and its reply. A thread there reads, commits and, after an abort, retries. Words of the message: the
 * header of a {@link CommitMessage}, the number of objects written, the stamp of the first of these, and the objects'
 * numbers. Further objects get consecutive stamps. Words of the reply: retries and aborts by cause, time by phase, and
 * the stamps read. Retries, aborts and times serve measurements only.
 */
final class ShippedTransaction {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int WRITTEN = CommitMessage.HEADER_WORDS;
    private static final int STAMP = WRITTEN + 1;
    private static final int NUMBERS = STAMP + 1;

    private ShippedTransaction() {}

    /** Returns the words of the message of a transaction that reads {@code reads} objects. */
    static int words(int reads) {
        return NUMBERS + reads;
    }

    static int replyWords(int reads) {
        return TransactionSlot.STATISTICS_WORDS + reads;
    }

    /** Encodes the message of a slot's transaction; returns its length in words. */
    static int put(long[] words, TransactionSlot slot, int written) {
        words[0] = CommitMessage.SHIP;
        words[1] = slot.transaction.id();
        words[2] = slot.numbers.length;
        words[WRITTEN] = slot.writes ? written : 0;
        words[STAMP] = slot.firstStamp;
        System.arraycopy(slot.numbers, 0, words, NUMBERS, slot.numbers.length);
        return words(slot.numbers.length);
    }

    static void take(long[] words, TransactionSlot slot) {
        slot.writes = words[WRITTEN] > 0;
        slot.firstStamp = words[STAMP];
        System.arraycopy(words, NUMBERS, slot.numbers, 0, slot.numbers.length);
    }

    static void encodeReply(TransactionSlot slot, long[] into) {
        slot.putStatistics(into);
        System.arraycopy(slot.stamps, 0, into, TransactionSlot.STATISTICS_WORDS, slot.stamps.length);
    }

    static void decodeReply(MemorySegment reply, long at, TransactionSlot slot) {
        slot.takeStatistics(reply, at);
        long stampsAt = at + (long) TransactionSlot.STATISTICS_WORDS * Long.BYTES;
        MemorySegment.copy(reply, WORD, stampsAt, slot.stamps, 0, slot.stamps.length);
    }
}
