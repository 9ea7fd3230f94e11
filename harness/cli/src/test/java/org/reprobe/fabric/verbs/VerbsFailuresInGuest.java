package org.reprobe.fabric.verbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.reprobe.fabric.ClientProgram;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients.Group;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Server;
import org.reprobe.fabric.Servers;
import org.reprobe.fabric.Serving;
import org.reprobe.fabric.verbs.ServerInGuest.Served;
import org.reprobe.run.process.OwnJvm;
import org.reprobe.verbs.ExaminedDevice;
import org.reprobe.verbs.WriteOrder;

/** Failures of real machines end the run, within the deadline, with verbs' own error and a hint. */
class VerbsFailuresInGuest {
    /** Limit of a server process's uverbs objects; a connection has two, a queue pair and its completion queue. */
    private static final int MAX_OBJECTS = 30;

    private static final ConnectionOptions OPTIONS = new ConnectionOptions(16, 4);

    /** Process shared by several tests: starting Java takes long in the virtual machine. */
    private static @Nullable Process process;

    private static @Nullable Served served;

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void close() throws Exception {
        for (AutoCloseable open : opened.reversed()) {
            open.close();
        }
    }

    private VerbsServer server() throws FabricException {
        VerbsServer server = new VerbsServer();
        opened.add(server);
        return server;
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertThatRun(
            String endpoint, int clients, ClientProgram program) {
        return assertThatThrownBy(() -> {
                    try (VerbsClients here = new VerbsClients(Servers.one(endpoint))) {
                        here.run(Group.alone(clients), program);
                    }
                })
                .isInstanceOf(FabricException.class);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertThatConnecting(VerbsEndpoint endpoint) {
        return assertThatRun(endpoint.toString(), 1, client -> client.connect(client.allocate(64), OPTIONS));
    }

    /** Software RDMA guarantees none: the device, the server's memory and a connection to it agree. */
    @Test
    void theReceivingCardDeterminesTheOrderOfWrites() throws Exception {
        assertThat(ExaminedDevice.all()).extracting(ExaminedDevice::writes).containsOnly(WriteOrder.ANY);
        VerbsServer server = server();
        assertThat(server.writesLandInOrder()).isFalse();
        AtomicReference<@Nullable Boolean> reported = new AtomicReference<>();
        try (VerbsClients here = new VerbsClients(Servers.one(server.endpoint()))) {
            here.run(
                    Group.alone(1),
                    client -> reported.set(client.connect(client.allocate(64), ConnectionOptions.oneSided(16, 4))
                            .writesLandInOrder()));
        }
        assertThat(reported).hasValue(false);
    }

    @Test
    void anAddressWithoutARouteIsUnreachable() throws Exception {
        assertThatConnecting(new VerbsEndpoint(InetAddress.getByName("192.0.2.1"), 1, 1, 0))
                .hasMessageContaining("ENETUNREACH");
    }

    @Test
    void anUnassignedAddressIsAnAddressError() throws Exception {
        String neighbour = System.getenv("REPROBE_VM_ADDRESS").replaceFirst("\\d+$", "99");
        assertThatConnecting(new VerbsEndpoint(InetAddress.getByName(neighbour), 1, 1, 0))
                .hasMessageContaining("RDMA_CM_EVENT_ADDR_ERROR")
                .hasMessageContaining("./run.sh doctor");
    }

    @Test
    void aServerThatHasGoneIsNotThere() throws Exception {
        VerbsServer server = new VerbsServer();
        VerbsEndpoint endpoint = VerbsEndpoint.parse(server.endpoint());
        server.close();
        assertThatConnecting(endpoint)
                .hasMessageContaining("TCP port " + endpoint.controlPort())
                .hasMessageContaining("Connection refused")
                .hasMessageContaining("check that it runs");
    }

    @Test
    void aPortWithoutListenerIsARejection() throws Exception {
        VerbsEndpoint right = VerbsEndpoint.parse(server().endpoint());
        VerbsEndpoint wrong =
                new VerbsEndpoint(right.address(), right.rdmaPort() ^ 1, right.controlPort(), right.token());
        assertThatConnecting(wrong).hasMessageContaining("RDMA_CM_EVENT_REJECTED: no server listens at this port");
    }

    @Test
    void aWrongTokenIsRefused() throws Exception {
        VerbsEndpoint right = VerbsEndpoint.parse(server().endpoint());
        VerbsEndpoint wrong =
                new VerbsEndpoint(right.address(), right.rdmaPort(), right.controlPort(), right.token() + 1);
        assertThatConnecting(wrong).hasMessageContaining("refuses: wrong token");
    }

    @Test
    void aConnectionWithAnotherTokenIsRejected() throws Exception {
        VerbsEndpoint right = VerbsEndpoint.parse(server().endpoint());
        // Two servers: the TCP connection leads to the one, RDMA to the other.
        VerbsEndpoint other = VerbsEndpoint.parse(server().endpoint());
        VerbsEndpoint mixed = new VerbsEndpoint(right.address(), other.rdmaPort(), right.controlPort(), right.token());
        assertThatConnecting(mixed).hasMessageContaining("RDMA_CM_EVENT_REJECTED: the server refuses: wrong token");
    }

    @Test
    void aBrokenQueuePairEndsTheRun() throws Exception {
        VerbsServer server = server();
        RemoteRegion region = server.register(server.allocate(4096));
        assertThatRun(server.endpoint(), 2, client -> {
                    QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                    if (client.index() == 1) {
                        queuePair.read(0, 0, region.address() + 4096, region.key(), 8, true);
                        succeeds(queuePair);
                    }
                    readForEver(queuePair, region);
                })
                .hasMessageContaining("IBV_WC_REM_ACCESS_ERR")
                .hasMessageContaining("wrong key, out of bounds");
    }

    @Test
    void aRegionThatIsTakenAwayEndsTheRun() throws Exception {
        VerbsServer server = server();
        RemoteRegion region = server.register(server.allocate(4096));
        assertThatRun(server.endpoint(), 1, client -> {
                    QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                    queuePair.read(0, 0, region.address(), region.key(), 8, true);
                    succeeds(queuePair);
                    server.deregister(region);
                    readForEver(queuePair, region);
                })
                .hasMessageContaining("IBV_WC_REM_ACCESS_ERR");
    }

    @Test
    void moreOutstandingReadsThanTheDeviceAllowsAreRefusedWithItsLimit() throws Exception {
        assertThatRun(
                        server().endpoint(),
                        1,
                        client -> client.connect(client.allocate(64), new ConnectionOptions(512, 200)))
                .hasMessageContaining("200 outstanding READs are not possible: rxe0 allows 1 to 128");
    }

    /** The kernel limits the number of the server process's objects of the device. */
    @Test
    void connectionsBeyondTheServersLimitAreRejectedWithItsReason() throws Exception {
        Served there = process();
        assertThatRun(there.endpoint(), MAX_OBJECTS, client -> {
                    QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                    readForEver(queuePair, there.region());
                })
                .hasMessageContaining("RDMA_CM_EVENT_REJECTED: the server refuses: making a queue pair")
                .hasMessageContaining("EAGAIN");
    }

    @Test
    void theServersDeathEndsTheRun() throws Exception {
        Served there = process();
        assertThatRun(there.endpoint(), 2, client -> {
                    QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                    for (int i = 0; i < 100; i++) {
                        queuePair.read(
                                0, 0, there.region().address(), there.region().key(), 8, true);
                        succeeds(queuePair);
                    }
                    client.barrier();
                    if (client.index() == 0) {
                        kill();
                    }
                    readForEver(queuePair, there.region());
                })
                .hasMessageContaining("RDMA_CM_EVENT_DISCONNECTED")
                .hasMessageContaining("its process died");
    }

    /** After SIGKILL of a process of clients, the server program ends without them, and others are served. */
    @Test
    void aKilledClientsProcessEndsTheServersProgramInOrder() throws Exception {
        VerbsServer server = server();
        RemoteRegion region = server.register(server.allocate(4096));
        try (Serving program = Serving.begin(server, 1, VerbsFailuresInGuest::acceptUntilTheEnd)) {
            Process clients = clients(server.endpoint(), region);
            opened.add(clients::destroyForcibly);
            assertThat(clients.inputReader().readLine()).isEqualTo(ClientsInGuest.READING);
            clients.destroyForcibly();
            program.await(OwnJvm.patienceMs(60_000));
        }
        try (VerbsClients here = new VerbsClients(Servers.one(server.endpoint()))) {
            here.run(Group.alone(1), client -> {
                QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                queuePair.read(0, 0, region.address(), region.key(), 8, true);
                succeeds(queuePair);
            });
        }
    }

    /** Accepts like programs that continue without dead clients. */
    private static void acceptUntilTheEnd(Server server) throws FabricException {
        Completions none = new Completions(1);
        for (Server.WakeReason reason = server.next(none);
                reason != Server.WakeReason.END;
                reason = server.next(none)) {
            switch (reason) {
                case CONNECTION -> server.accept(server.allocate(64), OPTIONS);
                case GONE -> assertThat(server.gone()).isNotNegative();
                default -> throw new FabricException("unexpected wake reason " + reason);
            }
        }
    }

    private static Process clients(String endpoint, RemoteRegion region) throws IOException {
        List<String> command = OwnJvm.java();
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ClientsInGuest.class.getName(),
                endpoint,
                "" + region.address(),
                "" + region.bytes(),
                "" + region.key()));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    static void readForEver(QueuePair queuePair, RemoteRegion region) throws FabricException {
        while (true) {
            queuePair.read(0, 0, region.address(), region.key(), 8, true);
            succeeds(queuePair);
        }
    }

    /** Posts the appended requests; the completion must be successful. */
    static void succeeds(QueuePair queuePair) throws FabricException {
        Completions completions = new Completions(1);
        queuePair.doorbell();
        queuePair.await(completions);
        if (completions.status(0) != Completions.Status.SUCCESS) {
            throw new FabricException(completions.status(0).text());
        }
    }

    private static Served process() throws Exception {
        Served there = served;
        if (there == null) {
            there = start();
            served = there;
        }
        return there;
    }

    private static Served start() throws Exception {
        Path groups = Path.of("/sys/fs/cgroup/reprobe");
        Path folder = Files.createTempDirectory("served");
        limit(groups);
        String serve = "echo $$ >" + groups + "/cgroup.procs; exec \"$@\"";
        List<String> command = new ArrayList<>(List.of("bash", "-c", serve, "serve"));
        command.addAll(OwnJvm.java());
        command.addAll(List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                ServerInGuest.class.getName(),
                folder.toString()));
        process = new ProcessBuilder(command).inheritIO().start();
        return Served.await(folder);
    }

    private static void limit(Path groups) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(
                                "mount",
                                "-t",
                                "cgroup2",
                                "cgroup",
                                groups.getParent().toString())
                        .inheritIO()
                        .start()
                        .waitFor())
                .isZero();
        Files.writeString(groups.resolveSibling("cgroup.subtree_control"), "+rdma");
        Files.createDirectory(groups);
        Files.writeString(groups.resolve("rdma.max"), "rxe0 hca_object=" + MAX_OBJECTS);
    }

    private static void kill() {
        Process running = process;
        if (running != null) {
            running.destroyForcibly(); // kill -9
        }
    }
}
