package org.reprobe.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.lang.foreign.MemorySegment;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.Completions.Status;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricClients;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.RunEndedException;
import org.reprobe.fabric.Servers;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;
import org.reprobe.trust.Handshake;
import org.reprobe.trust.Secret;

/**
 * Dead and hung servers, lost clients, unauthenticated connections: each ends only what depends on it, with one
 * sentence.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class TcpFailureTest {
    /** Limits long enough that a busy machine is neither hung nor unauthenticated. */
    private static final TcpSettings SETTINGS =
            TcpSettings.defaults().withSilence(Duration.ofMinutes(2)).withGreeting(Duration.ofMinutes(2));

    private static final ConnectionOptions OPTIONS = new ConnectionOptions(16, 16, 4);

    private static FabricClients.Group group(int clients) {
        return new FabricClients.Group(0, clients, clients, () -> {});
    }

    private static void read(QueuePair queuePair, RemoteRegion region) throws FabricException {
        queuePair.read(1, 0, region.address(), region.key(), 8, true);
        queuePair.doorbell();
        Completions completions = new Completions(1);
        queuePair.await(completions);
        assertThat(completions.status(0)).isEqualTo(Status.SUCCESS);
    }

    @Test
    void aKilledServerEndsTheRun() throws Exception {
        TcpServer server = TcpServer.onLoopback(SETTINGS);
        RemoteRegion region = server.register(server.allocate(64));
        CountDownLatch reading = new CountDownLatch(2); // both clients are connected by then
        FutureTask<@Nullable Void> killing = new FutureTask<>(() -> {
            reading.await();
            server.close();
            return null;
        });
        Thread.ofPlatform().start(killing);
        try (TcpClients clients = new TcpClients(Servers.one(server.endpoint()), SETTINGS)) {
            assertThatThrownBy(() -> clients.run(group(2), client -> {
                        QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                        read(queuePair, region);
                        reading.countDown();
                        while (true) {
                            read(queuePair, region);
                        }
                    }))
                    .isInstanceOf(FabricException.class)
                    .hasMessageMatching("the connection to the server at 127.0.0.1:\\d+ was lost.*");
        }
        killing.get();
    }

    /** Its pending and later requests are flushed at once; the other server is read as before. */
    @Test
    void aServerThatMayBeLostEndsItsConnectionsAlone() throws Exception {
        TcpServer lost = TcpServer.onLoopback(SETTINGS);
        try (TcpServer stays = TcpServer.onLoopback(SETTINGS)) {
            RemoteRegion there = lost.register(lost.allocate(64));
            RemoteRegion here = stays.register(stays.allocate(64));
            Servers both = new Servers(List.of(lost.endpoint(), stays.endpoint()), Servers.NONE, true);
            try (TcpClients clients = new TcpClients(both, SETTINGS)) {
                clients.run(group(1), client -> {
                    QueuePair toLost = client.connect(0, client.allocate(64), OPTIONS);
                    QueuePair other = client.connect(1, client.allocate(64), OPTIONS);
                    read(toLost, there);
                    lost.close();
                    Completions completions = new Completions(4);
                    for (int i = 0; i < 3; i++) {
                        toLost.read(7 + i, 0, there.address(), there.key(), 8, true);
                        toLost.doorbell();
                        client.await(completions);
                        assertThat(completions.count()).isEqualTo(1);
                        assertThat(completions.id(0)).isEqualTo(7 + i);
                        assertThat(completions.status(0)).isEqualTo(Status.FLUSHED);
                        read(other, here);
                    }
                });
            }
        }
    }

    @Test
    void laterConnectionsReachTheProcessThatReplacesALostServer() throws Exception {
        TcpServer lost = TcpServer.onLoopback(SETTINGS);
        try (TcpServer stays = TcpServer.onLoopback(SETTINGS);
                TcpServer next = TcpServer.onLoopback(SETTINGS)) {
            RemoteRegion there = lost.register(lost.allocate(64));
            RemoteRegion here = next.register(next.allocate(64));
            Servers both = new Servers(List.of(lost.endpoint(), stays.endpoint()), Servers.NONE, true);
            try (TcpClients clients = new TcpClients(both, SETTINGS)) {
                clients.run(group(1), client -> {
                    read(client.connect(0, client.allocate(64), OPTIONS), there);
                    lost.close();
                    clients.restarted(0, next.endpoint());
                    read(client.connect(0, client.allocate(64), OPTIONS), here);
                });
            }
        }
    }

    /** A request in the socket of an ended process may still change memory. */
    @Test
    void theEndOfAProcessIsAwaitedUntilItsConnectionsAreClosed() throws Exception {
        try (TcpServer server = TcpServer.onLoopback(SETTINGS)) {
            RemoteRegion region = server.register(server.allocate(64));
            FutureTask<@Nullable Void> ended = new FutureTask<>(() -> {
                server.awaitEnded(0, 1);
                return null;
            });
            try (TcpClients clients = new TcpClients(Servers.one(server.endpoint()), SETTINGS)) {
                clients.run(group(1), client -> {
                    read(client.connect(client.allocate(64), OPTIONS), region);
                    Thread.ofPlatform().start(ended);
                    client.pause(50_000_000);
                    assertThat(ended.isDone()).isFalse();
                    try {
                        server.awaitEnded(1, 3); // those of another process
                    } catch (InterruptedException e) {
                        throw new FabricException("interrupted", e);
                    }
                });
            }
            ended.get();
        }
    }

    /** A server process killed without notice, while one client waits for a READ, one pauses and one computes. */
    @Test
    void aKilledServerProcessEndsAllClientsWhateverTheyDo() throws Exception {
        List<String> command = Project.java();
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), LonelyServer.class.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            String endpoint = out.readLine();
            String[] numbers = out.readLine().split(" ", -1);
            RemoteRegion region = new RemoteRegion(Long.parseLong(numbers[0]), 64, Integer.parseInt(numbers[1]));
            CountDownLatch started = new CountDownLatch(3);
            Thread.ofPlatform().start(() -> {
                try {
                    started.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                process.destroyForcibly();
            });
            try (TcpClients clients = new TcpClients(Servers.one(endpoint), SETTINGS)) {
                assertThatThrownBy(() -> clients.run(group(3), client -> {
                            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                            read(queuePair, region);
                            started.countDown();
                            switch (client.index()) {
                                case 0 -> client.pause(TimeUnit.HOURS.toNanos(1));
                                case 1 -> {
                                    queuePair.receive(1, 0, 8);
                                    queuePair.await(new Completions(1));
                                }
                                default -> {
                                    while (true) {
                                        read(queuePair, region);
                                    }
                                }
                            }
                        }))
                        .isInstanceOf(FabricException.class)
                        .hasMessageMatching("the connection to the server at 127.0.0.1:\\d+ was lost.*");
            }
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Server process that prints its endpoint and region and waits to be killed. */
    static final class LonelyServer {
        private LonelyServer() {}

        @SuppressWarnings("SystemOut")
        public static void main(String[] args) throws Exception {
            TcpServer server = TcpServer.onLoopback(SETTINGS);
            RemoteRegion region = server.register(server.allocate(64));
            System.out.println(server.endpoint());
            System.out.println(region.address() + " " + region.key());
            Thread.sleep(Duration.ofMinutes(10));
        }
    }

    @Test
    void aServerThatHangsEndsTheWait() throws Exception {
        try (ServerSocket hung = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            List<Socket> kept = new CopyOnWriteArrayList<>(); // an unreferenced socket closes itself
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        Socket socket = hung.accept();
                        kept.add(socket);
                        byte[] hello = socket.getInputStream().readNBytes(40);
                        byte[] nonce = new byte[Handshake.NONCE_BYTES];
                        Handshake handshake =
                                new Handshake(Secret.of("0".repeat(32)), Arrays.copyOfRange(hello, 24, 40), nonce);
                        socket.getOutputStream().write(frames(word(Frames.CHALLENGE, 0), nonce));
                        socket.getInputStream().readNBytes(40);
                        socket.getOutputStream().write(frames(word(Frames.WELCOME, 0), handshake.serverProof()));
                    }
                } catch (IOException e) {
                    // The test is over.
                }
            });
            String endpoint = "127.0.0.1:" + hung.getLocalPort() + "#" + "0".repeat(32);
            TcpSettings impatient = SETTINGS.withSilence(Duration.ofMillis(200));
            try (TcpClients clients = new TcpClients(Servers.one(endpoint), impatient)) {
                assertThatThrownBy(() -> clients.run(group(2), client -> {
                            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                            queuePair.read(1, 0, 0, 0, 8, true);
                            queuePair.doorbell();
                            queuePair.await(new Completions(1));
                        }))
                        .isInstanceOf(FabricException.class)
                        .hasMessageContaining("for 200 ms: the server hangs");
            }
            assertThat(kept).isNotEmpty();
        }
    }

    @Test
    @Nightly(besides = "a killed server process ends all clients")
    void aServerThatOnlyHasNothingToSayIsNotTakenForHung() throws Exception {
        TcpSettings impatient = SETTINGS.withSilence(Duration.ofMillis(4000));
        try (TcpServer server = TcpServer.onLoopback(impatient);
                TcpClients clients = new TcpClients(Servers.one(server.endpoint()), impatient)) {
            assertThatThrownBy(() -> {
                        Thread main = Thread.currentThread();
                        clients.run(group(1), client -> {
                            QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                            queuePair.receive(1, 0, 8);
                            Thread.ofVirtual().start(() -> {
                                try {
                                    Thread.sleep(6000); // a server that hangs would have been noticed
                                } catch (InterruptedException e) {
                                    throw new AssertionError(e);
                                }
                                main.interrupt();
                            });
                            queuePair.await(new Completions(1));
                        });
                    })
                    .isInstanceOf(InterruptedException.class);
        }
    }

    @Test
    void anotherRunsTokenIsRefused() throws Exception {
        try (TcpServer server = TcpServer.onLoopback(SETTINGS)) {
            String endpoint = server.endpoint();
            String wrong = endpoint.substring(0, endpoint.indexOf('#') + 1) + "0".repeat(32);
            try (TcpClients clients = new TcpClients(Servers.one(wrong), SETTINGS)) {
                assertThatThrownBy(() -> clients.run(group(1), client -> {}))
                        .isInstanceOf(FabricException.class)
                        .hasMessageContaining("refused the connection")
                        .hasMessageNotContaining("#");
            }
        }
    }

    @Test
    void aPortWithoutListenerIsReported() throws Exception {
        String endpoint;
        try (TcpServer server = TcpServer.onLoopback(SETTINGS)) {
            endpoint = server.endpoint();
        }
        try (TcpClients clients = new TcpClients(Servers.one(endpoint), SETTINGS)) {
            assertThatThrownBy(() -> clients.run(group(1), client -> {}))
                    .isInstanceOf(FabricException.class)
                    .hasMessageMatching("can't connect to the server at 127.0.0.1:\\d+: no server listens there");
        }
    }

    @ParameterizedTest
    @MethodSource
    void anAddressOfAnotherFormIsRefused(String endpoint, String words) {
        assertThatThrownBy(() -> new TcpClients(Servers.one(endpoint), SETTINGS))
                .isInstanceOf(FabricException.class)
                .hasMessageContaining(words);
    }

    static Stream<Arguments> anAddressOfAnotherFormIsRefused() {
        return Stream.of(
                Arguments.of("", "host:port#token"),
                Arguments.of("somewhere", "host:port#token"),
                Arguments.of("somewhere#00", "host:port#token"),
                Arguments.of("somewhere:x#" + "0".repeat(32), "port"),
                Arguments.of("somewhere:70000#" + "0".repeat(32), "1 to 65535"),
                Arguments.of("somewhere:7000#" + "0".repeat(31), "32 hexadecimal digits"),
                Arguments.of("somewhere:7000#" + "g".repeat(32), "32 hexadecimal digits"));
    }

    @Test
    void aClientThatIsLostEndsTheServersProgram() throws Exception {
        try (TcpServer server = TcpServer.onLoopback(SETTINGS)) {
            FutureTask<@Nullable Void> serving = new FutureTask<>(() -> {
                server.serve(2, here -> {
                    QueuePair end = here.accept(here.allocate(64), OPTIONS);
                    assertThat(end).isNotNull();
                    here.await(new Completions(1));
                });
                return null;
            });
            Thread thread = Thread.ofPlatform().start(serving);
            while (thread.getState() != Thread.State.TIMED_WAITING) {
                Thread.onSpinWait();
            }
            try (Socket _ = greeted(server, Frames.QUEUE_PAIR)) {
                while (server.serving() == null) {
                    Thread.onSpinWait();
                }
            }
            assertThatThrownBy(serving::get)
                    .cause()
                    .isInstanceOf(RunEndedException.class) // no failure of the program's own
                    .hasMessageMatching("the connection to client 0 at 127.0.0.1:\\d+ was lost.*");
        }
    }

    private static byte[] word(int kind, int number) {
        return ByteBuffer.allocate(8)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(Frames.word(kind, number))
                .array();
    }

    private static byte[] frames(byte[]... parts) {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            frames.writeBytes(part);
        }
        return frames.toByteArray();
    }

    private static byte[] frame(long... words) {
        ByteBuffer frame = ByteBuffer.allocate(words.length * 8).order(ByteOrder.LITTLE_ENDIAN);
        for (long word : words) {
            frame.putLong(word);
        }
        return frame.array();
    }

    private static byte[] hello(byte[] nonce, int kind) {
        byte[] hello = frame(Frames.word(Frames.HELLO, 0), Frames.MAGIC, Frames.word(kind, 0), 0, 0, 0, 0, 0, 0);
        System.arraycopy(nonce, 0, hello, 24, nonce.length);
        return hello;
    }

    private static byte[] proof(byte[] proof) {
        byte[] frame = frame(Frames.word(Frames.PROOF, 0), 0, 0, 0, 0);
        System.arraycopy(proof, 0, frame, 8, proof.length);
        return frame;
    }

    /** Performs the handshake up to the point where the client's proof is due. */
    private static Handshake challenged(Socket socket, Secret token, int kind) throws IOException {
        byte[] nonce = Handshake.nonce();
        socket.getOutputStream().write(hello(nonce, kind));
        byte[] challenge = socket.getInputStream().readNBytes(24);
        assertThat(Arrays.copyOf(challenge, 8)).isEqualTo(word(Frames.CHALLENGE, 0));
        return new Handshake(token, nonce, Arrays.copyOfRange(challenge, 8, 24));
    }

    private static Socket greeted(TcpServer server, int kind) throws Exception {
        TcpEndpoint endpoint = TcpEndpoint.parse(server.endpoint());
        Socket socket = new Socket(endpoint.host(), endpoint.port());
        Handshake handshake = challenged(socket, endpoint.token(), kind);
        socket.getOutputStream().write(proof(handshake.clientProof()));
        byte[] welcome = socket.getInputStream().readNBytes(40);
        assertThat(handshake.isServerProof(Arrays.copyOfRange(welcome, 8, 40))).isTrue();
        return socket;
    }

    /** Malicious input before and after authentication. */
    static Stream<Arguments> aHostileConnectionIsClosedWithoutHarm() {
        long read = Frames.word(Frames.READ, 8);
        return Stream.of(
                Arguments.of(
                        "a web browser",
                        false,
                        "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII)),
                Arguments.of("a READ without a greeting", false, frame(read, 0, 0)),
                Arguments.of("another protocol", false, frame(Frames.word(Frames.HELLO, 0), 1, 2, 3, 4, 0, 0, 0, 0)),
                Arguments.of("a proof before the challenge", false, proof(new byte[Handshake.PROOF_BYTES])),
                Arguments.of(
                        "a wrong proof",
                        false,
                        frames(hello(new byte[16], Frames.QUEUE_PAIR), proof(new byte[Handshake.PROOF_BYTES]))),
                Arguments.of(
                        "a second hello",
                        false,
                        frames(hello(new byte[16], Frames.QUEUE_PAIR), hello(new byte[16], Frames.QUEUE_PAIR))),
                Arguments.of("an unknown kind of connection", false, hello(new byte[16], 9)),
                Arguments.of(
                        "a second greeting",
                        true,
                        frame(Frames.word(Frames.HELLO, 0), Frames.MAGIC, 2, 3, 0, 0, 0, 0, 0)),
                Arguments.of("an unknown kind", true, frame(200)),
                Arguments.of("kind zero", true, frame(0, 0, 0)),
                Arguments.of("bits that are zero", true, frame(read | 0x10000, 0, 0)),
                Arguments.of("a negative length", true, frame(Frames.word(Frames.READ, -1), 0, 0)),
                Arguments.of("a key of 64 bits", true, frame(read, 0, -1)),
                Arguments.of("an atomic of 9 bytes", true, frame(Frames.word(Frames.FETCH_AND_ADD, 9), 0, 0, 0)),
                Arguments.of("a SEND without RECEIVE", true, frame(Frames.word(Frames.SEND, 1 << 30))),
                Arguments.of("a reply without a request", true, frame(Frames.word(Frames.RESPONSE, 8), 0)),
                Arguments.of("an unknown status", true, frame(Frames.word(Frames.RESPONSE, 0) | 0xFF00)),
                Arguments.of("an acknowledgement without a request", true, frame(Frames.word(Frames.ACKNOWLEDGE, 3))),
                Arguments.of(
                        "credits without end",
                        true,
                        frame(
                                Frames.word(Frames.CREDIT, Integer.MAX_VALUE),
                                Frames.word(Frames.CREDIT, Integer.MAX_VALUE))),
                Arguments.of("the end of clients that it has not", true, frame(Frames.word(Frames.ENDED, 5))));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void aHostileConnectionIsClosedWithoutHarm(String what, boolean member, byte[] bytes) throws Exception {
        try (TcpServer server = TcpServer.onLoopback(SETTINGS);
                TcpClients clients = new TcpClients(Servers.one(server.endpoint()), SETTINGS)) {
            RemoteRegion region = server.register(server.allocate(64));
            clients.run(group(1), client -> {
                QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                read(queuePair, region);
                // An unauthenticated connection gets a challenge at most.
                assertThat(answerTo(server, member, bytes)).as(what).isLessThanOrEqualTo(24);
                read(queuePair, region);
            });
        }
    }

    private static int answerTo(TcpServer server, boolean member, byte[] bytes) {
        try (Socket socket = member
                ? greeted(server, Frames.QUEUE_PAIR)
                : new Socket("127.0.0.1", TcpEndpoint.parse(server.endpoint()).port())) {
            OutputStream out = socket.getOutputStream();
            out.write(bytes);
            int read = 0;
            try {
                return read + socket.getInputStream().readAllBytes().length;
            } catch (SocketException e) {
                return read; // reset, since it has not read all
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** A program in the server's place that accepts any proof and has none, or echoes the client's. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aServerThatDoesNotKnowTheTokenIsLeft(boolean echoes) throws Exception {
        try (ServerSocket liar = new ServerSocket(0, 8, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> {
                try {
                    while (true) {
                        Socket socket = liar.accept();
                        socket.getInputStream().readNBytes(40);
                        socket.getOutputStream()
                                .write(frames(word(Frames.CHALLENGE, 0), new byte[Handshake.NONCE_BYTES]));
                        byte[] proof = socket.getInputStream().readNBytes(40);
                        socket.getOutputStream()
                                .write(frames(
                                        word(Frames.WELCOME, 0),
                                        echoes ? Arrays.copyOfRange(proof, 8, 40) : new byte[Handshake.PROOF_BYTES]));
                    }
                } catch (IOException e) {
                    // The test is over.
                }
            });
            String endpoint = "127.0.0.1:" + liar.getLocalPort() + "#" + "0".repeat(32);
            try (TcpClients clients = new TcpClients(Servers.one(endpoint), SETTINGS)) {
                assertThatThrownBy(() -> clients.run(group(1), client -> {}))
                        .isInstanceOf(FabricException.class)
                        .hasMessageContaining("the server did not prove the token");
            }
        }
    }

    /** More unauthenticated connections than the server permits must not exclude a member. */
    @Test
    void heldUnauthenticatedConnectionsEvictNoOthers() throws Exception {
        List<Socket> unauthenticated = new ArrayList<>();
        try (TcpServer server = TcpServer.onLoopback(SETTINGS);
                TcpClients clients = new TcpClients(Servers.one(server.endpoint()), SETTINGS)) {
            int port = TcpEndpoint.parse(server.endpoint()).port();
            RemoteRegion region = server.register(server.allocate(64));
            for (int i = 0; i < 700; i++) {
                unauthenticated.add(new Socket("127.0.0.1", port));
            }
            clients.run(group(8), client -> read(client.connect(client.allocate(64), OPTIONS), region));
        } finally {
            for (Socket connection : unauthenticated) {
                connection.close();
            }
        }
    }

    /** Buffers are allocated after authentication: unauthenticated connections must cost little. */
    @Test
    void anUnauthenticatedConnectionUsesLittleMemory() throws Exception {
        int count = 200;
        BufferPoolMXBean direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(pool -> pool.getName().equals("direct"))
                .findFirst()
                .orElseThrow();
        List<Socket> unauthenticated = new ArrayList<>();
        try (TcpServer server = TcpServer.onLoopback(SETTINGS)) {
            int port = TcpEndpoint.parse(server.endpoint()).port();
            long before = direct.getMemoryUsed();
            for (int i = 0; i < count; i++) {
                Socket connection = new Socket("127.0.0.1", port);
                unauthenticated.add(connection);
                connection.getOutputStream().write(hello(Handshake.nonce(), Frames.QUEUE_PAIR));
            }
            for (Socket connection : unauthenticated) {
                assertThat(connection.getInputStream().readNBytes(24)).hasSize(24);
            }
            assertThat((direct.getMemoryUsed() - before) / count).isLessThan(2_048);
        } finally {
            for (Socket connection : unauthenticated) {
                connection.close();
            }
        }
    }

    /** The token is in none of the transmitted bytes, and a recorded greeting can't be replayed. */
    @Test
    void aRecordedGreetingCannotBeReplayed() throws Exception {
        try (TcpServer server = TcpServer.onLoopback(SETTINGS)) {
            TcpEndpoint endpoint = TcpEndpoint.parse(server.endpoint());
            byte[] nonce = Handshake.nonce();
            byte[] proof;
            try (Socket heard = new Socket("127.0.0.1", endpoint.port())) {
                heard.getOutputStream().write(hello(nonce, Frames.ONE_SIDED));
                byte[] challenge = heard.getInputStream().readNBytes(24);
                proof = proof(
                        new Handshake(endpoint.token(), nonce, Arrays.copyOfRange(challenge, 8, 24)).clientProof());
                heard.getOutputStream().write(proof);
                assertThat(heard.getInputStream().readNBytes(40)).hasSize(40);
            }
            try (Socket again = new Socket("127.0.0.1", endpoint.port())) {
                again.getOutputStream().write(hello(nonce, Frames.ONE_SIDED));
                assertThat(again.getInputStream().readNBytes(24)).hasSize(24);
                again.getOutputStream().write(proof);
                assertThat(again.getInputStream().read()).isEqualTo(-1);
            }
        }
    }

    @Test
    void aSilentUnauthenticatedConnectionIsClosed() throws Exception {
        try (TcpServer server = TcpServer.onLoopback(SETTINGS.withGreeting(Duration.ofMillis(50)));
                Socket socket = new Socket(
                        "127.0.0.1", TcpEndpoint.parse(server.endpoint()).port())) {
            assertThat(socket.getInputStream().read()).isEqualTo(-1);
        }
    }

    @Test
    void aTruncatedWriteChangesNothing() throws Exception {
        try (TcpServer server = TcpServer.onLoopback(SETTINGS);
                TcpClients clients = new TcpClients(Servers.one(server.endpoint()), SETTINGS)) {
            MemorySegment memory = server.allocate(4096);
            RemoteRegion region = server.register(memory);
            clients.run(group(1), client -> {
                QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                try (Socket socket = greeted(server, Frames.QUEUE_PAIR)) {
                    socket.getOutputStream()
                            .write(frame(
                                    Frames.word(Frames.WRITE, 4000), region.address(), region.key() & 0xFFFF_FFFFL));
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
                read(queuePair, region);
            });
            assertThat(memory.asByteBuffer().getLong(0)).isZero();
        }
    }

    /** A peer that requests far more than it reads costs the server two chunks; others are served. */
    @Test
    void aClientThatDoesNotReadDelaysNoOtherClient() throws Exception {
        TcpSettings oneThread = new TcpSettings(SETTINGS.transport(), 1, SETTINGS.silence(), SETTINGS.greeting());
        try (TcpServer server = TcpServer.onLoopback(oneThread);
                TcpClients clients = new TcpClients(Servers.one(server.endpoint()), SETTINGS)) {
            RemoteRegion region = server.register(server.allocate(1 << 24));
            clients.run(group(1), client -> {
                QueuePair queuePair = client.connect(client.allocate(64), OPTIONS);
                try (Socket greedy = greeted(server, Frames.QUEUE_PAIR)) {
                    byte[] request =
                            frame(Frames.word(Frames.READ, 1 << 24), region.address(), region.key() & 0xFFFF_FFFFL);
                    for (int i = 0; i < 100; i++) {
                        greedy.getOutputStream().write(request);
                    }
                    for (int i = 0; i < 100; i++) {
                        read(queuePair, region);
                    }
                } catch (FabricException e) {
                    throw e;
                } catch (Exception e) {
                    throw new AssertionError(e);
                }
            });
        }
    }

    @Test
    void aServerListensOnLoopbackAndHidesItsToken() throws Exception {
        try (TcpServer server = TcpServer.onLoopback(SETTINGS)) {
            TcpEndpoint endpoint = TcpEndpoint.parse(server.endpoint());
            assertThat(InetAddress.getByName(endpoint.host()).isLoopbackAddress())
                    .isTrue();
            String token = server.endpoint().substring(server.endpoint().indexOf('#') + 1);
            assertThat(List.of(
                            endpoint.toString(),
                            endpoint.place(),
                            endpoint.token().toString()))
                    .noneMatch(text -> text.contains(token));
        }
    }
}
