package org.reprobe.farm.commit;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;

/** Participant with its log and the medium of the log, which may delay replies. Confined to one thread. */
public final class LoggingParticipant implements AutoCloseable {
    private final Participant participant;
    private final ReplicaLog log;
    private final @Nullable LogDevice device;
    private final @Nullable LogFile file;
    /** File position that must be flushed before the reply, by slot. */
    private final long[] safeAt;

    private long countedWords = -1;
    private LogFile.@Nullable Flushes countedFlushes;

    /** Creates a thread's participant, which owns the log's file; the file is null without a disk log. */
    public LoggingParticipant(
            Participant participant, ReplicaLog log, @Nullable LogDevice device, @Nullable LogFile file, int slots) {
        this.participant = participant;
        this.log = log;
        this.device = device;
        this.file = file;
        this.safeAt = new long[file == null ? 0 : slots];
    }

    /** Creates a participant without a log file; without a device, the log is in memory only. */
    public LoggingParticipant(Participant participant, ReplicaLog log, @Nullable LogDevice device) {
        this(participant, log, device, null, 0);
    }

    Participant participant() {
        return participant;
    }

    /** Returns true if replies may be delayed. */
    public boolean waits() {
        return device != null || file != null;
    }

    public boolean isInFile() {
        return file != null;
    }

    /** Executes a {@link CommitMessage} and returns the reply; fails if the log is full. */
    public long execute(long[] words, int count) throws FabricException {
        try {
            return participant.execute(words, count);
        } catch (ReplicaLog.FullException e) {
            throw new FabricException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Returns the delay in ns of a slot's reply, or of its next check ({@link #stillNs}); 0 without a delay. */
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

    /** Returns the remaining delay of a slot, as {@link #waitNs} does. */
    public long stillNs(int slot) throws FabricException {
        return file == null || file.isSafe(safeAt[slot]) ? 0 : LogFile.LOOK_NS;
    }

    /** Adds the log's statistics since the previous call; the first call, at the start of the sample, adds nothing. */
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

    /** Returns the log words cleaned since the previous call; 0 at the first one, at the start of the sample. */
    public long newlyCleanedWords() {
        long before = countedWords;
        countedWords = participant.cleanedWords();
        return before < 0 ? 0 : countedWords - before;
    }

    /** Compares the file with the log after the last message and counts missing records. */
    public void check(Counts counts) throws FabricException {
        Path folder = file == null ? null : file.path();
        if (file == null || folder == null) {
            return;
        }
        file.awaitSafe();
        try {
            counts.add(Counter.LOG_RECORDS_LOST, StoredLog.in(folder).missing(log));
        } catch (IOException e) {
            throw new FabricException("cannot read a replica's log from its file: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        if (file != null) {
            file.close();
        }
    }
}
