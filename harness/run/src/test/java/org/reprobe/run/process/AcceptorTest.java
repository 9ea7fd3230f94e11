package org.reprobe.run.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.system.Served;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;
import org.reprobe.trust.Handshake;
import org.reprobe.trust.Secret;
import tools.jackson.databind.json.JsonMapper;

/** Authentication of connections, and trust of clients in their server. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class AcceptorTest {
    private static final long SEED = Seeds.seed();
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final Secret secret = Secret.random();

    private static final long GREETING_MS = 10_000;

    private Acceptor acceptor() throws IOException {
        return new Acceptor(Acceptor.listen(ANY), () -> List.of(secret));
    }

    private static MessageConnection connect(ServerSocket to, Secret secret) throws IOException {
        return MessageConnection.connect("127.0.0.1", to.getLocalPort(), secret, List.of("shm"));
    }

    private static Socket stranger(Acceptor acceptor) throws IOException {
        return new Socket("127.0.0.1", acceptor.socket().getLocalPort());
    }

    @Test
    void processesWithTheSecretAreAdmittedAndItIsNeverSent() throws Exception {
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        try (Acceptor acceptor = acceptor();
                ServerSocket between = Acceptor.listen(ANY)) {
            Thread listener = listenIn(between, acceptor.socket().getLocalPort(), heard);
            try (MessageConnection connection = connect(between, secret)) {
                MessageConnection.Authenticated guest = Objects.requireNonNull(acceptor.next(600_000));
                assertThat(guest.startedFor()).containsExactly("shm");
                guest.connection()
                        .send(new Message.ServerReady(guest.connection().seal("10.0.0.7#data")));
                assertThat(connection.receive())
                        .isInstanceOfSatisfying(
                                Message.ServerReady.class,
                                message -> assertThat(opened(connection, message.endpoint()))
                                        .isEqualTo("10.0.0.7#data"));
            }
            listener.interrupt();
        }
        assertThat(heard.toString(StandardCharsets.UTF_8))
                .contains("Hello", "Challenge", "Welcome", "ServerReady")
                .doesNotContain(secret.text())
                .doesNotContain("#data");
    }

    private static String opened(MessageConnection connection, String sealed) {
        try {
            return connection.open(sealed);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Forwards everything both ways, and records it. */
    private static Thread listenIn(ServerSocket between, int port, ByteArrayOutputStream heard) {
        return Thread.ofVirtual().start(() -> {
            try (Socket client = between.accept();
                    Socket server = new Socket("127.0.0.1", port)) {
                Thread back = Thread.ofVirtual().start(() -> pass(server, client, heard));
                pass(client, server, heard);
                back.join();
            } catch (IOException | InterruptedException e) {
                // The test is over.
            }
        });
    }

    private static void pass(Socket from, Socket to, ByteArrayOutputStream heard) {
        byte[] bytes = new byte[4096];
        try {
            for (int read = from.getInputStream().read(bytes);
                    read > 0;
                    read = from.getInputStream().read(bytes)) {
                synchronized (heard) {
                    heard.write(bytes, 0, read);
                }
                to.getOutputStream().write(bytes, 0, read);
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // One end has closed.
        }
    }

    /** Accepts any proof, like a program that listens in the server's place. */
    private static CompletableFuture<@Nullable Void> falseServer(
            ServerSocket at, Function<Message.Introduction, Message> answer) {
        return CompletableFuture.runAsync(() -> {
            try (Socket client = at.accept()) {
                MessageConnection connection = new MessageConnection(client);
                connection.send(new Message.Challenge(new byte[Handshake.NONCE_BYTES]));
                connection.receive();
                connection.send(answer.apply((Message.Introduction) Objects.requireNonNull(connection.receive())));
                connection.receive();
            } catch (IOException e) {
                // The client has left.
            }
        });
    }

    @Test
    void aServerWithoutTheSecretIsRejectedBeforeItsDataIsRead() throws Exception {
        try (ServerSocket at = Acceptor.listen(ANY)) {
            falseServer(at, _ -> new Message.Welcome(new byte[Handshake.PROOF_BYTES]));
            assertThatThrownBy(() -> connect(at, secret)).hasMessageContaining("does not have the token");
        }
        try (ServerSocket at = Acceptor.listen(ANY)) {
            falseServer(at, introduction -> new Message.Welcome(introduction.proof()));
            assertThatThrownBy(() -> connect(at, secret)).hasMessageContaining("does not have the token");
        }
        try (ServerSocket at = Acceptor.listen(ANY)) {
            falseServer(at, _ -> new Message.Refused("pwned"));
            assertThatThrownBy(() -> connect(at, secret))
                    .hasMessage("wrong token: use the one that the server printed");
        }
    }

    @Test
    void aWrongSecretIsRefusedInWordsAndTheNextOneComesIn() throws Exception {
        try (Acceptor acceptor = acceptor()) {
            assertThatThrownBy(() -> connect(acceptor.socket(), Secret.random()))
                    .hasMessageContaining("wrong token");
            try (MessageConnection connection = connect(acceptor.socket(), secret)) {
                assertThat(acceptor.next(600_000)).isNotNull();
                connection.send(new Message.Known());
            }
        }
    }

    /** Three hundred connections that send nothing, or a byte now and then: the right one is accepted at once. */
    @Test
    @Nightly(besides = "no flood of unauthenticated connections keeps a client out")
    void unauthenticatedConnectionsEvictNoOthersAndHaveATotalTimeLimit() throws Exception {
        List<Socket> strangers = new ArrayList<>();
        try (Acceptor acceptor = new Acceptor(Acceptor.listen(ANY), () -> List.of(secret), GREETING_MS)) {
            for (int i = 0; i < 300; i++) {
                strangers.add(stranger(acceptor));
            }
            try (MessageConnection connection = connect(acceptor.socket(), secret)) {
                assertThat(acceptor.next(600_000)).isNotNull();
                connection.send(new Message.Known());
            }
            // The last ones were not displaced: they send single bytes.
            Socket slow = strangers.getLast();
            long endNs = System.nanoTime() + TimeUnit.MINUTES.toNanos(9);
            boolean closed = false;
            slow.setSoTimeout(200);
            while (!closed && System.nanoTime() < endNs) {
                try {
                    slow.getOutputStream().write('x');
                    closed = slow.getInputStream().read() < 0;
                } catch (java.net.SocketTimeoutException e) {
                    // Still open.
                } catch (IOException e) {
                    closed = true;
                }
            }
            assertThat(closed).isTrue();
        } finally {
            for (Socket socket : strangers) {
                socket.close();
            }
        }
    }

    /** A connection closed before the end of its greeting is made again: others may have displaced it. */
    @Test
    void anEvictedConnectionReconnects() throws Exception {
        try (Acceptor acceptor = acceptor();
                ServerSocket between = Acceptor.listen(ANY)) {
            Thread crowd = Thread.ofVirtual().start(() -> {
                try {
                    between.accept().close();
                    Socket reset = between.accept();
                    reset.setSoLinger(true, 0);
                    reset.close();
                    listenIn(between, acceptor.socket().getLocalPort(), new ByteArrayOutputStream());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            try (MessageConnection connection = connect(between, secret)) {
                assertThat(acceptor.next(600_000)).isNotNull();
                connection.send(new Message.Known());
            }
            crowd.join();
        }
    }

    /**
     * From the same address, as fast as they can be made: held, reset, or with a first message without a valid proof.
     */
    @Test
    void workersConnectDuringAFloodOfUnauthenticatedConnections() throws Exception {
        byte[] unproved =
                MessageConnection.bytes(new Message.Hello(Handshake.nonce(), new byte[Handshake.PROOF_BYTES]));
        AtomicInteger floods = new AtomicInteger();
        try (Acceptor acceptor = acceptor()) {
            Deque<Socket> held = new ArrayDeque<>();
            Thread flood = Thread.ofPlatform().daemon().start(() -> {
                for (int i = 0; !Thread.currentThread().isInterrupted(); i++) {
                    try {
                        Socket stranger = stranger(acceptor);
                        held.add(stranger);
                        if (i % 3 == 0) {
                            stranger.setSoLinger(true, 0);
                            stranger.close();
                        } else {
                            stranger.getOutputStream()
                                    .write(i % 3 == 1 ? unproved : "{\"Hello\":".getBytes(StandardCharsets.UTF_8));
                        }
                        if (held.size() > 600) {
                            held.remove().close();
                        }
                        floods.incrementAndGet();
                    } catch (IOException e) {
                        // This one was closed by the acceptor; the flood goes on.
                    }
                }
            });
            try {
                for (int i = 0; i < 20; i++) {
                    Thread.sleep(50);
                    try (MessageConnection connection = connect(acceptor.socket(), secret)) {
                        assertThat(acceptor.next(600_000)).isNotNull();
                        connection.send(new Message.Known());
                    }
                }
                assertThat(floods.get()).isGreaterThan(Acceptor.MAX_UNAUTHENTICATED);
                assertThat(acceptor.unauthenticatedNote())
                        .containsPattern("; \\d+ connections to 127.0.0.1:\\d+ without a valid token");
            } finally {
                flood.interrupt();
                flood.join();
                for (Socket stranger : held) {
                    stranger.close();
                }
            }
        }
    }

    /** Invalid data instead of a greeting, or of its second half, ends that connection and no other. */
    @Test
    void damagedGreetingsAreRejectedWithoutHarm() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        JsonMapper json = JsonMapper.builder().build();
        try (Acceptor acceptor = acceptor()) {
            for (int round = 0; round < 150; round++) {
                byte[] clientNonce = Handshake.nonce();
                byte[] hello = MessageConnection.bytes(
                        new Message.Hello(clientNonce, Handshake.firstProof(secret, clientNonce)));
                try (Socket socket = stranger(acceptor)) {
                    OutputStream out = socket.getOutputStream();
                    socket.setSoTimeout(600_000);
                    if (random.nextBoolean()) {
                        out.write(damaged(hello, random));
                        socket.shutdownOutput();
                        socket.getInputStream().readAllBytes();
                        continue;
                    }
                    out.write(hello);
                    byte[] serverNonce = json.readTree(line(socket.getInputStream()))
                            .get("nonce")
                            .binaryValue();
                    Handshake right = new Handshake(secret, clientNonce, serverNonce);
                    byte[] proof = right.clientProof();
                    proof[random.nextInt(proof.length)] ^= 1;
                    byte[] introduction = MessageConnection.bytes(new Message.Introduction(proof, List.of()));
                    out.write(random.nextBoolean() ? introduction : damaged(introduction, random));
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (java.net.SocketException e) {
                    // Closed before it was read to its end.
                }
            }
            assertThat(acceptor.next(0)).as("-Dreprobe.seed=%d", SEED).isNull();
            try (MessageConnection connection = connect(acceptor.socket(), secret)) {
                assertThat(acceptor.next(600_000)).isNotNull();
                connection.send(new Message.Known());
            }
        }
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** Never results in the right proof, which is damaged already. */
    private static byte[] damaged(byte[] bytes, SplittableRandom random) {
        byte[] damaged = bytes.clone();
        switch (random.nextInt(4)) {
            case 0 -> damaged = java.util.Arrays.copyOf(damaged, random.nextInt(damaged.length));
            case 1 -> damaged[random.nextInt(damaged.length)] = (byte) random.nextInt();
            case 2 -> random.nextBytes(damaged);
            default -> damaged = "[".repeat(1 + random.nextInt(5_000)).getBytes(StandardCharsets.UTF_8);
        }
        return damaged;
    }

    @Test
    void unneededProcessesAreEndedAtTheEnd() throws Exception {
        Acceptor acceptor = acceptor();
        try (MessageConnection connection = connect(acceptor.socket(), secret)) {
            Thread.sleep(100); // it may or may not be a guest by now
            acceptor.close();
            Message message = connection.receive();
            assertThat(message).isIn(null, new Message.End(Message.End.DONE));
        }
    }

    /** A peer's texts are bounded and contain no terminal codes, whatever program made them. */
    @Test
    void textsOfOthersAreShownWithoutWhatATerminalObeys() throws Exception {
        try (Acceptor acceptor = acceptor();
                MessageConnection connection = connect(acceptor.socket(), secret)) {
            MessageConnection there =
                    Objects.requireNonNull(acceptor.next(600_000)).connection();
            String evil = "\\u001b]0;title\\u0007" + "x".repeat(10_000);
            there.send(("{\"type\":\"Failed\",\"why\":\"" + evil + "\"}\n").getBytes(StandardCharsets.UTF_8));
            assertThat(connection.receive()).isInstanceOfSatisfying(Message.Failed.class, failed -> {
                assertThat(failed.why()).startsWith("\\u001b]0;title\\u0007x").hasSizeLessThan(3_000);
            });
        }
    }

    /** Includes messages with a missing or null component: code behind the connection never gets null. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"Failed\"}",
                "{\"type\":\"Failed\",\"why\":null}",
                "{\"type\":\"Failed\",\"why\":\"x\",\"more\":1}",
                "{\"type\":\"Allocate\",\"bytes\":\"many\"}",
                "{\"type\":\"Reach\",\"cell\":{\"scenario\":\"a\",\"index\":0,\"repeat\":0},\"endpoints\":[null],\"own\":0}",
                "{\"type\":\"java.lang.String\",\"why\":\"x\"}",
                "null",
                "[]"
            })
    void anInvalidMessageEndsTheConnection(String line) throws Exception {
        try (Acceptor acceptor = acceptor();
                MessageConnection connection = connect(acceptor.socket(), secret)) {
            Objects.requireNonNull(acceptor.next(600_000))
                    .connection()
                    .send((line + "\n").getBytes(StandardCharsets.UTF_8));
            assertThatThrownBy(connection::receive)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("invalid message");
        }
    }

    /**
     * The receiving thread must never wait, or it misses the end. Regression: permits without a waiting thread filled a
     * queue.
     */
    @Test
    void aWorkerThatReceivesUnawaitedLeavesStillEnds() throws Exception {
        try (Acceptor acceptor = acceptor();
                Worker worker = Worker.connect(
                        "127.0.0.1", acceptor.socket().getLocalPort(), secret, List.of(), Worker.Folders.NONE)) {
            CompletableFuture<Boolean> working = working(worker);
            MessageConnection connection =
                    Objects.requireNonNull(acceptor.next(600_000)).connection();
            for (int i = 0; i < 1_000; i++) {
                connection.send(new Message.Go(0));
            }
            connection.send(new Message.End(Message.End.DONE));
            assertThat(working.get(10, TimeUnit.MINUTES)).isTrue();
        }
    }

    @Test
    void aWorkerWhoseCoordinatorLeavesEnds() throws Exception {
        try (Acceptor acceptor = acceptor();
                Worker worker = Worker.connect(
                        "127.0.0.1", acceptor.socket().getLocalPort(), secret, List.of(), Worker.Folders.NONE)) {
            CompletableFuture<Boolean> working = working(worker);
            Objects.requireNonNull(acceptor.next(600_000)).connection().close();
            assertThat(working.get(10, TimeUnit.MINUTES)).isFalse();
        }
    }

    private static CompletableFuture<Boolean> working(Worker worker) {
        return CompletableFuture.supplyAsync(() -> {
            try {
                return worker.work();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** Even an authenticated server's names of files and folders are not trusted. */
    @Test
    void aServerCannotHaveFilesWrittenElsewhere(@TempDir Path dir) throws Exception {
        String yaml = Files.readString(Project.path("scenarios/linear-probing/figure-07.yaml"));
        String nic = Files.readString(Project.path("scenarios/nics/connectx5-edr.yaml"));
        Path target = dir.resolve("written").toAbsolutePath();
        try (Acceptor acceptor = acceptor();
                Worker worker = Worker.connect(
                        "127.0.0.1", acceptor.socket().getLocalPort(), secret, List.of(), Worker.Folders.NONE)) {
            CompletableFuture<Boolean> working = working(worker);
            MessageConnection connection =
                    Objects.requireNonNull(acceptor.next(600_000)).connection();
            for (String name : List.of(
                    target.toString(), "../".repeat(12) + target.toString().substring(1))) {
                connection.send(new Message.KnowScenario(name, yaml, Map.of("connectx5-edr", nic)));
                assertThat(connection.receive()).isInstanceOf(Message.Known.class);
                connection.send(new Message.KnowScenario("fine", yaml, Map.of(name, nic)));
                assertThat(connection.receive())
                        .isInstanceOfSatisfying(
                                Message.Failed.class,
                                failed -> assertThat(failed.why()).contains("an invalid name"));
            }
            Message.RunHistory history = new Message.RunHistory(
                    "shm",
                    "nessie",
                    connection.seal("nowhere"),
                    new Served.Machine(List.of(), new long[0]),
                    1,
                    1,
                    1,
                    0,
                    1,
                    0,
                    1,
                    -1);
            connection.send(history);
            assertThat(connection.receive())
                    .isInstanceOfSatisfying(
                            Message.Failed.class,
                            failed -> assertThat(failed.why()).contains("no folder for histories"));
            assertThat(dir).isEmptyDirectory();
            connection.send(new Message.End("bad"));
            assertThatThrownBy(() -> working.get(10, TimeUnit.MINUTES))
                    .rootCause()
                    .hasMessage("the run failed: bad");
        }
    }
}
