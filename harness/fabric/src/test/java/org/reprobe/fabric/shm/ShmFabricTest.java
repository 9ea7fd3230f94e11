package org.reprobe.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.RunEndedException;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.shm.ShmPeer.Started;
import org.reprobe.testing.Background;
import org.reprobe.testing.Seeds;

/** Behaviour beyond the contract: other processes, their deaths, changing regions. */
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ShmFabricTest {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;

    @TempDir
    private Path place;

    private void assertNothingIsLeft() {
        assertThat(place).isEmptyDirectory();
    }

    private static Status awaitOne(QueuePair queuePair) throws FabricException {
        Completions completions = new Completions(1);
        queuePair.doorbell();
        assertThat(queuePair.await(completions)).isEqualTo(1);
        return completions.status(0);
    }

    @Test
    void twoProcessesThatSwapOneWordLoseNoUpdate() throws Exception {
        int additions = 20_000;
        try (ShmServer server = ShmServer.open(place)) {
            MemorySegment memory = server.allocate(64);
            RemoteRegion region = server.register(memory);
            try (Started other = new Started("add", server.endpoint(), region.address(), region.key(), additions);
                    ShmClients clients = ShmClients.connect(Servers.one(server.endpoint()))) {
                clients.run(FabricClients.Group.alone(2), client -> {
                    while (memory.get(LONG, 0) == 0) {
                        client.pause(1000); // so that both are at it together
                    }
                    ShmPeer.add(client, region, additions);
                });
                assertThat(other.line()).isEqualTo("added");
                assertThat(other.exitCode()).isZero();
            }
            assertThat(memory.get(LONG, 0)).isEqualTo(4L * additions);
        }
        assertNothingIsLeft();
    }

    @Test
    void aClientReadsTheMemoryOfAServerInAnotherProcess() throws Exception {
        try (Started server = new Started("serve", place)) {
            String[] found = server.line().split(" ");
            try (ShmClients clients = ShmClients.connect(Servers.one(found[0]))) {
                clients.run(FabricClients.Group.alone(1), client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair queuePair = client.connect(local, ShmPeer.OPTIONS);
                    queuePair.read(1, 8, Long.parseLong(found[1]), Integer.parseInt(found[2]), 8, true);
                    assertThat(awaitOne(queuePair)).isEqualTo(Status.SUCCESS);
                    assertThat(local.get(LONG, 8)).isEqualTo(4711);
                });
            }
            assertThat(server.exitCode()).isZero();
        }
        assertNothingIsLeft();
    }

    @Test
    void clientsOfAKilledServerSaySoAndRemoveItsFiles() throws Exception {
        try (Started server = new Started("serve", place)) {
            String endpoint = server.line().split(" ")[0];
            try (ShmClients clients = ShmClients.connect(Servers.one(endpoint))) {
                assertThatThrownBy(() -> clients.run(FabricClients.Group.alone(2), client -> {
                            QueuePair queuePair = client.connect(client.allocate(64), ShmPeer.OPTIONS);
                            queuePair.receive(1, 0, 8);
                            if (client.index() == 0) {
                                server.kill();
                            }
                            queuePair.await(new Completions(1));
                        }))
                        .isInstanceOf(FabricException.class)
                        .hasMessage("the server process " + server.pid() + " has died");
            }
            assertNothingIsLeft();
            assertThatThrownBy(() -> ShmClients.connect(Servers.one(endpoint))).hasMessageContaining("it has ended");
        }
    }

    /** The lost server's memory keeps its content; only the surviving clients write to it. */
    @Test
    void clientsContinueAfterTheKillOfAServerThatMayBeLost() throws Exception {
        try (Started server = new Started("serve", place)) {
            String[] words = server.line().split(" ", -1);
            RemoteRegion region = new RemoteRegion(Long.parseLong(words[1]), 64, Integer.parseInt(words[2]));
            Servers lost = new Servers(List.of(words[0]), Servers.NONE, true);
            try (ShmClients clients = ShmClients.connect(lost)) {
                clients.run(FabricClients.Group.alone(1), client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair queuePair = client.connect(local, ConnectionOptions.oneSided(1, 1));
                    server.kill();
                    client.pause(500_000_000); // longer than it takes to see that it is gone
                    queuePair.read(1, 0, region.address(), region.key(), 8, true);
                    queuePair.doorbell();
                    Completions completions = new Completions(1);
                    queuePair.await(completions);
                    assertThat(completions.status(0)).isEqualTo(Status.SUCCESS);
                    assertThat(local.get(ValueLayout.JAVA_LONG, 0)).isEqualTo(4711);
                });
            }
            assertNothingIsLeft();
        }
    }

    /** Memory of the lost server stays accessible by the connections to it. */
    @Test
    void laterConnectionsReachTheProcessThatReplacesALostServer() throws Exception {
        try (Started server = new Started("serve", place);
                Started next = new Started("serve", place)) {
            String[] words = server.line().split(" ", -1);
            String[] others = next.line().split(" ", -1);
            try (ShmClients clients = ShmClients.connect(new Servers(List.of(words[0]), Servers.NONE, true))) {
                clients.run(FabricClients.Group.alone(1), client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair toLost = client.connect(local, ConnectionOptions.oneSided(1, 1));
                    server.kill();
                    clients.restarted(0, others[0]);
                    readOne(toLost, words);
                    readOne(client.connect(local, ConnectionOptions.oneSided(1, 1)), others);
                });
            }
        }
    }

    private static void readOne(QueuePair queuePair, String[] words) throws FabricException {
        queuePair.read(1, 0, Long.parseLong(words[1]), Integer.parseInt(words[2]), 8, true);
        queuePair.doorbell();
        Completions completions = new Completions(1);
        queuePair.await(completions);
        assertThat(completions.status(0)).isEqualTo(Status.SUCCESS);
    }

    @Test
    void aServerReportsItsKilledClient() throws Exception {
        try (ShmServer server = ShmServer.open(place);
                Started client = new Started("hang", server.endpoint())) {
            assertThatThrownBy(() -> server.serve(1, program -> {
                        program.accept(program.allocate(64), ShmPeer.OPTIONS);
                        try {
                            assertThat(client.line()).isEqualTo("waits");
                        } catch (java.io.IOException e) {
                            throw new FabricException("no word from the client", e);
                        }
                        client.kill();
                        program.await(new Completions(1));
                    }))
                    .isInstanceOf(RunEndedException.class) // no failure of the program's own
                    .hasMessage("the client process " + client.pid() + " has died");
        }
        assertNothingIsLeft();
    }

    @Test
    void clientsGetTheServerProgramsFailure() throws Exception {
        try (ShmServer server = ShmServer.open(place);
                Started client = new Started("hang", server.endpoint())) {
            assertThatThrownBy(() -> server.serve(1, program -> {
                        program.accept(program.allocate(64), ShmPeer.OPTIONS);
                        throw new FabricException("the table is full");
                    }))
                    .hasMessage("the table is full");
            assertThat(client.line()).isEqualTo("waits");
            assertThat(client.line()).isEqualTo("the server program failed: the table is full");
        }
    }

    @Test
    void theNextServerRemovesWhatAKilledOneLeftAndNothingElse() throws Exception {
        String left;
        try (Started killed = new Started("serve", place)) {
            left = killed.line().split(" ")[0];
            killed.kill();
            killed.exitCode();
        }
        assertThat(Path.of(java.net.URI.create(left))).isDirectory();
        Path others = Files.createDirectory(place.resolve("reprobe-of-another-user"));
        try (ShmServer first = ShmServer.open(place);
                ShmServer second = ShmServer.open(place)) {
            assertThat(Path.of(java.net.URI.create(left))).doesNotExist();
            assertThat(first.path()).isDirectory();
            assertThat(second.path()).isDirectory();
        }
        assertThat(others).isDirectory();
    }

    @Test
    void aServersFilesAreForItsUserAlone() throws Exception {
        try (ShmServer server = ShmServer.open(place)) {
            server.allocate(64);
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(server.path())))
                    .isEqualTo("rwx------");
            try (var files = Files.list(server.path())) {
                assertThat(files)
                        .hasSize(2)
                        .allSatisfy(
                                file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                                        .isEqualTo("rw-------"));
            }
        }
    }

    @Test
    void aDeregisteredRegionIsRefusedAndItsPlaceGivenToTheNext() throws Exception {
        try (ShmServer server = ShmServer.open(place)) {
            MemorySegment first = server.allocate(4096);
            MemorySegment second = server.allocate(4096);
            second.set(LONG, 0, 2);
            RemoteRegion old = server.register(first);
            try (ShmClients clients = ShmClients.connect(Servers.one(server.endpoint()))) {
                clients.run(FabricClients.Group.alone(1), client -> {
                    MemorySegment local = client.allocate(64);
                    QueuePair before = client.connect(local, ShmPeer.OPTIONS);
                    before.read(1, 0, old.address(), old.key(), 8, true);
                    assertThat(awaitOne(before)).isEqualTo(Status.SUCCESS);
                    server.deregister(old);
                    server.free(first);
                    before.read(1, 0, old.address(), old.key(), 8, true);
                    assertThat(awaitOne(before)).isEqualTo(Status.REMOTE_ACCESS_ERROR);

                    RemoteRegion now = server.register(second);
                    QueuePair after = client.connect(local, ShmPeer.OPTIONS);
                    after.read(1, 0, now.address(), now.key(), 8, true);
                    assertThat(awaitOne(after)).isEqualTo(Status.SUCCESS);
                    assertThat(local.get(LONG, 0)).isEqualTo(2);
                    after.read(1, 0, old.address(), old.key(), 8, true);
                    assertThat(awaitOne(after)).isEqualTo(Status.REMOTE_ACCESS_ERROR);
                });
            }
        }
    }

    @Test
    void registeredMemoryIsNotFreed() throws Exception {
        try (ShmServer server = ShmServer.open(place)) {
            MemorySegment memory = server.allocate(4096);
            RemoteRegion region = server.register(memory.asSlice(64, 64));
            assertThatThrownBy(() -> server.free(memory)).isInstanceOf(IllegalStateException.class);
            server.deregister(region);
            server.free(memory);
        }
    }

    @Test
    void moreMemoryThanThereIsIsRefusedInOneSentence() throws Exception {
        try (ShmServer server = ShmServer.open(place)) {
            assertThatThrownBy(() -> server.allocate(1L << 50))
                    .isInstanceOf(FabricException.class)
                    .hasMessageMatching("no shared memory for 1073741824 MiB: .* has \\d+ MiB left");
        }
        assertNothingIsLeft();
    }

    /**
     * 8 bytes are atomic, longer READs are not: a reader sees parts of two WRITEs. Copying dominates both clients'
     * time, so even on one processor about every second thread switch interrupts a copy.
     */
    @Test
    void aReadOfManyWordsCanBeTorn() throws Exception {
        int bytes = 64 * 1024;
        try (ShmServer server = ShmServer.open(place)) {
            RemoteRegion region = server.register(server.allocate(bytes));
            AtomicBoolean torn = new AtomicBoolean();
            try (ShmClients clients = ShmClients.connect(Servers.one(server.endpoint()))) {
                clients.run(FabricClients.Group.alone(2), client -> {
                    MemorySegment local = client.allocate(bytes);
                    QueuePair queuePair = client.connect(local, new ConnectionOptions(1, 1));
                    for (byte value = 0; !torn.get(); value++) {
                        if (client.index() == 0) {
                            local.fill(value);
                            queuePair.write(1, 0, region.address(), region.key(), bytes, true);
                            assertThat(awaitOne(queuePair)).isEqualTo(Status.SUCCESS);
                        } else {
                            queuePair.read(1, 0, region.address(), region.key(), bytes, true);
                            assertThat(awaitOne(queuePair)).isEqualTo(Status.SUCCESS);
                            torn.set(local.get(LONG, 0) != local.get(LONG, bytes - 8));
                        }
                    }
                    // Every word is whole, also in a READ that saw two WRITEs.
                    for (int at = 0; at < bytes; at += 8) {
                        long word = local.get(LONG, at);
                        if (word != (word & 0xFF) * 0x0101010101010101L) {
                            throw new AssertionError("word " + at / 8 + " is torn: " + Long.toHexString(word));
                        }
                    }
                });
            }
            assertThat(torn).isTrue();
        }
    }

    /** Messages longer than the ring arrive whole and in order. */
    @Test
    void longMessagesArriveWhole() throws Exception {
        long seed = Seeds.seed();
        int max = 200_000;
        int messages = 300;
        try (ShmServer server = ShmServer.open(place);
                ShmClients clients = ShmClients.connect(Servers.one(server.endpoint()))) {
            AtomicLong arrived = new AtomicLong();
            Background serving = Background.start(() -> server.serve(1, program -> {
                SplittableRandom random = new SplittableRandom(seed);
                MemorySegment local = program.allocate(2L * max);
                QueuePair end = program.accept(local, new ConnectionOptions(4, 1, 2));
                assertThat(end).isNotNull();
                end.receive(0, 0, max);
                end.receive(1, max, max);
                Completions completions = new Completions(1);
                while (program.await(completions) > 0) {
                    int bytes = length(random, max);
                    assertThat(completions.receivedBytes(0))
                            .as("replay with -Dreprobe.seed=%d", seed)
                            .isEqualTo(bytes);
                    long at = completions.id(0) * max;
                    for (int i = 0; i < bytes; i += 977) {
                        assertThat(local.get(ValueLayout.JAVA_BYTE, at + i)).isEqualTo((byte) (arrived.get() + i));
                    }
                    arrived.incrementAndGet();
                    end.receive(completions.id(0), at, max);
                }
            }));
            clients.run(FabricClients.Group.alone(1), client -> {
                SplittableRandom random = new SplittableRandom(seed);
                MemorySegment local = client.allocate(max);
                QueuePair queuePair = client.connect(local, new ConnectionOptions(1, 1));
                for (int message = 0; message < messages; message++) {
                    int bytes = length(random, max);
                    for (int i = 0; i < bytes; i += 977) {
                        local.set(ValueLayout.JAVA_BYTE, i, (byte) (message + i));
                    }
                    queuePair.send(message, 0, bytes, true);
                    assertThat(awaitOne(queuePair)).isEqualTo(Status.SUCCESS);
                }
            });
            serving.join();
            assertThat(arrived).as("replay with -Dreprobe.seed=%d", seed).hasValue(messages);
        }
    }

    private static int length(SplittableRandom random, int max) {
        return random.nextInt(4) == 0 ? random.nextInt(max + 1) : random.nextInt(300);
    }

    @Test
    void aServerProgramAfterAPassiveRunServesItsOwnClientsAlone() throws Exception {
        try (ShmServer server = ShmServer.open(place)) {
            try (ShmClients clients = ShmClients.connect(Servers.one(server.endpoint()))) {
                clients.run(
                        FabricClients.Group.alone(2), client -> client.connect(client.allocate(64), ShmPeer.OPTIONS));
            }
            AtomicLong accepted = new AtomicLong();
            String endpoint = server.endpoint();
            Background serving = Background.start(() -> server.serve(1, program -> {
                while (program.accept(program.allocate(64), ShmPeer.OPTIONS) != null) {
                    accepted.incrementAndGet();
                }
            }));
            try (ShmClients clients = ShmClients.connect(Servers.one(endpoint))) {
                clients.run(
                        FabricClients.Group.alone(1), client -> client.connect(client.allocate(64), ShmPeer.OPTIONS));
            }
            serving.join();
            assertThat(accepted).hasValue(1);
        }
    }

    @Test
    void invalidEndpointsAreRefused() {
        assertThatThrownBy(() -> ShmClients.connect(Servers.one("tcp:localhost:1")))
                .isInstanceOf(FabricException.class)
                .hasMessage("'tcp:localhost:1' is not the endpoint of a server with shared memory");
    }
}
