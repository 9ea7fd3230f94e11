package org.reprobe.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.Servers;
import org.reprobe.testing.Seeds;

/** Transfers larger than any buffer, in both directions at once, and frames split anywhere. */
class TcpTransferTest {
    private static final int MAX_BYTES = 300_000;
    private static final int SLOTS = 16;

    private static Fabric open(Transport transport) {
        assumeTrue(transport.available(), transport + " is not here");
        return TcpContractTest.open(1, transport);
    }

    private static void fill(SplittableRandom random, MemorySegment memory) {
        for (long at = 0; at + 8 <= memory.byteSize(); at += 8) {
            memory.set(ValueLayout.JAVA_LONG, at, random.nextLong());
        }
    }

    private static void awaitAll(QueuePair queuePair, long last) throws FabricException {
        Completions completions = new Completions(8);
        while (true) {
            queuePair.await(completions);
            for (int i = 0; i < completions.count(); i++) {
                assertThat(completions.status(i)).isEqualTo(Status.SUCCESS);
                if (completions.id(i) == last) {
                    return;
                }
            }
        }
    }

    /** Lists of READs and WRITEs of all lengths; each slot's bytes are compared with a plain copy. */
    @ParameterizedTest
    @EnumSource
    void longReadsAndWritesOfOneListArrive(Transport transport) throws Exception {
        long seed = Seeds.seed();
        try (Fabric fabric = open(transport)) {
            long half = (long) SLOTS * MAX_BYTES;
            MemorySegment memory = fabric.allocate(2 * half * 2);
            fill(new SplittableRandom(seed), memory);
            RemoteRegion region = fabric.register(memory);
            fabric.run(2, client -> {
                SplittableRandom random = new SplittableRandom(seed + 1 + client.index());
                MemorySegment local = client.allocate(2 * half);
                fill(random, local);
                long base = client.index() * 2 * half;
                QueuePair queuePair = client.connect(local, new ConnectionOptions(2 * SLOTS, 4));
                for (int round = 0; round < 4; round++) {
                    int[] bytes = new int[SLOTS];
                    for (int slot = 0; slot < SLOTS; slot++) {
                        bytes[slot] = random.nextInt(random.nextBoolean() ? 200 : MAX_BYTES);
                        long at = (long) slot * MAX_BYTES;
                        queuePair.read(slot, at, region.address() + base + at, region.key(), bytes[slot], false);
                        queuePair.write(
                                slot,
                                half + at,
                                region.address() + base + half + at,
                                region.key(),
                                bytes[slot],
                                slot == SLOTS - 1);
                    }
                    queuePair.doorbell();
                    awaitAll(queuePair, SLOTS - 1);
                    for (int slot = 0; slot < SLOTS; slot++) {
                        long at = (long) slot * MAX_BYTES;
                        assertThat(MemorySegment.mismatch(
                                        local, at, at + bytes[slot], memory, base + at, base + at + bytes[slot]))
                                .as("READ %d, replay with -Dreprobe.seed=%d", slot, seed)
                                .isEqualTo(-1);
                        long from = base + half + at;
                        assertThat(MemorySegment.mismatch(
                                        local, half + at, half + at + bytes[slot], memory, from, from + bytes[slot]))
                                .as("WRITE %d, replay with -Dreprobe.seed=%d", slot, seed)
                                .isEqualTo(-1);
                    }
                }
            });
        }
    }

    /** The server sends long messages while its event loop replies to long READs on the same connection. */
    @ParameterizedTest
    @EnumSource
    void longMessagesAndReadsShareAConnection(Transport transport) throws Exception {
        int rounds = 20;
        try (Fabric fabric = open(transport)) {
            MemorySegment memory = fabric.allocate(MAX_BYTES);
            fill(new SplittableRandom(5), memory);
            RemoteRegion region = fabric.register(memory);
            ConnectionOptions options = new ConnectionOptions(16, 4, 16);
            fabric.run(
                    1,
                    client -> {
                        MemorySegment local = client.allocate(4L * MAX_BYTES);
                        fill(new SplittableRandom(6), local.asSlice(0, MAX_BYTES));
                        QueuePair queuePair = client.connect(local, options);
                        Completions completions = new Completions(4);
                        for (int round = 0; round < rounds; round++) {
                            queuePair.receive(1, MAX_BYTES, MAX_BYTES);
                            queuePair.send(2, 0, MAX_BYTES, true);
                            queuePair.read(3, 2L * MAX_BYTES, region.address(), region.key(), MAX_BYTES, true);
                            queuePair.read(4, 3L * MAX_BYTES, region.address(), region.key(), MAX_BYTES, true);
                            queuePair.doorbell();
                            for (int seen = 0; seen < 4; seen += completions.count()) {
                                queuePair.await(completions);
                                for (int i = 0; i < completions.count(); i++) {
                                    assertThat(completions.status(i)).isEqualTo(Status.SUCCESS);
                                }
                            }
                            MemorySegment sent = local.asSlice(0, MAX_BYTES);
                            assertThat(local.asSlice(MAX_BYTES, MAX_BYTES).mismatch(sent))
                                    .isEqualTo(-1);
                            for (int copy = 2; copy < 4; copy++) {
                                assertThat(local.asSlice((long) copy * MAX_BYTES, MAX_BYTES)
                                                .mismatch(memory))
                                        .isEqualTo(-1);
                            }
                        }
                    },
                    server -> echo(server, options));
        }
    }

    private static void echo(Server server, ConnectionOptions options) throws FabricException {
        MemorySegment local = server.allocate(MAX_BYTES);
        QueuePair end = Objects.requireNonNull(server.accept(local, options));
        end.receive(1, 0, MAX_BYTES);
        Completions completions = new Completions(4);
        while (server.await(completions) > 0) {
            for (int i = 0; i < completions.count(); i++) {
                assertThat(completions.status(i)).isEqualTo(Status.SUCCESS);
                if (completions.received(i)) {
                    end.send(2, 0, MAX_BYTES, true);
                    end.doorbell();
                } else {
                    end.receive(1, 0, MAX_BYTES);
                }
            }
        }
    }

    @Test
    void aReadOfADeregisteredRegionFails() throws Exception {
        TcpSettings settings = TcpSettings.defaults();
        try (TcpServer server = TcpServer.onLoopback(settings);
                TcpClients clients = new TcpClients(Servers.one(server.endpoint()), settings)) {
            MemorySegment memory = server.allocate(64);
            RemoteRegion region = server.register(memory);
            RemoteRegion other = server.register(server.allocate(64));
            clients.run(new org.reprobe.fabric.FabricClients.Group(0, 1, 1, () -> {}), client -> {
                QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(4, 4));
                Completions completions = new Completions(4);
                queuePair.read(1, 0, region.address(), region.key(), 8, true);
                queuePair.doorbell();
                queuePair.await(completions);
                assertThat(completions.status(0)).isEqualTo(Status.SUCCESS);
                server.deregister(region);
                server.free(memory);
                queuePair.read(2, 0, other.address(), other.key(), 8, true);
                queuePair.read(3, 0, region.address(), region.key(), 8, true);
                queuePair.doorbell();
                queuePair.await(completions);
                assertThat(completions.status(0)).isEqualTo(Status.SUCCESS);
                if (completions.count() == 1) {
                    queuePair.await(completions);
                }
                assertThat(completions.status(completions.count() - 1)).isEqualTo(Status.REMOTE_ACCESS_ERROR);
            });
        }
    }
}
