package org.reprobe.farm.commit;

import java.util.HashMap;
import java.util.Map;

/** Replay of a replica's log for the takeover of a region: the committed writes in log order. */
final class LogReplay {
    private final ReplicaLog log;

    @FunctionalInterface
    interface Written {
        /** Handles a write that replaced {@code version}; the payload begins at word {@code at} of the record. */
        void object(long address, long version, long[] words, int at);
    }

    LogReplay(ReplicaLog log) {
        this.log = log;
    }

    void forEachCommitted(Written written) {
        Map<Long, long[]> prepared = new HashMap<>();
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
    }

    private void forEachObject(long[] words, Written written) {
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            written.object(words[at], words[at + 1], words, at + CommitMessage.OBJECT_WORDS);
            at += log.objectWords(words[at], words[at + 1]);
        }
    }
}
