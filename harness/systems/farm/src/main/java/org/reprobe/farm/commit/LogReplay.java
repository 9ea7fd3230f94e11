package org.reprobe.farm.commit;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongPredicate;
import org.reprobe.farm.memory.ObjectsByAddress;

/** Replay of a replica's log, in memory or from its file: the committed writes in log order. */
final class LogReplay {
    private final Log log;
    private final ObjectsByAddress objects;
    private final LongPredicate committed;

    @FunctionalInterface
    interface Log {
        void forEach(ReplicaLog.Reader reader);
    }

    @FunctionalInterface
    interface Written {
        /** Handles a write that replaced {@code version}; the payload begins at word {@code at} of the record. */
        void object(long address, long version, long[] words, int at);
    }

    /** Creates a replay; {@code committed} decides transactions whose end is not in the log. */
    LogReplay(Log log, ObjectsByAddress objects, LongPredicate committed) {
        this.log = log;
        this.objects = objects;
        this.committed = committed;
    }

    void forEachCommitted(Written written) {
        Map<Long, long[]> prepared = new LinkedHashMap<>();
        log.forEach(words -> {
            long transaction = CommitMessage.transaction(words);
            switch (CommitMessage.kind(words)) {
                case CommitMessage.LOG_PREPARE -> prepared.put(transaction, words);
                case CommitMessage.LOG_WRITES -> forEachObject(words, written);
                case CommitMessage.LOG_COMMIT -> {
                    long[] writes = prepared.remove(transaction);
                    if (writes != null) { // otherwise it was cleaned: later versions follow
                        forEachObject(writes, written);
                    }
                }
                default -> prepared.remove(transaction);
            }
        });
        prepared.forEach((transaction, words) -> {
            if (committed.test(transaction)) {
                forEachObject(words, written);
            }
        });
    }

    private void forEachObject(long[] words, Written written) {
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            written.object(words[at], words[at + 1], words, at + CommitMessage.OBJECT_WORDS);
            at += CommitMessage.writtenWords(words[at + 1], objects.at(words[at]));
        }
    }
}
