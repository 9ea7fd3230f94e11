package org.reprobe.farm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What a replica's log says, as who takes over a region redoes it: the writes that have committed, in the order in which the log has them. */
final class LogReplay {
    private final ReplicaLog log;
    private final Extent extent;

    /** How much of it. */
    enum Extent {
        WHOLE,
        /** A fault. */
        WITHOUT_LAST_RECORD
    }

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

    LogReplay(ReplicaLog log, Extent extent) {
        this.log = log;
        this.extent = extent;
    }

    void forEachCommitted(Written written) {
        Map<Long, long[]> prepared = new HashMap<>();
        List<long[]> records = new ArrayList<>();
        log.forEach(records::add);
        if (extent == Extent.WITHOUT_LAST_RECORD && !records.isEmpty()) {
            records.removeLast();
        }
        for (long[] words : records) {
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
        }
    }

    private void forEachObject(long[] words, Written written) {
        int at = CommitMessage.HEADER_WORDS;
        for (int i = 0; i < CommitMessage.objects(words); i++) {
            written.object(words[at], words[at + 1], words, at + CommitMessage.OBJECT_WORDS);
            at += log.objectWords(words[at], words[at + 1]);
        }
    }
}
