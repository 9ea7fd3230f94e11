package org.reprobe.farm.commit;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/** A thread's part in others' transactions, and what its log goes to. */
public final class LoggingParticipant implements AutoCloseable {
    private final Participant participant;
    private final ReplicaLog log;
    private final @Nullable LogDevice device;
    private final @Nullable LogFile file;
    /** By slot: until where the file must be safe before what it has logged is answered. */
    private final long[] safeAt;

    private long countedWords = -1;
    private LogFile.@Nullable Flushes countedFlushes;

    /**
     * One whose log may be in a file, which is closed with it.
     *
     * @param device null for none
     * @param file the log's; null where it stays in memory or goes to a device
     * @param slots of the thread
     */
    public LoggingParticipant(
            Participant participant, ReplicaLog log, @Nullable LogDevice device, @Nullable LogFile file, int slots) {
        this.participant = participant;
        this.log = log;
        this.device = device;
        this.file = file;
        this.safeAt = new long[file == null ? 0 : slots];
    }

    /**
     * Participant whose log is in no file.
     *
     * @param device null where the log stays in memory
     */
    public LoggingParticipant(Participant participant, ReplicaLog log, @Nullable LogDevice device) {
        this(participant, log, device, null, 0);
    }

    Participant participant() {
        return participant;
    }

    /** Whether answers may have to wait. */
    public boolean waits() {
        return device != null || file != null;
    }

    /** Whether they wait for a file. */
    public boolean isInFile() {
        return file != null;
    }

    /**
     * Does what a {@link CommitMessage} says; the answer to it.
     *
     * @throws FabricException when the log is full, in the user's words
     */
    public long answer(long[] words, int count) throws FabricException {
        try {
            return participant.answer(words, count);
        } catch (ReplicaLog.FullException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
    }

    /**
     * How long a slot's answer to what was just logged has to wait until it is looked at again ({@link #stillNs}); 0 where it need not.
     *
     * @throws FabricException when the log can't be written
     */
    public long waitNs(int slot, long[] words, int count, long nowNs) throws FabricException {
        if (!CommitMessage.isForReplica(CommitMessage.kind(words))) {
            return 0;
        }
        if (file != null) {
            safeAt[slot] = file.appended();
            return stillNs(slot);
        }
        return device == null ? 0 : device.append((1L + count) * Long.BYTES, nowNs);
    }

    /** The same of a slot that has waited. */
    public long stillNs(int slot) throws FabricException {
        return file == null || file.isSafe(safeAt[slot]) ? 0 : LogFile.LOOK_NS;
    }

    /** Counts what has become of the log since this was done last; nothing the first time, when the sample begins. */
    public void count(Counts counts) {
        counts.add(Counter.CLEANED_WORDS, newlyCleanedWords());
        if (file == null) {
            return;
        }
        LogFile.Flushes now = file.flushes();
        LogFile.Flushes before = countedFlushes;
        countedFlushes = now;
        if (before != null) {
            LogFile.Flushes since = now.since(before);
            counts.add(Counter.LOG_FLUSHES, since.count());
            counts.add(Counter.LOG_RECORDS_FLUSHED, since.records());
            counts.add(Counter.LOG_FLUSH_NS, since.ns());
        }
    }

    /** Words of the log that were cleaned since this was asked last; 0 the first time, when the sample begins. */
    public long newlyCleanedWords() {
        long before = countedWords;
        countedWords = participant.cleanedWords();
        return before < 0 ? 0 : countedWords - before;
    }

    /** Nobody logs any more: what was answered must be in the file; counts what is not. */
    public void check(Counts counts) throws FabricException {
        Path folder = file == null ? null : file.path();
        if (file == null || folder == null) {
            return;
        }
        file.awaitSafe();
        try {
            counts.add(Counter.LOG_RECORDS_LOST, StoredLog.in(folder).missing(log));
        } catch (IOException e) {
            throw new FabricException("a replica's log can't be read from its file: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
