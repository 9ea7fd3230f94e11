package org.reprobe.farm.commit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.memory.OwnMemory;
import org.reprobe.farm.memory.WordMap;
import org.reprobe.testing.Seeds;

class ReplicaLogTest {
    private static final ObjectLayout OBJECT = ObjectLayout.inLines(3 * Long.BYTES, false);
    private static final int WORDS =
            CommitMessage.HEADER_WORDS + 3 * CommitMessage.writtenWords(CommitMessage.ALLOCATED, OBJECT);
    private static final long AT = 64;
    private static final int BYTES = 4096;

    private final MemorySegment memory = MemorySegment.ofArray(new long[(int) (AT + BYTES) / Long.BYTES]);
    private final ReplicaLog log = new ReplicaLog(new OwnMemory(), memory, AT, BYTES, (region, offset) -> OBJECT);
    private final CommitMessage.Builder message = new CommitMessage.Builder(WORDS);

    /** @param writes replaced version and change, by address */
    private void append(int kind, long transaction, Map<Long, Long> writes) {
        message.begin(kind, transaction);
        MemorySegment payload = OBJECT.newPayload();
        writes.forEach((address, word) -> {
            long version = CommitMessage.version(word);
            payload.set(ValueLayout.JAVA_LONG_UNALIGNED, 0, word);
            switch ((int) CommitMessage.change(word)) {
                case (int) CommitMessage.FREED -> message.free(address, version);
                case (int) CommitMessage.ALLOCATED -> message.allocate(address, version, OBJECT, payload, ~word);
                default -> message.add(address, version, OBJECT, payload);
            }
        });
        log.append(message.words(), message.count());
    }

    /** Returns the committed writes of the records: later ones of an object win. */
    private Map<Long, Long> recovered() {
        Map<Long, Long> last = new HashMap<>();
        Map<Long, Map<Long, Long>> prepared = new HashMap<>();
        ReplicaLog.forEach(memory, AT, BYTES, words -> {
            Map<Long, Long> writes = new HashMap<>();
            int at = CommitMessage.HEADER_WORDS;
            for (int i = 0; i < CommitMessage.objects(words); i++) {
                long word = words[at + 1];
                if (CommitMessage.change(word) != CommitMessage.FREED) {
                    assertThat(words[at + CommitMessage.OBJECT_WORDS]).isEqualTo(word);
                }
                if (CommitMessage.change(word) == CommitMessage.ALLOCATED) {
                    assertThat(CommitMessage.incarnation(words, at, OBJECT)).isEqualTo(~word);
                }
                writes.put(words[at], word);
                at += CommitMessage.writtenWords(word, OBJECT);
            }
            long transaction = CommitMessage.transaction(words);
            switch (CommitMessage.kind(words)) {
                case CommitMessage.LOG_PREPARE -> prepared.put(transaction, writes);
                case CommitMessage.LOG_WRITES ->
                    writes.forEach((address, value) -> last.merge(address, value, Math::max));
                case CommitMessage.LOG_COMMIT ->
                    prepared.getOrDefault(transaction, Map.of())
                            .forEach((address, value) -> last.merge(address, value, Math::max));
                default -> prepared.remove(transaction);
            }
        });
        return last;
    }

    /** Repeated cleaning keeps each object's last committed write or free, and PREPAREs that may still commit. */
    @Test
    void cleaningLosesNothingThatCounts() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        Map<Long, Long> expected = new HashMap<>();
        List<Map<Long, Long>> undecided = new ArrayList<>();
        List<Long> transactions = new ArrayList<>();
        for (long transaction = 1; transaction <= 5000; transaction++) {
            Map<Long, Long> writes = new HashMap<>();
            for (int i = random.nextInt(1, 4); i > 0; i--) {
                writes.put(64L * random.nextInt(6), ObjectWriter.ONE_VERSION * transaction | random.nextInt(3));
            }
            if (random.nextBoolean()) {
                append(CommitMessage.LOG_WRITES, transaction, writes);
                expected.putAll(writes);
            } else {
                append(CommitMessage.LOG_PREPARE, transaction, writes);
                undecided.add(writes);
                transactions.add(transaction);
            }
            if (undecided.size() > random.nextInt(5)) {
                int which = random.nextInt(undecided.size());
                boolean commits = random.nextInt(3) > 0;
                append(commits ? CommitMessage.LOG_COMMIT : CommitMessage.LOG_ABORT, transactions.get(which), Map.of());
                Map<Long, Long> decided = undecided.remove(which);
                transactions.remove(which);
                if (commits) {
                    decided.forEach((address, value) -> expected.merge(address, value, Math::max));
                }
            }
            assertThat(recovered()).as(Seeds.replay()).isEqualTo(expected);
        }
        assertThat(log.cleanedWords()).isPositive();
        assertThat(log.usedWords() * Long.BYTES).isLessThan(BYTES);
    }

    @Test
    void aTooSmallLogIsReported() {
        assertThatThrownBy(() -> {
                    for (long object = 0; object < 100; object++) {
                        append(CommitMessage.LOG_WRITES, object, Map.of(64 * object, ObjectWriter.ONE_VERSION));
                    }
                })
                .isInstanceOf(ReplicaLog.FullException.class)
                .hasMessageContainingAll("farm.log-bytes", "space for twice as many");
    }

    @Test
    void aMapOfWordsIsAMap() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        WordMap words = new WordMap();
        Map<Long, Long> expected = new HashMap<>();
        for (int i = 0; i < 20_000; i++) {
            long key = random.nextInt(300);
            switch (random.nextInt(3)) {
                case 0 -> assertThat(words.remove(key)).isEqualTo(or(expected.remove(key)));
                case 1 -> assertThat(words.get(key)).isEqualTo(or(expected.get(key)));
                default -> {
                    words.put(key, i);
                    expected.put(key, (long) i);
                }
            }
            assertThat(words.size()).isEqualTo(expected.size());
        }
    }

    private static long or(@Nullable Long value) {
        return value == null ? WordMap.NONE : value;
    }
}
