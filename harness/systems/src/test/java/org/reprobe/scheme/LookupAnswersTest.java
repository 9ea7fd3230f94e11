package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.table.TableTruth;
import org.reprobe.testing.Seeds;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;

/** Every lookup's answer is held against the table's truth: all matching records, each once, whole, and no other. */
class LookupAnswersTest {
    private static final int RECORDS = 3000;
    private static final int CLIENTS = 3;

    record Case(
            TableKind kind,
            Storage storage,
            int recordBytes,
            double load,
            int associativity,
            Probing probing,
            KeySpec keys) {
        @Override
        public String toString() {
            return "%s %s %d B load %.2f m=%d %s %s"
                    .formatted(kind, storage, recordBytes, load, associativity, probing, keys.distribution());
        }
    }

    static Stream<Case> cases() {
        // A small key space, so that many keys come twice or more.
        KeySpec repeated = new KeySpec(Distribution.UNIFORM, 0, 4 * RECORDS);
        KeySpec distinct = new KeySpec(Distribution.DISTINCT, 0, 0xFFFF_FFFFL);
        KeySpec skewed = new KeySpec(Distribution.ZIPF, 0.99, 4 * RECORDS);
        List<Case> cases = new ArrayList<>();
        for (Storage storage : Storage.values()) {
            for (int recordBytes : new int[] {8, 32, 128}) {
                for (double load : new double[] {0.25, 0.65, 0.90, 0.95}) {
                    for (int readSlots : new int[] {1, 5, 64}) {
                        Probing linear = new Probing.Linear(readSlots, null, 0);
                        cases.add(new Case(TableKind.LINEAR, storage, recordBytes, load, 1, linear, repeated));
                    }
                    Probing tracking = new Probing.Linear(7, LookupAnswersTest::hinted, 50);
                    cases.add(new Case(TableKind.LINEAR, storage, recordBytes, load, 1, tracking, skewed));
                    for (boolean parallel : new boolean[] {false, true}) {
                        Probing cuckoo = new Probing.Cuckoo(parallel);
                        cases.add(new Case(TableKind.CUCKOO, storage, recordBytes, load, 4, cuckoo, repeated));
                        if (load < 0.91) {
                            cases.add(new Case(TableKind.CUCKOO, storage, recordBytes, load, 1, cuckoo, distinct));
                        }
                    }
                    Probing all = new Probing.Hopscotch(false);
                    cases.add(new Case(TableKind.HOPSCOTCH_CHAINED, storage, recordBytes, load, 1, all, repeated));
                    Probing first = new Probing.Hopscotch(true);
                    cases.add(new Case(TableKind.HOPSCOTCH_CHAINED, storage, recordBytes, load, 1, first, distinct));
                }
                Probing hopscotch = new Probing.Hopscotch(true);
                cases.add(new Case(TableKind.HOPSCOTCH, storage, recordBytes, 0.25, 1, hopscotch, distinct));
            }
        }
        return cases.stream();
    }

    private static int hinted(long distance, long clusterSlots) {
        return (int) Math.min(200, distance + clusterSlots + 1);
    }

    @ParameterizedTest
    @MethodSource("cases")
    void everyAnswerIsTheTruth(Case c) throws Exception {
        long seed = Seeds.seed();
        TableSpec spec =
                new TableSpec(c.kind, c.storage, RECORDS, c.recordBytes, c.load, c.associativity, 3, 16, c.keys, seed);
        try (TableImage image = TableBuilder.build(spec, 1)) {
            TableTruth truth = new TableTruth(image.keys());
            Checker checker = new Checker(truth, c.recordBytes);
            LookupCounters counters = run(image, c.probing, 64, seed, checker);
            assertThat(checker.problems)
                    .as("replay with -Dreprobe.seed=%d", seed)
                    .isEmpty();
            assertThat(counters.lookups()).isGreaterThan(20);
            assertThat(counters.unanswered()).isZero();
            assertThat(checker.finished).isGreaterThanOrEqualTo((int) counters.lookups());
        }
    }

    @Test
    void aSendQueueOfOneLookupGivesTheSameAnswers() throws Exception {
        TableSpec spec = new TableSpec(
                TableKind.CUCKOO,
                Storage.HEAP,
                RECORDS,
                32,
                0.9,
                4,
                3,
                1,
                new KeySpec(Distribution.UNIFORM, 0, 9000),
                5);
        try (TableImage image = TableBuilder.build(spec, 1)) {
            Checker checker = new Checker(new TableTruth(image.keys()), 32);
            LookupCounters counters = run(image, new Probing.Cuckoo(true), 0, 1, checker);
            assertThat(checker.problems).isEmpty();
            assertThat(counters.unanswered()).isZero();
            assertThat(counters.tableRequests()).isEqualTo(3 * counters.lookups());
        }
    }

    /** Clients of one seed once drew the same sequence, each a step behind the one before. */
    @Test
    void clientsAskForUnrelatedKeys() throws Exception {
        TableSpec spec = new TableSpec(
                TableKind.LINEAR,
                Storage.INLINE,
                100_000,
                8,
                0.5,
                1,
                1,
                1,
                new KeySpec(Distribution.DISTINCT, 0, 0xFFFF_FFFFL),
                5);
        List<Set<Integer>> asked = List.of(new HashSet<>(), new HashSet<>(), new HashSet<>());
        try (TableImage image = TableBuilder.build(spec, 1)) {
            run(image, new Probing.Linear(5, null, 0), 64, 1, new MatchListener() {
                @Override
                public void found(int client, int lookup, int key, long ordinal, MemorySegment local, long offset) {}

                @Override
                public void finished(int client, int lookup, int key) {
                    asked.get(client).add(key);
                }
            });
        }
        Set<Integer> both = new HashSet<>(asked.get(0));
        both.retainAll(asked.get(1));
        assertThat(asked.get(0)).hasSizeBetween(100, 20_000);
        assertThat(both.size()).isLessThan(asked.get(0).size() / 3);
    }

    private static LookupCounters run(
            TableImage image, Probing probing, int sendQueue, long seed, MatchListener listener) throws Exception {
        try (Fabric fabric = new SimFabric(TestCard.plain(), 1, seed)) {
            MemorySegment heap = image.heap();
            RemoteTable table = new RemoteTable(
                    image.geometry(), fabric.register(image.table()), heap == null ? null : fabric.register(heap));
            LookupClient clients = new LookupClient(
                    new LookupClient.Parameters(
                            table, image.keys(), probing, sendQueue, 16, 5_000, 800_000, 0, seed, listener),
                    CLIENTS);
            fabric.run(CLIENTS, clients);
            return clients.counters();
        }
    }

    private static final class Checker implements MatchListener {
        private final TableTruth truth;
        private final int recordBytes;
        private final Map<Long, List<Long>> open = new HashMap<>();
        final List<String> problems = new ArrayList<>();
        int finished;

        Checker(TableTruth truth, int recordBytes) {
            this.truth = truth;
            this.recordBytes = recordBytes;
        }

        @Override
        public void found(int client, int lookup, int key, long ordinal, MemorySegment local, long offset) {
            open.computeIfAbsent(client * 1_000_000L + lookup, k -> new ArrayList<>())
                    .add(ordinal);
            if (!truth.isRecord(local, offset, recordBytes, key)) {
                problems.add("lookup of key " + key + " returned bytes that are not record " + ordinal);
            }
        }

        @Override
        public void finished(int client, int lookup, int key) {
            finished++;
            List<Long> found = open.remove(client * 1_000_000L + lookup);
            long[] expected = truth.ordinals(key);
            long[] actual = found == null
                    ? new long[0]
                    : found.stream().mapToLong(Long::longValue).sorted().toArray();
            if (!java.util.Arrays.equals(expected, actual)) {
                problems.add("lookup of key " + key + " found " + java.util.Arrays.toString(actual) + ", there are "
                        + java.util.Arrays.toString(expected));
            }
        }
    }
}
