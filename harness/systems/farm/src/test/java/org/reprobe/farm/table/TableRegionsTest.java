package org.reprobe.farm.table;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.reprobe.check.HistoryRecorder;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.BlockAllocator;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.FarmFabrics;
import org.reprobe.farm.messages.MessagingThreads;
import org.reprobe.farm.messages.ReadExchange;
import org.reprobe.sample.Sampling;
import org.reprobe.system.WatchedLookups;
import org.reprobe.workload.Rng;

/** Tables that take several regions of a machine. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class TableRegionsTest {
    private static final long MIB = BlockAllocator.BLOCK_BYTES;
    private static final int RECORDS = 120_000;
    private static final int IN_FLIGHT = 4;

    private static FarmTable table(boolean inline, boolean bothEnds, int machines, long maxRegionBytes) {
        return FarmTable.of(
                new BucketLayout(6, 16, 32, inline, bothEnds), machines, RECORDS, 0.9, 3, 0, maxRegionBytes);
    }

    @Test
    void aTableHasAsFewShardsAsItsRegionsAllow() {
        for (boolean inline : new boolean[] {true, false}) {
            for (long maxBytes = 3 * MIB; maxBytes < 20 * MIB; maxBytes += 3 * MIB / 2) {
                FarmTable table = table(inline, true, 1, maxBytes);
                assertThat(table.regionBytes()).isLessThanOrEqualTo(maxBytes);
                assertThat(table.homes() * table.shards())
                        .as("slots are as many")
                        .isBetween(RECORDS / 3 * 10L / 9 - table.shards(), RECORDS / 3 * 10L / 9 + table.shards());
                int[] records = new int[table.shards()];
                for (int ordinal = 0; ordinal < RECORDS; ordinal++) {
                    long key = table.key(ordinal);
                    assertThat(table.machine(key)).isZero();
                    assertThat(table.bucket(key)).isBetween(0L, table.homes() - 1);
                    records[table.shard(key)]++;
                }
                for (int count : records) {
                    double mean = (double) RECORDS / table.shards();
                    assertThat(Math.abs(count - mean)).isLessThan(6 * Math.sqrt(mean));
                }
            }
        }
        assertThat(table(true, false, 2, Address.MAX_REGION_BYTES).shards()).isOne();
        // The paper's experiment: 1.3 billion pairs per machine, 94 GB of shards.
        FarmTable large = FarmTable.of(
                new BucketLayout(6, 16, 32, true, false), 20, 26_000_000_000L, 0.9, 3, 0, Address.MAX_REGION_BYTES);
        assertThat(large.shards()).isBetween(47, 120);
        assertThat(large.regionBytes()).isLessThanOrEqualTo(Address.MAX_REGION_BYTES);
    }

    /** Records fit if the largest size class holds an overflow block, and a value outside of slots. */
    @ParameterizedTest
    @EnumSource(SlotContent.class)
    void recordsFitIfTheirObjectsHaveASizeClass(SlotContent content) {
        for (boolean bothEnds : new boolean[] {false, true}) {
            int most = ObjectLayout.maxPayloadBytes(bothEnds);
            for (int middle : new int[] {most, most / 2}) {
                Set<Boolean> fit = new HashSet<>();
                for (int valueBytes = middle / 8 * 8 - 64; valueBytes <= middle + 64; valueBytes += 8) {
                    BucketLayout layout = new BucketLayout(6, 16, valueBytes, content, bothEnds);
                    boolean sizes = hasSizeClass(layout::block) && hasSizeClass(layout::value);
                    assertThat(layout.fitsObjects())
                            .as("%s, at most %d bytes", layout, most)
                            .isEqualTo(sizes);
                    fit.add(sizes);
                }
                boolean isLimit = content == SlotContent.PAIR ? middle < most : middle == most;
                assertThat(fit).hasSize(isLimit ? 2 : 1);
            }
        }
    }

    private static boolean hasSizeClass(Supplier<ObjectLayout> layout) {
        try {
            return layout.get().payloadBytes() > 0;
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException _) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({"sim, 2, true, 3", "sim, 3, false, 4", "shm, 2, false, 4", "tcp, 2, true, 3"})
    void lookupsFindWhatIsInAnyRegion(String name, int machines, boolean inline, int maxMib) throws Exception {
        FarmTable table = table(inline, !name.equals("sim"), machines, maxMib * MIB);
        assertThat(table.shards()).isGreaterThan(1);
        try (Fabric fabric = FarmFabrics.open(name, machines)) {
            List<MemorySegment> memories = new ArrayList<>();
            List<RemoteRegion> regions = new ArrayList<>();
            for (int number = 0; number < table.regions(); number++) {
                try (Shard shard = new Shard(table, number)) {
                    for (int ordinal = 0; ordinal < RECORDS; ordinal++) {
                        if (table.shard(table.key(ordinal)) == number) {
                            shard.place(ordinal);
                        }
                    }
                    int machine = number / table.shards();
                    memories.add(
                            shard.write(fabric.memory(machine), FarmOperations.readBytes(table.layout(), IN_FLIGHT)));
                    regions.add(fabric.memory(machine).register(memories.get(number)));
                }
            }
            Set<Long> keys = new HashSet<>();
            for (int ordinal = 0; ordinal < RECORDS; ordinal++) {
                keys.add(table.key(ordinal));
            }
            LongAdder wrong = new LongAdder();
            Set<Integer> found = ConcurrentHashMap.newKeySet();
            // In real time a busy machine does few lookups in an interval.
            long durationNs = name.equals("sim") ? 400_000 : 50_000_000;
            for (int longer = 1; found.size() < table.regions() && longer <= 256; longer *= 2) {
                fabric.run(machines, lookups(table, memories, regions, longer * durationNs, (client, key, values) -> {
                    if (values.length == 1 && values[0] < RECORDS && table.key(values[0]) == key) {
                        found.add(table.shard(key));
                    } else if (values.length == 1 || keys.contains(key)) {
                        wrong.increment();
                    }
                }));
            }
            assertThat(wrong.sum()).isZero();
            assertThat(found).hasSize(table.regions());
        }
    }

    /** A thread of each machine, whose READs come to the end of the machine's first region. */
    private static MessagingThreads lookups(
            FarmTable table,
            List<MemorySegment> memories,
            List<RemoteRegion> regions,
            long durationNs,
            WatchedLookups.Listener listener) {
        FarmOperations.Parameters plan = new FarmOperations.Parameters(
                table,
                regions,
                new FarmOperations.Mix(
                        number -> Math.unsignedMultiplyHigh(Rng.at(8, number), RECORDS), _ -> 0, 0, false, null),
                true,
                0,
                new ThreadPlan(1, IN_FLIGHT, 0, 0, 1, 0, 0),
                null);
        List<MemorySegment> first = new ArrayList<>();
        for (int machine = 0; machine < table.machines(); machine++) {
            first.add(memories.get(machine * table.shards()));
        }
        return new MessagingThreads(
                new MessagingThreads.Parameters(
                        table.machines(),
                        client -> new MessagingThreads.ThreadNumber(client, 0),
                        new ReadExchange.QueuePairs(first, _ -> ConnectionOptions.oneSided(IN_FLIGHT, IN_FLIGHT)),
                        (client, thread) -> new FarmOperations(
                                client,
                                plan,
                                thread.machine(),
                                memories,
                                table.regionBytes(),
                                0,
                                null,
                                List.of(),
                                listener,
                                HistoryRecorder.NONE),
                        IN_FLIGHT,
                        10_000,
                        durationNs,
                        Sampling.Conditions.NONE),
                table.machines(),
                true);
    }
}
