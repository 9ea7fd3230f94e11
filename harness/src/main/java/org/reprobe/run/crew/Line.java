package org.reprobe.run.crew;

import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInput;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** A connection between two of our processes: one JSON object a line, each with its {@code type}. Sending is safe for many threads. */
final class Line implements AutoCloseable {
    /** With many more threads than cores a healthy process may take seconds to answer. */
    static final int SILENCE_MS = (int) OwnJvm.patienceMs(15_000);

    /** Who lives says something so often. */
    static final long PING_MS = 1_000;

    /** A scenario, a NIC profile or a run's histogram are the longest things sent. */
    private static final int MOST_BYTES = 64 << 20;

    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Line(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
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
        return receive(MOST_BYTES);
    }

    /** The next message, of at most so many bytes: a stranger's first words are short. */
    @Nullable
    JsonNode receive(int mostBytes) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = in.read(); next != '\n'; next = in.read()) {
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

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // It is gone, which was wanted.
        }
    }
}
