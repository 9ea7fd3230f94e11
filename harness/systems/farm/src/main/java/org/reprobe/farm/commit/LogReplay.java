package org.reprobe.farm.commit;

import java.util.HashMap;
import java.util.Map;

/** What a replica's log says, as who takes over a region redoes it: the writes that have committed, in the order in which the log has them. */
final class LogReplay {
    private final ReplicaLog log;

    /** What is done with an object that a committed transaction has written. */
    @FunctionalInterface
    interface Written {
        /**
         * An object.
         *
         * @param version that was replaced
         * @param words of the record, in which the payload begins at {@code at}
         */
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
                    if (writes != null) { // else it was cleaned: later versions stand behind it
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
