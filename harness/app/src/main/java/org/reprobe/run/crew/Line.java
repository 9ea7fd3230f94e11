package org.reprobe.run.crew;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.trust.Handshake;
import org.reprobe.trust.Printable;
import org.reprobe.trust.Secret;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A connection between two of our processes: one JSON object a line, each with its {@code type}. Sending is safe for many threads. */
final class Line implements AutoCloseable {
    /** With many more threads than cores, or other work on the machine, a healthy process may take long to answer. */
    static final int SILENCE_MS = (int) OwnJvm.patienceMs(60_000);

    /** Who lives says something so often. */
    static final long PING_MS = 1_000;

    /** A scenario, a NIC profile or a run's histogram are the longest things sent. */
    private static final int MOST_BYTES = 64 << 20;

    private static final long NEVER = Long.MIN_VALUE;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** The longest that is read of who has not proved himself. */
    private static final int MAX_GREETING_BYTES = 4_096;

    private static final int CONNECT_MS = 10_000;

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    /** Set before anything else is said. */
    private @Nullable Handshake handshake;

    Line(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /**
     * Connects to a process that knows a secret, and proves to it that this one does.
     *
     * @param introduction what else the other side is told
     * @throws IOException in words, when there is none or either end does not know the secret
     */
    static Line connect(String host, int port, Secret secret, ObjectNode introduction) throws IOException {
        byte[] clientNonce = Handshake.nonce();
        Handshake.warmUp(); // made first: the other side waits for seconds only
        Socket socket = new Socket();
        boolean done = false;
        try {
            socket.connect(new InetSocketAddress(host, port), CONNECT_MS);
            Line line = new Line(socket);
            long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(SILENCE_MS);
            line.send(message("hello").put("nonce", HexFormat.of().formatHex(clientNonce)));
            byte[] serverNonce = bytes(line.greeting("challenge", endNs), "nonce", Handshake.NONCE_BYTES);
            Handshake handshake = new Handshake(secret, clientNonce, serverNonce);
            line.send(introduction.put("proof", HexFormat.of().formatHex(handshake.clientProof())));
            byte[] proof = bytes(line.greeting("welcome", endNs), "proof", Handshake.PROOF_BYTES);
            if (!handshake.isServerProof(proof)) {
                throw new IOException("it does not know the token: it is not the process that printed it");
            }
            line.handshake = handshake;
            line.deadline(SILENCE_MS);
            done = true;
            return line;
        } catch (SocketTimeoutException e) {
            throw new IOException("it did not answer within " + SILENCE_MS / 1000 + " s: is it a Reprobe?", e);
        } finally {
            if (!done) {
                socket.close();
            }
        }
    }

    /** What a server says before it has proved itself: none of its words is believed. */
    private JsonNode greeting(String type, long endNs) throws IOException {
        JsonNode message = receive(MAX_GREETING_BYTES, endNs);
        if (message == null) {
            throw new IOException("it has ended the connection: is it a Reprobe that waits for this process?");
        }
        String word = message.get("type").stringValue();
        if (word.equals("refused")) {
            throw new IOException("wrong token: use the one that it printed");
        }
        if (!word.equals(type)) {
            throw new IOException("it does not greet as a Reprobe does");
        }
        return message;
    }

    /**
     * The server's part of a greeting.
     *
     * @param expected the secrets of those who may come
     * @return which one it was, and what it has said of itself; null for a stranger, who was told so
     */
    @Nullable
    Guest welcome(Supplier<List<Secret>> expected, long endNs) throws IOException {
        byte[] clientNonce = bytes(first("hello", endNs), "nonce", Handshake.NONCE_BYTES);
        byte[] serverNonce = Handshake.nonce();
        send(message("challenge").put("nonce", HexFormat.of().formatHex(serverNonce)));
        JsonNode introduction = first("introduction", endNs);
        byte[] proof = bytes(introduction, "proof", Handshake.PROOF_BYTES);
        for (Secret secret : expected.get()) {
            Handshake candidate = new Handshake(secret, clientNonce, serverNonce);
            if (candidate.isClientProof(proof)) {
                handshake = candidate;
                deadline(0);
                send(message("welcome").put("proof", HexFormat.of().formatHex(candidate.serverProof())));
                return new Guest(this, secret, introduction);
            }
        }
        send(message("refused"));
        return null;
    }

    /** A process that has proved itself. */
    record Guest(Line line, Secret secret, JsonNode introduction) {}

    private JsonNode first(String type, long endNs) throws IOException {
        JsonNode message = receive(MAX_GREETING_BYTES, endNs);
        if (message == null || !message.get("type").stringValue().equals(type)) {
            throw new IOException("no greeting");
        }
        return message;
    }

    private static byte[] bytes(JsonNode message, String name, int length) throws IOException {
        try {
            byte[] bytes = HexFormat.of().parseHex(message.path(name).asString(""));
            if (bytes.length == length) {
                return bytes;
            }
        } catch (IllegalArgumentException e) {
            throw new IOException("it does not greet as a Reprobe does", e);
        }
        throw new IOException("it does not greet as a Reprobe does");
    }

    /** A text as only the other end can read it. */
    String seal(String text) {
        return known().seal(text);
    }

    /**
     * What the other end has sealed.
     *
     * @throws IOException when it has not
     */
    String open(JsonNode sealed) throws IOException {
        try {
            return known().open(sealed.asString(""));
        } catch (IllegalArgumentException e) {
            throw new IOException("what came is not sealed as it must be", e);
        }
    }

    private Handshake known() {
        Handshake done = handshake;
        if (done == null) {
            throw new IllegalStateException("nobody has proved anything");
        }
        return done;
    }

    /** What a message says to people. */
    static String words(JsonNode message, String name) {
        return Printable.line(message.path(name).asString(""));
    }

    /** A new message. */
    static ObjectNode message(String type) {
        return JSON.createObjectNode().put("type", type);
    }

    /** Bytes as a message carries them. */
    static String data(ByteArrayOutputStream bytes) {
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /** The bytes that a message carries under a name. */
    static DataInput data(JsonNode message, String name) {
        byte[] bytes = Base64.getDecoder().decode(message.get(name).stringValue());
        return new DataInputStream(new ByteArrayInputStream(bytes));
    }

    static byte[] bytes(ObjectNode message) {
        return (JSON.writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    void send(ObjectNode message) throws IOException {
        send(bytes(message));
    }

    void send(byte[] bytes) throws IOException {
        synchronized (out) {
            out.write(bytes);
            out.flush();
        }
    }

    /**
     * The next message; null when the other side has ended.
     *
     * @throws IOException also when what came is no message
     */
    @Nullable
    JsonNode receive() throws IOException {
        return receive(MOST_BYTES, NEVER);
    }

    /**
     * The next message of at most so many bytes, all of which must have come at a moment: a stranger may send them one by
     * one.
     *
     * @throws SocketTimeoutException when they have not
     */
    private @Nullable JsonNode receive(int mostBytes, long endNs) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = read(endNs); next != '\n'; next = read(endNs)) {
            if (next < 0) {
                return null;
            }
            if (line.size() >= mostBytes) {
                throw new IOException("a message is too long");
            }
            line.write(next);
        }
        try {
            JsonNode message = JSON.readTree(line.toString(StandardCharsets.UTF_8));
            if (message.path("type").isString()) {
                return message;
            }
        } catch (JacksonException e) {
            throw new IOException("what came is no message", e);
        }
        throw new IOException("what came is no message");
    }

    private int read(long endNs) throws IOException {
        if (endNs != NEVER && in.available() == 0) {
            long leftNs = endNs - System.nanoTime();
            if (leftNs <= 0) {
                throw new SocketTimeoutException("too slow");
            }
            deadline((int) TimeUnit.NANOSECONDS.toMillis(leftNs) + 1);
        }
        return in.read();
    }

    /** {@link #receive} fails with a {@link java.net.SocketTimeoutException} when nothing comes for so long; 0 for never. */
    void deadline(int ms) throws IOException {
        socket.setSoTimeout(ms);
    }

    /** Sends "ping" every second from now on, until this is closed: whoever hears nothing knows that this process hangs. */
    void keepPinging() {
        byte[] ping = bytes(message("ping"));
        Thread.ofPlatform().daemon().name("pings").start(() -> {
            try {
                while (!socket.isClosed()) {
                    send(ping);
                    Thread.sleep(PING_MS);
                }
            } catch (IOException | InterruptedException e) {
                // Whoever reads from it sees its end.
            }
        });
    }

    /** The address of this host that the other side uses. */
    String localHost() {
        return socket.getLocalAddress().getHostAddress();
    }

    boolean isLoopback() {
        return socket.getInetAddress().isLoopbackAddress();
    }

    /**
     * Tells the other side that it is over, and closes.
     *
     * @param why when all is not well; null when it is
     */
    void end(@Nullable String why) {
        ObjectNode end = message("end");
        if (why != null) {
            end.put("why", why);
        }
        try {
            send(end);
        } catch (IOException e) {
            // It has ended before.
        }
        close();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone, which was wanted.
        }
    }
}
