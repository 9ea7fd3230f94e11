package org.reprobe.findorput;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.analysis.nic.NicProfile;
import org.reprobe.check.Event;
import org.reprobe.check.FindOrPutSet;
import org.reprobe.check.LinearizabilityCheck;
import org.reprobe.check.Operation;
import org.reprobe.check.Recording;
import org.reprobe.check.Verdict;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.sim.Placement;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.testing.Seeds;

class FindOrPutTest {
    private static final long SEED = Seeds.seed();

    private interface Body {
        void run(Client client, SharedTable table) throws FabricException;
    }

    private static SharedTable run(int machines, int processes, long buckets, Body body) throws Exception {
        NicProfile jittery = TestCard.of(
                new NicProfile.Requester(1000, 100, 500, 4, 0, 3),
                new NicProfile.Client(10, 0, 0, 0, 0, 1, 0),
                new NicProfile.Link(10e9, 1024, 0, 0));
        try (SimFabric fabric = new SimFabric(jittery, Placement.together(machines), SEED)) {
            SharedTable table = SharedTable.on(fabric, buckets);
            fabric.run(machines * processes, client -> body.run(client, table));
            checkNothingTwice(table);
            return table;
        }
    }

    private static void checkNothingTwice(SharedTable table) {
        Set<Long> seen = new HashSet<>();
        for (MemorySegment part : table.memories()) {
            for (long bucket : part.toArray(ValueLayout.JAVA_LONG)) {
                if (bucket != 0) {
                    assertThat(seen.add(bucket)).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "3, 8", "5, 16", "4, 7", "2, 64", "7, 1"})
    void aProcessAloneGetsWhatASetWouldGive(int machines, int chunk) throws Exception {
        run(machines, 1, 97, (client, table) -> {
            if (client.index() != 0) {
                return;
            }
            Set<Long> truth = new HashSet<>();
            SplittableRandom random = new SplittableRandom(SEED);
            FindOrPut process = new FindOrPut(client, table, new ChunkSize.Fixed(chunk), 1000, false);
            for (int i = 0; i < 2000; i++) {
                long data = random.nextLong(110);
                FindOrPutResult expected = truth.contains(data)
                        ? FindOrPutResult.FOUND
                        : truth.size() == 97 ? FindOrPutResult.FULL : FindOrPutResult.INSERTED;
                assertThat(process.findOrPut(data))
                        .as("seed %d, step %d", SEED, i)
                        .isEqualTo(expected);
                if (expected == FindOrPutResult.INSERTED) {
                    truth.add(data);
                }
            }
            assertThat(truth).hasSize(97);
        });
    }

    @Test
    void processesThatInsertTheSameAtOnceInsertItOnce() throws Exception {
        Map<Long, Integer> inserted = new HashMap<>();
        run(3, 4, 4096, (client, table) -> {
            FindOrPut process = new FindOrPut(client, table, new ChunkSize.Fixed(8), 64, false);
            client.barrier();
            for (long data = 0; data < 300; data++) {
                if (process.findOrPut(data) == FindOrPutResult.INSERTED) {
                    inserted.merge(data, 1, Integer::sum);
                }
            }
        });
        assertThat(inserted)
                .hasSize(300)
                .allSatisfy((_, times) -> assertThat(times).isOne());
    }

    @ParameterizedTest
    @CsvSource({"true", "false"})
    void contendingProcessesAreLinearizable(boolean atomicsOfCard) throws Exception {
        for (int run = 0; run < 60; run++) {
            long[] steps = new long[1];
            Recording recording = new Recording(() -> ++steps[0]);
            long seed = SEED * 1000 + run;
            run(2, 3, 12, (client, table) -> {
                SplittableRandom random = new SplittableRandom(seed * 31 + client.index());
                FindOrPut process = new FindOrPut(client, table, new ChunkSize.Fixed(4), 2, atomicsOfCard);
                client.barrier();
                for (int i = 0; i < 12; i++) {
                    long data = random.nextLong(14);
                    int event = recording.invoked(client.index(), Operation.FIND_OR_PUT, data, 0);
                    recording.returned(
                            event,
                            switch (process.findOrPut(data)) {
                                case FOUND -> Event.FOUND;
                                case INSERTED -> Event.INSERTED;
                                case FULL -> Event.FULL;
                            });
                }
            });
            assertThat(new LinearizabilityCheck<>(new FindOrPutSet(), 1_000_000).check(recording.history()))
                    .as("seed %d", seed)
                    .isInstanceOf(Verdict.Linearizable.class);
        }
    }

    @Test
    void twoQueriesAreUnderWayAtOnce() throws Exception {
        // An empty chunk of another machine: the second query is not waited for.
        run(2, 1, 1 << 12, (client, table) -> {
            if (client.index() == 0) {
                FindOrPut process = new FindOrPut(client, table, new ChunkSize.Fixed(8), 64, false);
                long data = 0;
                while (table.home(data) / 2048 != 1 || table.home(data) % 2048 > 2000) {
                    data++;
                }
                assertThat(process.findOrPut(data)).isEqualTo(FindOrPutResult.INSERTED);
                assertThat(process.requests()).isEqualTo(3);
                assertThat(process.queriesSynchronised()).isEqualTo(1);
                assertThat(process.chunksOfLast()).isEqualTo(1);
            }
        });
    }

    @Test
    void onOneMachineNothingGoesOverTheNetwork() throws Exception {
        run(1, 4, 1 << 10, (client, table) -> {
            FindOrPut process = new FindOrPut(client, table, new ChunkSize.Fixed(8), 64, false);
            for (long data = 0; data < 100; data++) {
                process.findOrPut(data * 4 + client.index());
            }
            assertThat(process.requests()).isZero();
            assertThat(client.nowNs()).isLessThan(100 * 100);
        });
    }

    @Test
    void dataOf64BitsIsRefused() throws Exception {
        run(
                1,
                1,
                8,
                (client, table) -> assertThatThrownBy(
                                () -> new FindOrPut(client, table, new ChunkSize.Fixed(8), 1, false).findOrPut(-1))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessage("data has 63 bits: -1 is negative"));
    }

    @Test
    void aProcessFindsOutHowFullTheTableIsAndWhatIsThere() throws Exception {
        int[] buckets = new int[AdaptiveChunks.LOADS];
        Arrays.setAll(buckets, percent -> 8 + 8 * (percent / 10));
        AdaptiveChunks chunks = new AdaptiveChunks(buckets);
        assertThat(chunks.max()).isEqualTo(80);
        try (SimFabric fabric = new SimFabric(TestCard.plain(), Placement.together(2), SEED)) {
            SharedTable table = SharedTable.on(fabric, 4000);
            FindOrPutWorkload.load(table, 2600, number -> number);
            fabric.run(1, client -> {
                FindOrPut process = new FindOrPut(client, table, chunks, 500, false);
                for (long number = 0; number < 2600; number++) {
                    assertThat(process.findOrPut(1_000_000 + number % 10))
                            .isEqualTo(number < 10 ? FindOrPutResult.INSERTED : FindOrPutResult.FOUND);
                    assertThat(process.findOrPut(number)).isEqualTo(FindOrPutResult.FOUND);
                }
            });
        }
        // Existing keys' homes are biased towards long clusters.
        assertThat(chunks.load()).isBetween(0.60, 0.80);
        assertThat(chunks.buckets()).isBetween(56, 72);
    }

    @Test
    void insertsBeyondAProcessAreLeftToReachingClients() {
        MemorySegment here = MemorySegment.ofArray(new long[100]);
        SharedTable table = SharedTable.of(300, 3, List.of(), List.of(MemorySegment.NULL, here, MemorySegment.NULL));
        Queue<Long> rest = FindOrPutWorkload.load(table, 290, number -> number);
        long mine = LongStream.range(0, 290)
                .filter(number -> table.machine(table.home(number)) == 1)
                .count();
        long placed = Arrays.stream(here.toArray(ValueLayout.JAVA_LONG))
                .filter(bucket -> bucket != 0)
                .count();
        assertThat(rest).isNotEmpty();
        assertThat(placed + rest.size()).isEqualTo(mine);
        // All buckets from its first one to the part's end are occupied.
        assertThat(rest).allSatisfy(number -> {
            for (long bucket = table.home(number); bucket < 200; bucket++) {
                assertThat(here.get(ValueLayout.JAVA_LONG, table.offset(bucket)))
                        .isNotZero();
            }
        });
    }

    @Test
    void theFirstChunksSeenCountFullyAndOldOnesAreForgotten() {
        int[] buckets = new int[AdaptiveChunks.LOADS];
        Arrays.fill(buckets, 8);
        AdaptiveChunks chunks = new AdaptiveChunks(buckets);
        chunks.seen(8, 8);
        chunks.seen(0, 8);
        assertThat(chunks.load()).isCloseTo(0.5, within(1e-9));
        for (int i = 0; i < 4000; i++) {
            chunks.seen(2, 8);
        }
        assertThat(chunks.load()).isCloseTo(0.25, within(0.01));
    }
}
