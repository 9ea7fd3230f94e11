package org.reprobe.run.crew;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.reprobe.testing.Project;
import org.reprobe.testing.Seeds;
import org.reprobe.trust.Handshake;
import org.reprobe.trust.Secret;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Who comes in, who doesn't, and what a client believes of whom it has come to. */
@Timeout(60)
class DoorTest {
    private static final long SEED = Seeds.seed();
    private static final InetSocketAddress ANY = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private final Secret secret = Secret.random();

    private static final long GREETING_MS = 5_000;

    private Door door() throws IOException {
        return new Door(Door.listen(ANY), () -> List.of(secret));
    }

    private static Line connect(ServerSocket to, Secret secret) throws IOException {
        return Line.connect(
                "127.0.0.1",
                to.getLocalPort(),
                secret,
                Line.message("introduction").put("fabric", "shm"));
    }

    private static Socket stranger(Door door) throws IOException {
        return new Socket("127.0.0.1", door.socket().getLocalPort());
    }

    @Test
    void whoKnowsTheSecretComesInAndItNeverTravels() throws Exception {
        ByteArrayOutputStream heard = new ByteArrayOutputStream();
        try (Door door = door();
                ServerSocket between = Door.listen(ANY)) {
            Thread listener = listenIn(between, door.socket().getLocalPort(), heard);
            try (Line line = connect(between, secret)) {
                Line.Guest guest = Objects.requireNonNull(door.next(10_000));
                assertThat(guest.introduction().path("fabric").stringValue()).isEqualTo("shm");
                guest.line()
                        .send(Line.message("serving")
                                .put("endpoint", guest.line().seal("10.0.0.7#data")));
                JsonNode message = line.receive();
                while (!Objects.requireNonNull(message)
                        .path("type")
                        .stringValue()
                        .equals("serving")) {
                    message = line.receive(); // pings
                }
                assertThat(line.open(message.get("endpoint"))).isEqualTo("10.0.0.7#data");
            }
            listener.interrupt();
        }
        assertThat(heard.toString(StandardCharsets.UTF_8))
                .contains("hello", "challenge", "welcome", "serving")
                .doesNotContain(secret.text())
                .doesNotContain("#data");
    }

    /** Passes everything on, both ways, and remembers it. */
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

    /** It takes any proof, as a program does that waits where the server was. */
    private static CompletableFuture<@Nullable Void> falseServer(ServerSocket at, JsonNodeToBytes answer) {
        return CompletableFuture.runAsync(() -> {
            try (Socket client = at.accept()) {
                Line line = new Line(client);
                line.send(Line.message("challenge").put("nonce", "00".repeat(Handshake.NONCE_BYTES)));
                line.receive();
                client.getOutputStream().write(answer.of(Objects.requireNonNull(line.receive())));
                line.receive();
            } catch (IOException e) {
                // The client has left.
            }
        });
    }

    private interface JsonNodeToBytes {
        byte[] of(JsonNode introduction);
    }

    @Test
    void aServerThatDoesNotKnowTheSecretIsLeftBeforeItIsBelievedAnything() throws Exception {
        try (ServerSocket at = Door.listen(ANY)) {
            falseServer(at, _ -> Line.bytes(Line.message("welcome").put("proof", "00".repeat(Handshake.PROOF_BYTES))));
            assertThatThrownBy(() -> connect(at, secret)).hasMessageContaining("does not know the token");
        }
        try (ServerSocket at = Door.listen(ANY)) {
            falseServer(
                    at,
                    introduction -> Line.bytes(Line.message("welcome")
                            .put("proof", introduction.get("proof").stringValue())));
            assertThatThrownBy(() -> connect(at, secret)).hasMessageContaining("does not know the token");
        }
        try (ServerSocket at = Door.listen(ANY)) {
            falseServer(at, _ -> Line.bytes(Line.message("refused").put("why", "\u001b]0;pwned\u0007")));
            assertThatThrownBy(() -> connect(at, secret)).hasMessage("wrong token: use the one that it printed");
        }
    }

    @Test
    void aWrongSecretIsRefusedInWordsAndTheNextOneComesIn() throws Exception {
        try (Door door = door()) {
            assertThatThrownBy(() -> connect(door.socket(), Secret.random())).hasMessageContaining("wrong token");
            try (Line line = connect(door.socket(), secret)) {
                assertThat(door.next(10_000)).isNotNull();
                line.send(Line.message("pong"));
            }
        }
    }

    /** Three hundred connections that say nothing, or a byte now and then: the one that matters comes in at once. */
    @Test
    void strangersCrowdOutNobodyAndHaveLimitedTimeInAll() throws Exception {
        List<Socket> strangers = new ArrayList<>();
        try (Door door = new Door(Door.listen(ANY), () -> List.of(secret), GREETING_MS)) {
            for (int i = 0; i < 300; i++) {
                strangers.add(stranger(door));
            }
            try (Line line = connect(door.socket(), secret)) {
                assertThat(door.next(10_000)).isNotNull();
                line.send(Line.message("pong"));
            }
            // The last have not been crowded out: they drip.
            Socket slow = strangers.getLast();
            long startNs = System.nanoTime();
            long endNs = startNs + TimeUnit.MILLISECONDS.toNanos(4 * GREETING_MS);
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
            assertThat(System.nanoTime() - startNs).isLessThan(TimeUnit.MILLISECONDS.toNanos(2 * GREETING_MS));
        } finally {
            for (Socket socket : strangers) {
                socket.close();
            }
        }
    }

    /** Whatever comes instead of a greeting, or of its second half, ends that connection and no other. */
    @Test
    void damagedGreetingsLetNobodyInAndHarmNobody() throws Exception {
        SplittableRandom random = new SplittableRandom(SEED);
        JsonMapper json = JsonMapper.builder().build();
        try (Door door = door()) {
            for (int round = 0; round < 150; round++) {
                byte[] clientNonce = Handshake.nonce();
                ObjectNode hello = Line.message("hello").put("nonce", hex(clientNonce));
                try (Socket socket = stranger(door)) {
                    OutputStream out = socket.getOutputStream();
                    socket.setSoTimeout(10_000);
                    if (random.nextBoolean()) {
                        out.write(damaged(Line.bytes(hello), random));
                        socket.shutdownOutput();
                        socket.getInputStream().readAllBytes();
                        continue;
                    }
                    out.write(Line.bytes(hello));
                    byte[] serverNonce = java.util.HexFormat.of()
                            .parseHex(json.readTree(line(socket.getInputStream()))
                                    .get("nonce")
                                    .stringValue());
                    Handshake right = new Handshake(secret, clientNonce, serverNonce);
                    byte[] proof = right.clientProof();
                    proof[random.nextInt(proof.length)] ^= 1;
                    ObjectNode introduction = Line.message("introduction").put("proof", hex(proof));
                    out.write(
                            random.nextBoolean()
                                    ? Line.bytes(introduction)
                                    : damaged(Line.bytes(introduction), random));
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (java.net.SocketException e) {
                    // Closed before it was read to its end.
                }
            }
            assertThat(door.next(0)).as("-Dreprobe.seed=%d", SEED).isNull();
            try (Line line = connect(door.socket(), secret)) {
                assertThat(door.next(10_000)).isNotNull();
                line.send(Line.message("pong"));
            }
        }
    }

    private static String hex(byte[] bytes) {
        return java.util.HexFormat.of().formatHex(bytes);
    }

    private static String line(InputStream in) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next >= 0 && next != '\n'; next = in.read()) {
            line.write(next);
        }
        return line.toString(StandardCharsets.UTF_8);
    }

    /** Never such that the right proof comes out, which is damaged before already. */
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
    void whoIsNotNeededIsToldWhenAllIsOver() throws Exception {
        Door door = door();
        try (Line line = connect(door.socket(), secret)) {
            Thread.sleep(100); // it may or may not be a guest by now
            door.close();
            JsonNode message = line.receive();
            while (message != null && message.path("type").stringValue().equals("ping")) {
                message = line.receive();
            }
            assertThat(message == null || message.path("type").stringValue().equals("end"))
                    .isTrue();
        }
    }

    /** A server that has proved itself is still not believed any name: not of files, not of folders. */
    @Test
    void aServerCannotHaveFilesWrittenElsewhere(@TempDir Path dir) throws Exception {
        String yaml = Files.readString(Project.path("scenarios/linear-probing/figure-07.yaml"));
        String nic = Files.readString(Project.path("scenarios/nics/connectx5-edr.yaml"));
        Path target = dir.resolve("written").toAbsolutePath();
        try (Door door = door();
                Peer peer = Peer.connect("127.0.0.1", door.socket().getLocalPort(), secret, List.of(), null)) {
            CompletableFuture<Boolean> working = CompletableFuture.supplyAsync(() -> {
                try {
                    return peer.work();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            Line line = Objects.requireNonNull(door.next(10_000)).line();
            for (String name : List.of(
                    target.toString(), "../".repeat(12) + target.toString().substring(1))) {
                ObjectNode message = Line.message("scenario").put("name", name).put("yaml", yaml);
                message.putObject("nics").put("connectx5-edr", nic);
                line.send(message);
                assertThat(answer(line).path("type").stringValue()).isEqualTo("known");
                message = Line.message("scenario").put("name", "fine").put("yaml", yaml);
                message.putObject("nics").put(name, nic);
                line.send(message);
                assertThat(answer(line).path("why").stringValue()).contains("a name that is none");
            }
            assertThat(dir).isEmptyDirectory();
            line.send(Line.message("end").put("why", "\u001b]0;title\u0007bad"));
            assertThatThrownBy(() -> working.get(10, TimeUnit.SECONDS))
                    .rootCause()
                    .hasMessage("the run failed: \\u001b]0;title\\u0007bad");
        }
    }

    private static JsonNode answer(Line line) throws IOException {
        while (true) {
            JsonNode message = Objects.requireNonNull(line.receive());
            if (!message.path("type").stringValue().equals("pong")) {
                return message;
            }
        }
    }
}
