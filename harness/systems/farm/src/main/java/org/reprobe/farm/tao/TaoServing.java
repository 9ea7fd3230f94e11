package org.reprobe.farm.tao;

import java.util.Arrays;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.farm.commit.LoggingParticipant;
import org.reprobe.farm.memory.BackOff;
import org.reprobe.farm.messages.Questions;

/**
 * What a thread does of what others ask of its machine's part of a graph (FaRM 2014, section 4.4): an {@link EdgeScan}'s questions, those for a free block, and
 * the {@code CommitMessage}s of transactions. A scan that meets who writes the list waits a random time: whom it waits for may have to be answered by this
 * thread.
 */
final class TaoServing {
    private final Client client;
    private final EdgeScan scan;
    private final EdgeAdds.FreeBlocks free;
    private final LoggingParticipant logging;
    private final BackOff backOff;
    /** By slot: the question, if it waits, and the answer. */
    private final long[][] served;
    /** Of the answer; 0 while the question waits. */
    private final int[] words;

    /** @param slots of a thread, its own operations' included */
    TaoServing(
            Client client,
            EdgeScan scan,
            EdgeAdds.FreeBlocks free,
            LoggingParticipant logging,
            BackOff backOff,
            int slots) {
        this.client = client;
        this.scan = scan;
        this.free = free;
        this.logging = logging;
        this.backOff = backOff;
        this.served = new long[slots][];
        this.words = new int[slots];
    }

    /** Begins to answer a question. */
    void serve(int slot, long[] question, int count, Questions.Asking asks) throws FabricException {
        switch ((int) question[0]) {
            case EdgeScan.QUESTION -> scanFor(slot, Arrays.copyOf(question, count), asks);
            case EdgeAdds.QUESTION -> {
                EdgeAdds.FreeBlock block = free.next();
                served[slot] = block == null
                        ? new long[] {EdgeAdds.NO_BLOCK, 0, 0}
                        : new long[] {block.offset(), block.version(), block.incarnation()};
                words[slot] = EdgeAdds.ANSWER_WORDS;
            }
            default -> {
                served[slot] = new long[] {logging.answer(question, count)};
                words[slot] = 1;
                long ns = logging.waitNs(slot, question, count, client.nowNs());
                if (ns > 0) {
                    asks.waitFor(ns);
                }
            }
        }
    }

    private void scanFor(int slot, long[] question, Questions.Asking asks) {
        if (scan.run(question, question.length)) {
            served[slot] = scan.answer();
            words[slot] = scan.words();
        } else {
            served[slot] = question;
            words[slot] = 0;
            asks.waitFor(backOff.nextNs());
        }
    }

    /** It has waited: for who writes a list, or until what it logged was safe. */
    void resume(int slot, Questions.Asking asks) {
        if (words[slot] == 0) {
            scanFor(slot, served[slot], asks);
        }
    }

    /** Takes the answer, before another question is served; its words. */
    int served(int slot, long[] into) {
        System.arraycopy(served[slot], 0, into, 0, words[slot]);
        return words[slot];
    }

    /** Words of the thread's log that were cleaned since this was asked last. */
    long newlyCleanedWords() {
        return logging.newlyCleanedWords();
    }
}
