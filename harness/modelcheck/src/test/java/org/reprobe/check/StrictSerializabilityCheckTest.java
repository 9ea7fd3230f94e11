package org.reprobe.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.reprobe.check.StrictSerializabilityCheck.Outcome;
import org.reprobe.check.TransactionHistory.Access;
import org.reprobe.check.TransactionHistory.Entry;
import org.reprobe.testing.Seeds;

class StrictSerializabilityCheckTest {
    private static final long X = 1;
    private static final long Y = 2;
    private static final Map<Long, Long> ZERO = Map.of(X, 0L, Y, 0L);
    private static final StrictSerializabilityCheck CHECK = new StrictSerializabilityCheck(ZERO);

    private static Access at(long key, long value) {
        return new Access(key, value);
    }

    private static Entry entry(int client, List<Access> reads, List<Access> writes, long from, long to) {
        return new Entry(client, 1, reads, writes, from, to);
    }

    private static Outcome check(Entry... entries) {
        TransactionHistory history = new TransactionHistory(List.of(entries));
        Outcome outcome = CHECK.check(history);
        assertThat(CHECK.search(history)).hasSameClassAs(outcome);
        return outcome;
    }

    private static void holds(Entry... entries) {
        assertThat(check(entries)).isInstanceOf(Outcome.Serializable.class);
    }

    private static String fails(Entry... entries) {
        Outcome outcome = check(entries);
        assertThat(outcome).isInstanceOf(Outcome.NotSerializable.class);
        return ((Outcome.NotSerializable) outcome).words();
    }

    private static Entry update(int client, Access read, Access write, long from, long to) {
        return entry(client, List.of(read), List.of(write), from, to);
    }

    private static Entry reads(int client, long from, long to, Access... accesses) {
        return entry(client, List.of(accesses), List.of(), from, to);
    }

    @Test
    void overlappingUpdatesMayBeInEitherOrder() {
        holds();
        Entry first = update(0, at(X, 0), at(X, 1), 0, 10);
        Entry second = update(1, at(X, 1), at(X, 2), 1, 9);
        holds(first, second, reads(2, 0, 3, at(X, 0)), reads(3, 2, 5, at(X, 2)), reads(2, 11, 12, at(X, 2)));
    }

    @Test
    void ofTwoUpdatesOfOneVersionOneIsLost() {
        String words = fails(update(0, at(X, 0), at(X, 1), 0, 10), update(1, at(X, 0), at(X, 2), 1, 9));
        assertThat(words).contains("client 0's transaction 1: reads 1 = 0, writes 1 = 1", "is replaced by");
    }

    @Test
    void writeSkewIsFound() {
        Entry[] skew = {
            entry(0, List.of(at(X, 0), at(Y, 0)), List.of(at(X, 1)), 0, 10),
            entry(1, List.of(at(X, 0), at(Y, 0)), List.of(at(Y, 1)), 0, 10)
        };
        fails(skew);
        holds(skew[0], entry(1, List.of(at(X, 1), at(Y, 0)), List.of(at(Y, 1)), 0, 10));
    }

    @Test
    void aFracturedReadIsFound() {
        Entry both = entry(0, List.of(at(X, 0), at(Y, 0)), List.of(at(X, 1), at(Y, 1)), 0, 10);
        fails(both, reads(1, 0, 10, at(X, 1), at(Y, 0)));
        holds(both, reads(1, 0, 10, at(X, 1), at(Y, 1)), reads(2, 0, 10, at(X, 0), at(Y, 0)));
    }

    @Test
    void sequentialReadsNeverReturnAnOlderValue() {
        Entry both = entry(0, List.of(at(X, 0), at(Y, 0)), List.of(at(X, 1), at(Y, 1)), 0, 10);
        fails(both, reads(1, 1, 2, at(X, 1)), reads(1, 3, 4, at(Y, 0)));
        holds(both, reads(1, 1, 2, at(X, 0)), reads(1, 3, 4, at(Y, 1)));
        holds(both, reads(1, 1, 3, at(X, 1)), reads(2, 3, 4, at(Y, 0)));
    }

    @Test
    void repliedValuesAreReadLater() {
        Entry update = update(0, at(X, 0), at(X, 1), 0, 10);
        assertThat(fails(update, reads(1, 11, 12, at(X, 0)))).contains("ended before the start of");
        holds(update, reads(1, 10, 12, at(X, 0)));
    }

    @Test
    void aLongForkIsFound() {
        Entry first = update(0, at(X, 0), at(X, 1), 0, 10);
        Entry second = update(1, at(Y, 0), at(Y, 1), 0, 10);
        fails(first, second, reads(2, 0, 10, at(X, 1), at(Y, 0)), reads(3, 0, 10, at(X, 0), at(Y, 1)));
        holds(first, second, reads(2, 0, 10, at(X, 1), at(Y, 0)), reads(3, 0, 10, at(X, 1), at(Y, 1)));
    }

    /** Each has read the other's write (Adya's G1c). */
    @Test
    void circularInformationFlowIsFound() {
        fails(
                entry(0, List.of(at(Y, 1), at(X, 0)), List.of(at(X, 1)), 0, 10),
                entry(1, List.of(at(X, 1), at(Y, 0)), List.of(at(Y, 1)), 0, 10));
    }

    @Test
    void unwrittenValuesAreNotRead() {
        assertThat(fails(update(0, at(X, 0), at(X, 1), 0, 1), reads(1, 2, 3, at(X, 7))))
                .contains("1 = 7");
    }

    @Test
    void aTransactionWithoutReplyMayHaveCommitted() {
        Entry pending = update(0, at(X, 0), at(X, 1), 0, Event.PENDING);
        holds(pending, reads(1, 20, 30, at(X, 0)));
        holds(pending, reads(1, 20, 30, at(X, 1)));
        holds(pending, update(1, at(X, 0), at(X, 2), 20, 30));
        fails(pending, reads(1, 20, 30, at(X, 1)), reads(1, 31, 32, at(X, 0)));
        fails(pending, reads(1, 20, 30, at(X, 1)), update(2, at(X, 0), at(X, 2), 0, 30));
    }

    @Test
    void partsOfATransactionAreFoundAgainInAHistory() {
        AtomicLong clock = new AtomicLong();
        Recording recording = new Recording(clock::incrementAndGet);
        TransactionRecorder client = new TransactionRecorder(recording, 0);
        client.begins();
        client.read(X, 0);
        client.read(Y, 0);
        client.writes(X, 1);
        client.ended(false);
        client.begins();
        client.read(X, 0);
        client.writes(X, 2);
        client.ended(true);
        recording.returned(recording.invoked(1, Operation.READ, X, 0), 2);
        client.begins();
        client.read(X, 2);
        client.writes(X, 3);
        List<Entry> entries = TransactionHistory.of(recording.history()).transactions();
        assertThat(entries)
                .containsExactly(
                        new Entry(0, 2, List.of(at(X, 0)), List.of(at(X, 2)), 9, 14),
                        new Entry(1, 0, List.of(at(X, 2)), List.of(), 15, 16),
                        new Entry(0, 3, List.of(at(X, 2)), List.of(at(X, 3)), 17, Event.PENDING));
        assertThat(CHECK.check(new TransactionHistory(entries))).isInstanceOf(Outcome.Serializable.class);
        recording.returned(recording.invoked(1, Operation.READ, X, 0), 1);
        assertThat(CHECK.check(TransactionHistory.of(recording.history()))).isInstanceOf(Outcome.NotSerializable.class);
    }

    /** Compares with trying all orders of few transactions, with and without those lacking a reply. */
    @Test
    void smallHistoriesAreJudgedLikeByTryingAllOrders() {
        long seed = Seeds.seed();
        SplittableRandom random = new SplittableRandom(seed);
        int right = 0;
        int wrong = 0;
        int ordered = 0;
        for (int i = 0; i < 30_000; i++) {
            boolean readsFirst = random.nextInt(4) > 0;
            TransactionHistory history = random(random, readsFirst);
            boolean expected = someOrder(history.transactions(), new HashMap<>(ZERO));
            Class<?> outcome = expected ? Outcome.Serializable.class : Outcome.NotSerializable.class;
            assertThat(CHECK.check(history))
                    .as("%s, %s", history, Seeds.replay())
                    .isInstanceOf(outcome);
            assertThat(CHECK.search(history))
                    .as("%s, %s", history, Seeds.replay())
                    .isInstanceOf(outcome);
            right += expected ? 1 : 0;
            wrong += expected ? 0 : 1;
            ordered += readsFirst && expected ? 1 : 0;
        }
        assertThat(right).isGreaterThan(3000);
        assertThat(wrong).isGreaterThan(3000);
        assertThat(ordered).isGreaterThan(1000);
    }

    private static TransactionHistory random(SplittableRandom random, boolean readsFirst) {
        Map<Long, Long> state = new HashMap<>(ZERO);
        List<Entry> entries = new ArrayList<>();
        int count = random.nextInt(2, 6);
        long last = 0;
        for (int i = 0; i < count; i++) {
            List<Access> reads = new ArrayList<>();
            List<Access> writes = new ArrayList<>();
            for (long key : List.of(X, Y)) {
                int what = random.nextInt(4);
                if (what == 1 || (what == 2 && (readsFirst || random.nextBoolean()))) {
                    reads.add(at(key, random.nextInt(5) == 0 ? random.nextInt(count + 1) : state.get(key)));
                }
                if (what == 2) {
                    writes.add(at(key, readsFirst ? i + 1 : random.nextInt(1, 4)));
                }
            }
            writes.forEach(write -> state.put(write.key(), write.value()));
            long at = 10L * i + 5;
            long to = at + random.nextInt(25);
            last = Math.max(last, to);
            entries.add(new Entry(
                    i, 1, reads, writes, at - random.nextInt(25), random.nextInt(6) == 0 ? Event.PENDING : to));
        }
        return new TransactionHistory(entries);
    }

    private static boolean someOrder(List<Entry> left, Map<Long, Long> state) {
        if (left.stream().allMatch(Entry::pending)) {
            return true;
        }
        for (Entry next : left) {
            boolean first = left.stream().noneMatch(each -> each != next && each.returned() < next.invoked());
            if (!first || next.reads().stream().anyMatch(read -> state.get(read.key()) != read.value())) {
                continue;
            }
            List<Entry> rest = new ArrayList<>(left);
            rest.removeIf(each -> each == next);
            Map<Long, Long> after = new HashMap<>(state);
            next.writes().forEach(write -> after.put(write.key(), write.value()));
            if (someOrder(rest, after)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aLongHistoryIsJudged() {
        SplittableRandom random = new SplittableRandom(Seeds.seed());
        int keys = 8;
        int count = 5000;
        List<Entry> entries = new ArrayList<>();
        long[] state = new long[keys];
        for (int i = 1; i <= count; i++) {
            int first = random.nextInt(keys);
            int second = (first + random.nextInt(1, keys)) % keys;
            List<Access> reads = List.of(at(first, state[first]), at(second, state[second]));
            List<Access> writes = random.nextBoolean() ? List.of(at(first, i)) : List.of(at(first, i), at(second, i));
            writes.forEach(write -> state[(int) write.key()] = write.value());
            long at = 100L * i;
            entries.add(new Entry(i % 32, i, reads, writes, at - random.nextInt(1500), at + random.nextInt(1500)));
        }
        Map<Long, Long> zero = new HashMap<>();
        for (long key = 0; key < keys; key++) {
            zero.put(key, 0L);
        }
        StrictSerializabilityCheck check = new StrictSerializabilityCheck(zero);
        assertThat(check.check(new TransactionHistory(entries))).isInstanceOf(Outcome.Serializable.class);
        Entry stale = entries.get(count / 2);
        entries.add(new Entry(40, 1, stale.reads(), List.of(), 100L * count + 2000, 100L * count + 2001));
        assertThat(check.check(new TransactionHistory(entries))).isInstanceOf(Outcome.NotSerializable.class);
    }
}
