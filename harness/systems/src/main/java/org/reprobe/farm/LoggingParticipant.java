package org.reprobe.farm;

import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;

/** A thread's part in others' transactions, and what its log goes to. */
final class LoggingParticipant {
    private final Participant participant;
    private final @Nullable LogDevice device;
    private long countedWords = -1;

    /** @param device null where the log stays in memory */
    LoggingParticipant(Participant participant, @Nullable LogDevice device) {
        this.participant = participant;
        this.device = device;
    }

    Participant participant() {
        return participant;
    }

    /** Whether answers may have to wait. */
    boolean waits() {
        return device != null;
    }

    /**
     * Does what a {@link CommitMessage} says; the answer to it.
     *
     * @throws FabricException when the log is full, in the user's words
     */
    long answer(long[] words, int count) throws FabricException {
        try {
            return participant.answer(words, count);
        } catch (ReplicaLog.FullException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
    }

    /** How long the answer has to wait, until what was logged is safe. */
    long waitNs(long[] words, int count, long nowNs) {
        return device == null || !CommitMessage.isForReplica(CommitMessage.kind(words))
                ? 0
                : device.append((1L + count) * Long.BYTES, nowNs);
    }

    /** Words of the log that were cleaned since this was asked last; 0 the first time, when the sample begins. */
    long newlyCleanedWords() {
        long before = countedWords;
        countedWords = participant.cleanedWords();
        return before < 0 ? 0 : countedWords - before;
    }
}
