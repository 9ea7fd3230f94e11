package org.reprobe.farm.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.farm.memory.ThreadPlan;
import org.reprobe.farm.messages.MessagingThread;
import org.reprobe.remote.OperationCounts.Counter;
import org.reprobe.system.Counts;
import org.reprobe.system.WatchedLookups.Listener;
import org.reprobe.workload.Rng;

/** Lookups by messages. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LookupRequestsTest {
    private static final int RECORDS = 3000;

    private static FarmCluster cluster(String name, int machines, SlotContent slots, int threads, int ringBytes)
            throws Exception {
        return new FarmCluster(name, RECORDS, machines, slots, threads, ringBytes, 0);
    }

    private static Counts run(
            FarmCluster cluster, int together, int inFlight, long durationNs, @Nullable Listener listener)
            throws Exception {
        return cluster.run(
                inFlight,
                MessagingThread.sendQueue(inFlight, cluster.places.layout()),
                durationNs,
                (client, thread) -> new LookupRequests(
                        client,
                        cluster.table,
                        thread.machine(),
                        cluster.memories,
                        number -> Math.unsignedMultiplyHigh(Rng.at(8, number), RECORDS),
                        new ThreadPlan(cluster.threads, inFlight, 0, 0, 1, Long.MAX_VALUE, 0),
                        together,
                        listener));
    }

    /** Rings of the smallest size that takes the longest message. */
    @ParameterizedTest
    @CsvSource({
        "sim, 1, PAIR, 1, 5, 4, 4096",
        "sim, 3, PAIR, 2, 1, 8, 128",
        "sim, 3, KEY, 2, 5, 3, 384",
        "sim, 2, PAIR, 1, 100, 2, 6480",
        "shm, 2, PAIR, 2, 7, 4, 512",
        "tcp, 2, KEY, 1, 7, 4, 512",
        "sim, 1, TAG, 1, 5, 4, 4096",
        "sim, 3, TAG, 2, 5, 3, 384",
        "shm, 2, TAG, 2, 7, 4, 512",
        "tcp, 2, TAG, 1, 7, 4, 512"
    })
    void allAnswersAreThoseOfTheTable(
            String fabric, int machines, SlotContent slots, int threads, int together, int inFlight, int ringBytes)
            throws Exception {
        LongAdder found = new LongAdder();
        LongAdder missing = new LongAdder();
        try (FarmCluster cluster = cluster(fabric, machines, slots, threads, ringBytes)) {
            Listener listener = (_, key, values) -> {
                boolean there = values.length == 1;
                (there ? found : missing).increment();
                if (there) {
                    assertThat(cluster.table.key(values[0])).isEqualTo(key);
                    assertThat(values[0]).isLessThan(RECORDS);
                }
            };
            // In real time a busy machine does few lookups in an interval.
            long durationNs = fabric.equals("sim") ? 200_000 : 50_000_000;
            for (int longer = 1; found.sum() + missing.sum() <= 1000 && longer <= 256; longer *= 2) {
                Counts counts = run(cluster, together, inFlight, longer * durationNs, listener);
                assertThat(counts.wrongAnswers()).isZero();
            }
        }
        // One in four lookups is for an absent key.
        double all = found.sum() + missing.sum();
        assertThat(all).isGreaterThan(1000);
        assertThat(missing.sum() / all).isCloseTo(0.25, within(0.05));
    }

    @Test
    void aMultiGetSendsOneRequestPerMachine() throws Exception {
        try (FarmCluster cluster = cluster("sim", 2, SlotContent.PAIR, 1, 8192)) {
            Counts counts = run(cluster, 24, 2, 2_000_000, null);
            assertThat(counts.wrongAnswers()).isZero();
            long lookups = counts.total(Counter.OPERATIONS);
            assertThat(lookups % 24).isZero();
            // One request and one reply, except if the own machine has all keys, with probability 2^-24.
            assertThat(counts.total(Counter.REQUESTS)).isEqualTo(lookups / 24 * 2);
        }
    }

    /** Many of 3000 keys share a bucket with another key of the same tag. */
    @Test
    void keysWithTheSameTagAreDistinguished() throws Exception {
        try (FarmCluster cluster = cluster("sim", 1, SlotContent.TAG, 1, 4096)) {
            LongAdder falseMatches = new LongAdder();
            cluster.fabric.run(1, client -> {
                TableSearch search = new TableSearch(cluster.table, client);
                TableSearch.Lookup lookup = new TableSearch.Lookup();
                for (int ordinal = 0; ordinal < 3 * RECORDS; ordinal++) {
                    search.begin(lookup, cluster.table.key(ordinal));
                    int values = 0;
                    boolean done = false;
                    while (!done) {
                        values += lookup.step() == TableSearch.Step.VALUE ? 1 : 0;
                        done = search.proceed(lookup, cluster.memories.getFirst(), lookup.offset());
                    }
                    assertThat(lookup.found()).as("record %d", ordinal).isEqualTo(ordinal < RECORDS);
                    falseMatches.add(values - (lookup.found() ? 1 : 0));
                }
            });
            // An absent key is compared with six slots and a few of a chain; one of 255 has its tag.
            assertThat(falseMatches.sum() / (2.0 * RECORDS * 6 / 255)).isBetween(0.8, 1.7);
        }
    }

    /** Wrong values are detected for keys of any machine, inline and outside. */
    @ParameterizedTest
    @CsvSource({"1, PAIR", "3, PAIR", "3, KEY", "3, TAG"})
    void aWrongValueIsSeen(int machines, SlotContent slots) throws Exception {
        try (FarmCluster cluster = cluster("sim", machines, slots, 1, 4096)) {
            MemorySegment memory = cluster.memories.getFirst();
            long key = 0;
            for (int ordinal = 0; key == 0 || cluster.table.machine(key) != 0; ordinal++) {
                key = cluster.table.key(ordinal);
            }
            int damaged = 0;
            for (long at = 0; at < cluster.table.regionBytes(); at += Long.BYTES) {
                if (memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at) == ~key) {
                    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, key);
                    damaged++;
                }
            }
            for (long at = 2; damaged == 0 && at < cluster.table.regionBytes() - 8; at += 2) {
                if (memory.get(ValueLayout.JAVA_LONG_UNALIGNED, at) == ~key) {
                    memory.set(ValueLayout.JAVA_LONG_UNALIGNED, at, key);
                    damaged++;
                }
            }
            assertThat(damaged).isOne();
            Counts counts = run(cluster, 1, 4, 3_000_000, null);
            assertThat(counts.wrongAnswers()).isPositive().isLessThan(counts.total(Counter.OPERATIONS) / 100);
        }
    }
}
