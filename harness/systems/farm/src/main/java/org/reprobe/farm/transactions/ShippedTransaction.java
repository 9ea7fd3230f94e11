package org.reprobe.farm.transactions;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.reprobe.farm.commit.CommitMessage;

/**
 * The message that ships a transaction to the machine that has all its objects (FaRM 2014, section 3.4, "single machine transactions"), and its answer.
 * A thread there reads, commits and, after an abort, begins anew. The message's words: those of any {@link CommitMessage}, how many of the objects are
 * written, the stamp that the first of these gets (each further one gets the next), and the objects' numbers. The answer's words: how often it read again
 * and aborted, by cause; how long it took, by phase; and the stamps that it has read. What takes the time, and how often, is there to be measured: a
 * program would want the stamps only.
 */
final class ShippedTransaction {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;
    private static final int WRITTEN = CommitMessage.HEADER_WORDS;
    private static final int STAMP = WRITTEN + 1;
    private static final int NUMBERS = STAMP + 1;

    private ShippedTransaction() {}

    /** Words of the message of a transaction that reads so many objects. */
    static int words(int reads) {
        return NUMBERS + reads;
    }

    /** Words of its answer. */
    static int answerWords(int reads) {
        return TransactionSlot.TOLD_WORDS + reads;
    }

    /** Puts the message of a slot's transaction together; its length. */
    static int put(long[] words, TransactionSlot slot, int written) {
        words[0] = CommitMessage.SHIP;
        words[1] = slot.transaction.id();
        words[2] = slot.numbers.length;
        words[WRITTEN] = slot.writes ? written : 0;
        words[STAMP] = slot.firstStamp;
        System.arraycopy(slot.numbers, 0, words, NUMBERS, slot.numbers.length);
        return words(slot.numbers.length);
    }

    /** Makes a message's transaction that of the slot that serves it. */
    static void take(long[] words, TransactionSlot slot) {
        slot.writes = words[WRITTEN] > 0;
        slot.firstStamp = words[STAMP];
        System.arraycopy(words, NUMBERS, slot.numbers, 0, slot.numbers.length);
    }

    /** Answers with what has become of a slot's transaction. */
    static void answer(TransactionSlot slot, long[] into) {
        slot.putTold(into);
        System.arraycopy(slot.stamps, 0, into, TransactionSlot.TOLD_WORDS, slot.stamps.length);
    }

    /** Takes what a slot's transaction is answered by. */
    static void takeAnswer(MemorySegment answer, long at, TransactionSlot slot) {
        slot.takeTold(answer, at);
        long stampsAt = at + (long) TransactionSlot.TOLD_WORDS * Long.BYTES;
        MemorySegment.copy(answer, WORD, stampsAt, slot.stamps, 0, slot.stamps.length);
    }
}
