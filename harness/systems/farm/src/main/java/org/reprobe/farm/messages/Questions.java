package org.reprobe.farm.messages;

import java.lang.foreign.MemorySegment;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.remote.OperationCounts;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/**
 * What the operations of a thread are that asks others by messages and answers theirs. A question is some words, each of which stands for
 * one thing that is asked for; how it and its answer look in a message is said here too. For one thread.
 */
public interface Questions extends AutoCloseable {

    /** The most words of a question. */
    int maxWords();

    /** READs that an operation has under way at once at most. */
    default int readsAtOnce() {
        return 0;
    }

    /** Questions that an operation asks one machine at once at most. */
    default int questionsAtOnce() {
        return 1;
    }

    /** Bytes of a question of so many words. */
    int questionBytes(int words);

    /** Bytes of the answer to it. */
    int answerBytes(int words);

    /** Things that an operation asks for: it counts as so many operations. */
    int things();

    /** Payload of an operation, in bytes. */
    int payloadBytes();

    /**
     * Draws the operation that a slot has from now on, does of it what needs nobody else, and asks for the rest.
     *
     * @return whether what it found so far is right
     */
    boolean begin(int slot, Asking asking) throws FabricException;

    /** How an operation asks another machine, of those that it still needs. */
    interface Asking {
        /** By a message. */
        void ask(int machine, long[] words, int count) throws FabricException;

        /**
         * By a READ of a region of its: {@link #takeRead} is told when it has completed.
         *
         * @param part which of the operation's READs it is, of those that it has under way: below {@link #readsAtOnce}
         * @param to where in the own machine's memory
         */
        void read(int part, int machine, RemoteRegion region, long offset, long to, int bytes) throws FabricException;

        /** Tells another machine's thread something that is no question: its {@link Questions#told}. */
        default void tell(int machine, long[] words, int count) throws FabricException {
            throw new IllegalStateException("nothing is told but questions and answers");
        }

        /** Whether nothing is under way for the operation but the wait that has ended. */
        default boolean isAlone() {
            return true;
        }

        /** Not before {@code ns} from now: {@link #resume} is told then. One wait at a time. */
        void waitFor(long ns);
    }

    /** A slot's READ has completed: takes what it has brought, and asks further; whether that is right. */
    default boolean takeRead(int slot, int part, Asking asking) throws FabricException {
        throw new IllegalStateException("nobody READs");
    }

    /** A slot has waited as long as it wanted to; whether what it found is right. */
    default boolean resume(int slot, Asking asking) throws FabricException {
        throw new IllegalStateException("nobody waits");
    }

    void putQuestion(long[] words, int count, MemorySegment to, long at);

    /** Takes a question of {@code bytes} bytes apart; how many words it has. */
    int takeQuestion(MemorySegment from, long at, int bytes, long[] into);

    /** Answers another's question, of its words or of those that say what was done ({@link #served}). */
    void putAnswer(long[] words, int count, MemorySegment to, long at) throws FabricException;

    /** Takes a machine's answer to a slot's operation, and asks further; whether it is right. */
    boolean takeAnswer(int slot, int machine, MemorySegment from, long at, int bytes, Asking asking)
            throws FabricException;

    /** Questions of others that are under way at most, whose answers need others or time ({@link #serve}). */
    default int maxServed() {
        return 0;
    }

    /** Whether the answer to a question of these words needs others or time. */
    default boolean serves(long[] words, int count) {
        return false;
    }

    /** Begins to do what another's question asks for, as what a slot has under way: slots for that follow those of operations. */
    default void serve(int slot, long[] words, int count, Asking asking) throws FabricException {
        throw new IllegalStateException("all questions are answered at once");
    }

    /** What a slot has done of another's question is over: the words by which {@link #putAnswer} answers it; their number. */
    default int served(int slot, long[] into) {
        throw new IllegalStateException("all questions are answered at once");
    }

    /** Whether machines may be lost while it runs. */
    default boolean survives() {
        return false;
    }

    /**
     * A turn of the thread's loop begins, where machines may be lost.
     *
     * @return when the next one must
     */
    default long turn(Turn turn) throws FabricException {
        return Long.MAX_VALUE;
    }

    /** What can be done at a turn of the loop. */
    interface Turn extends Asking {
        /** Has a slot {@link #resume} soon, unless it waits for something that will do so. */
        void wake(int slot);

        /** Slots that have an operation. */
        boolean isBusy(int slot);

        /** A machine is lost: nothing that it was asked comes back any more. */
        void lose(int machine);
    }

    /** Another machine's thread has told something that is no question. */
    default void told(int from, long[] words, int count) throws FabricException {
        throw new IllegalStateException("nothing is told but questions and answers");
    }

    /** A slot's operation has ended. */
    default void ended(int slot) {}

    /** Whether no other thread of its machine needs it any more; asked when all its operations have ended. */
    default boolean mayLeave() {
        return true;
    }

    /** All operations have ended: counts what is counted of those outside of the sample as well. */
    default void over(Counts counts) {}

    /** Nobody asks anything any more: counts what must be looked at then. */
    default void done(Counts counts) throws FabricException {}

    /** Its thread has ended, in whatever way. */
    @Override
    default void close() {}

    /** Counts a slot's operation, which has ended and belongs to the sample. */
    default void count(Counts counts, int slot, long latencyNs) {
        OperationCounts.reads(counts, things(), latencyNs, 1);
        counts.add(Counter.PAYLOAD_BYTES, payloadBytes());
    }
}
