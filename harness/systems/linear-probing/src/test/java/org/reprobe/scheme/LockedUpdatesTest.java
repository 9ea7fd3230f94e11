package org.reprobe.scheme;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.RemoteRegion;
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

class LockedUpdatesTest {
    private static final int CLIENTS = 4;
    private static final long LOCK_BYTES = 8 << 10;

    private static TableImage table(TableKind kind, Storage storage) throws Exception {
        KeySpec keys = new KeySpec(Distribution.DISTINCT, 0, 0xFFFF_FFFFL);
        boolean cuckoo = kind == TableKind.CUCKOO;
        return TableBuilder.build(
                new TableSpec(kind, storage, 5_000, 24, 0.6, cuckoo ? 4 : 1, cuckoo ? 3 : 1, 8, keys, 5), 1);
    }

    private static byte[] bytes(MemorySegment memory) {
        return memory.toArray(ValueLayout.JAVA_BYTE);
    }

    @ParameterizedTest
    @CsvSource({"LINEAR, INLINE", "LINEAR, HEAP", "CUCKOO, INLINE", "CUCKOO, HEAP", "HOPSCOTCH_CHAINED, INLINE"})
    void everyRecordIsWrittenWhereItStandsAndEveryLockIsFreedAgain(TableKind kind, Storage storage) throws Exception {
        Probing probing = switch (kind) {
            case LINEAR -> new Probing.Linear(8, null, 0);
            case CUCKOO -> new Probing.Cuckoo(true);
            default -> new Probing.Hopscotch(true);
        };
        try (TableImage image = table(kind, storage);
                Fabric fabric = new SimFabric(TestCard.plain(), 1, 3)) {
            MemorySegment heap = image.heap();
            byte[] before = bytes(heap == null ? image.table() : heap);
            MemorySegment locks = fabric.allocate(LOCK_BYTES);
            RemoteTable table = new RemoteTable(
                    image.geometry(), fabric.register(image.table()), heap == null ? null : fabric.register(heap));
            double[] meanNs = new double[2];
            long[] payload = new long[2];
            RemoteRegion region = fabric.register(locks);
            for (int run = 0; run < 2; run++) {
                LookupClient.Parameters plan = new LookupClient.Parameters(
                        table,
                        image.keys(),
                        probing,
                        16,
                        16,
                        10_000,
                        2_000_000,
                        1e6,
                        3,
                        run == 0 ? null : new LockedUpdates.Writes(1, region, LockedUpdates.FOR_EVER_NS),
                        Sampling.Conditions.NONE);
                LookupClient clients = new LookupClient(plan, CLIENTS);
                fabric.run(CLIENTS, clients);
                LookupCounters counters = clients.counters();
                assertThat(counters.all().wrongAnswers()).isZero();
                assertThat(counters.lookups()).isGreaterThan(1_500);
                assertThat(counters.writes()).isEqualTo(run * counters.lookups());
                meanNs[run] = counters.latencyNs().getMean();
                payload[run] = Math.round(counters.payloadBytesPerSecond() / counters.lookupsPerSecond());
            }
            // A round trip for the lock and one for record and lock, which carry 8, 24 and 8 bytes.
            double roundTripNs = TestCard.plain().requester().roundTripNs();
            assertThat(meanNs[1] - meanNs[0]).isBetween(2 * roundTripNs, 4 * roundTripNs);
            assertThat(payload[1] - payload[0]).isBetween(40L, 50L);
            assertThat(bytes(heap == null ? image.table() : heap)).isEqualTo(before);
            assertThat(LockedUpdates.held(locks)).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "0, 64"})
    void aClientWaitsForATakenLock(int held, int sendQueue) throws Exception {
        try (TableImage image = table(TableKind.LINEAR, Storage.INLINE);
                Fabric fabric = new SimFabric(TestCard.plain(), 1, 3)) {
            MemorySegment locks = fabric.allocate(LOCK_BYTES);
            for (long at = 0; at < LOCK_BYTES; at += Long.BYTES) {
                locks.set(ValueLayout.JAVA_LONG, at, held);
            }
            RemoteTable table = new RemoteTable(image.geometry(), fabric.register(image.table()), null);
            LookupClient clients = new LookupClient(
                    new LookupClient.Parameters(
                            table,
                            image.keys(),
                            new Probing.Linear(8, null, 0),
                            sendQueue,
                            16,
                            0,
                            1_000_000,
                            0,
                            3,
                            new LockedUpdates.Writes(1, fabric.register(locks), LockedUpdates.FOR_EVER_NS),
                            Sampling.Conditions.NONE),
                    CLIENTS);
            fabric.run(CLIENTS, clients);
            // All locks are held for ever, or by clients that release them.
            assertThat(clients.counters().lookups() == 0).isEqualTo(held == 1);
            assertThat(clients.counters().lockRetries() > 0).isEqualTo(held == 0); // of lookups that count
        }
    }
}
