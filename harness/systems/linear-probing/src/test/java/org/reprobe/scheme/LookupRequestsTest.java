package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.sim.SimFabric;
import org.reprobe.fabric.sim.TestCard;
import org.reprobe.sample.Sampling;
import org.reprobe.table.Storage;
import org.reprobe.table.TableBuilder;
import org.reprobe.table.TableImage;
import org.reprobe.table.TableKind;
import org.reprobe.table.TableSpec;
import org.reprobe.workload.Distribution;
import org.reprobe.workload.KeySpec;

/** Requests of lookups; {@link org.reprobe.conformance.Conformance} checks their answers. */
class LookupRequestsTest {
    private static final int RECORDS = 3000;
    private static final int CLIENTS = 3;

    @Test
    void aSendQueueOfOneLookupHasAllItsRequests() throws Exception {
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
            LookupCounters counters = run(image, new Probing.Cuckoo(true), 0, 1, null);
            assertThat(counters.all().wrongAnswers()).isZero();
            assertThat(counters.tableRequests()).isEqualTo(3 * counters.lookups());
        }
    }

    /** Clients of one seed once drew the same sequence, each a step behind the one before. */
    @Test
    void clientsRequestUnrelatedKeys() throws Exception {
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
            TableImage image, Probing probing, int sendQueue, long seed, @Nullable MatchListener listener)
            throws Exception {
        try (Fabric fabric = new SimFabric(TestCard.plain(), 1, seed)) {
            MemorySegment heap = image.heap();
            RemoteTable table = new RemoteTable(
                    image.geometry(), fabric.register(image.table()), heap == null ? null : fabric.register(heap));
            LookupClient clients = new LookupClient(
                    new LookupClient.Parameters(
                            table,
                            image.keys(),
                            probing,
                            sendQueue,
                            16,
                            5_000,
                            800_000,
                            0,
                            seed,
                            null,
                            Sampling.Conditions.NONE),
                    CLIENTS,
                    listener);
            fabric.run(CLIENTS, clients);
            return clients.counters();
        }
    }
}
