package org.reprobe.run.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.Client;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.Fabric;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.testing.Seeds;
import org.reprobe.trust.Secret;
import org.reprobe.workload.Rng;

/** Fabric with a remote server, with both ends in this process. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class DistantFabricTest {
    private static final long SEED = Seeds.seed();

    private static CompletableFuture<Void> served(MemoryServer server) {
        return CompletableFuture.runAsync(() -> {
            try {
                server.serve();
            } catch (IOException | FabricException | InterruptedException e) {
                throw new CompletionException(e);
            }
        });
    }

    private static MemoryServer listening(String fabric) throws IOException {
        return new MemoryServer(fabric, new InetSocketAddress("127.0.0.1", 0));
    }

    private static DistantFabric.Server connect(String fabric, MemoryServer server) throws FabricException {
        URI uri = URI.create("tcp://" + server.address());
        return new DistantFabric.Server(fabric, uri.getHost(), uri.getPort(), server.token());
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void registeredMemoryIsVisibleToAllClientsAndFreed(String name) throws Exception {
        Rng random = new Rng(SEED);
        try (MemoryServer server = listening(name)) {
            CompletableFuture<Void> serving = served(server);
            try (DistantFabric.Server distant = connect(name, server)) {
                // Longer than one list of WRITEs, and not a multiple of a WRITE.
                for (long bytes : new long[] {(3L << 20) + 40, 8}) {
                    try (Fabric fabric = distant.open()) {
                        MemorySegment memory = fabric.allocate(bytes);
                        for (long at = 0; at < bytes; at += 8) {
                            memory.set(ValueLayout.JAVA_LONG, at, random.next());
                        }
                        RemoteRegion region = fabric.register(memory);
                        assertThat(region.bytes()).isEqualTo(bytes);
                        fabric.run(
                                2,
                                client -> assertThat(read(client, region).mismatch(memory))
                                        .as("-Dreprobe.seed=%d", SEED)
                                        .isEqualTo(-1));
                    }
                }
            }
            serving.get(10, TimeUnit.MINUTES);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "tcp"})
    void accessToDeregisteredMemoryIsRefused(String name) throws Exception {
        try (MemoryServer server = listening(name)) {
            CompletableFuture<Void> serving = served(server);
            try (DistantFabric.Server distant = connect(name, server);
                    Fabric fabric = distant.open()) {
                RemoteRegion region = fabric.register(fabric.allocate(64));
                fabric.deregister(region);
                fabric.run(1, client -> {
                    Completions completions = new Completions(1);
                    try (QueuePair queuePair = client.connect(client.allocate(64), new ConnectionOptions(1, 1))) {
                        queuePair.read(1, 0, region.address(), region.key(), 8, true);
                        queuePair.doorbell();
                        queuePair.await(completions);
                    }
                    assertThat(completions.status(0)).isEqualTo(Completions.Status.REMOTE_ACCESS_ERROR);
                });
            }
            serving.get(10, TimeUnit.MINUTES);
        }
    }

    /** Memory without a region could not be released by a request. */
    @Test
    void memoryThatCannotBeRegisteredIsFreed() throws Exception {
        CountingServer watched = new CountingServer(1);
        try (MemoryServer server = new MemoryServer("shm", new InetSocketAddress("127.0.0.1", 0), (_, _) -> watched)) {
            CompletableFuture<Void> serving = served(server);
            try (DistantFabric.Server distant = connect("shm", server);
                    Fabric fabric = distant.open()) {
                fabric.register(fabric.allocate(64));
                assertThatThrownBy(() -> fabric.register(fabric.allocate(64)))
                        .hasMessageContaining("no room for a region");
                assertThat(watched.memories()).hasSize(1);
                assertThat(watched.regions()).hasSize(1);
            }
            serving.get(10, TimeUnit.MINUTES);
        }
    }

    private static MemorySegment read(Client client, RemoteRegion region) throws FabricException {
        int chunk = 64 << 10;
        MemorySegment local = client.allocate(region.bytes());
        Completions completions = new Completions(1);
        try (QueuePair queuePair = client.connect(local, new ConnectionOptions(1, 1))) {
            for (long at = 0; at < region.bytes(); at += chunk) {
                int bytes = (int) Math.min(chunk, region.bytes() - at);
                queuePair.read(1, at, region.address() + at, region.key(), bytes, true);
                queuePair.doorbell();
                queuePair.await(completions);
                assertThat(completions.status(0)).isEqualTo(Completions.Status.SUCCESS);
            }
        }
        return local;
    }

    @Test
    void aMissingTokenOrOtherFabricIsRejectedAndTheNextClientServed() throws Exception {
        try (MemoryServer server = listening("shm")) {
            CompletableFuture<Void> serving = served(server);
            URI uri = URI.create("tcp://" + server.address());
            assertThatThrownBy(() -> new DistantFabric.Server("shm", uri.getHost(), uri.getPort(), Secret.random()))
                    .isInstanceOf(FabricException.class)
                    .hasMessageEndingWith("wrong token: use the one that the server printed");
            assertThatThrownBy(() -> connect("tcp", server))
                    .isInstanceOf(FabricException.class)
                    .hasMessageEndingWith("refused: it serves shm, not tcp");
            connect("shm", server).close();
            serving.get(10, TimeUnit.MINUTES);
        }
    }

    @Test
    void aLostOtherSideEndsTheServerWithOneSentence() throws Exception {
        try (MemoryServer server = listening("shm")) {
            CompletableFuture<Void> serving = served(server);
            URI uri = URI.create("tcp://" + server.address());
            try (MessageConnection connection =
                    MessageConnection.connect(uri.getHost(), uri.getPort(), server.token(), List.of("shm"))) {
                assertThat(connection.receive()).isNotNull();
            }
            assertThatThrownBy(() -> serving.get(10, TimeUnit.MINUTES))
                    .hasRootCauseMessage("the other process ended before it was done");
        }
    }
}
