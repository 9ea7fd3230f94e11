package org.reprobe.run.process;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.trust.Handshake;
import org.reprobe.trust.Secret;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Connection between two of Reprobe's processes that have proved to each other that they have a secret. Both ends send
 * a heartbeat each second, so that silence means that the other process hangs. Sending is thread-safe; one thread
 * receives.
 */
final class MessageConnection implements AutoCloseable {
    private static final long HEARTBEAT_MS = 1_000;

    /** Maximum length of a message: scenarios, NIC profiles and histograms are the longest. */
    private static final int MAX_BYTES = 64 << 20;

    private static final int MAX_GREETING_BYTES = 4_096;

    private static final int CONNECT_MS = 10_000;
    /** Attempts to connect: the other side closes connections during the greeting if it has too many. */
    private static final int TRIES = 20;

    private static final long TRY_AGAIN_MS = 150;
    private static final long NO_DEADLINE = Long.MIN_VALUE;

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(
                    DeserializationFeature.FAIL_ON_MISSING_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_NULL_CREATOR_PROPERTIES,
                    DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();

    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    /** Handshake; set before anything but the greeting is sent. */
    private @Nullable Handshake handshake;

    MessageConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /**
     * Connects to a process with mutual proofs of a secret; for {@code startedFor} see {@link Message.Introduction}.
     */
    static MessageConnection connect(String host, int port, Secret secret, List<String> startedFor) throws IOException {
        Handshake.warmUp(); // before connecting: the other side's timeout is short
        for (int tried = 1; ; tried++) {
            try {
                return connectOnce(host, port, secret, startedFor);
            } catch (ClosedEarlyException e) {
                if (tried == TRIES) {
                    throw e;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(TRY_AGAIN_MS));
            }
        }
    }

    private static final class ClosedEarlyException extends IOException {
        ClosedEarlyException(@Nullable Throwable cause) {
            super(
                    "it closed the connection: check that a Reprobe listens there for this process, and that no other"
                            + " programs open too many connections",
                    cause);
        }
    }

    private static MessageConnection connectOnce(String host, int port, Secret secret, List<String> startedFor)
            throws IOException {
        byte[] clientNonce = Handshake.nonce();
        Socket socket = new Socket();
        boolean connected = false;
        boolean done = false;
        try {
            socket.connect(new InetSocketAddress(host, port), CONNECT_MS);
            connected = true;
            MessageConnection connection = new MessageConnection(socket);
            long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(OwnJvm.SILENCE_MS);
            connection.send(new Message.Hello(clientNonce, Handshake.firstProof(secret, clientNonce)));
            byte[] serverNonce =
                    connection.greeting(Message.Challenge.class, endNs).nonce();
            if (serverNonce.length != Handshake.NONCE_BYTES) {
                throw new IOException(NO_GREETING);
            }
            Handshake handshake = new Handshake(secret, clientNonce, serverNonce);
            connection.send(new Message.Introduction(handshake.clientProof(), startedFor));
            if (!handshake.isServerProof(
                    connection.greeting(Message.Welcome.class, endNs).proof())) {
                throw new IOException("it does not have the token: it is not the process that printed it");
            }
            connection.established(handshake);
            done = true;
            return connection;
        } catch (SocketTimeoutException e) {
            throw new IOException(
                    "no reply within " + OwnJvm.SILENCE_MS / 1000 + " s: check that it is a Reprobe process", e);
        } catch (SocketException e) {
            if (connected || String.valueOf(e.getMessage()).contains("reset")) {
                throw new ClosedEarlyException(e);
            }
            throw e;
        } finally {
            if (!done) {
                socket.close();
            }
        }
    }

    private static final String NO_GREETING = "its greeting is not that of a Reprobe process";

    /** Receives a greeting of an unauthenticated server: its texts are not trusted. */
    private <T extends Message> T greeting(Class<T> type, long endNs) throws IOException {
        Message message = receive(MAX_GREETING_BYTES, endNs);
        if (message == null) {
            throw new ClosedEarlyException(null);
        }
        if (message instanceof Message.Refused) {
            throw new IOException("wrong token: use the one that the server printed");
        }
        if (!type.isInstance(message)) {
            throw new IOException(NO_GREETING);
        }
        return type.cast(message);
    }

    /** Greets a connecting process; null after a refusal. {@code firstProved} is called at its first valid proof. */
    @Nullable
    Authenticated welcome(Supplier<List<Secret>> expected, long endNs, Runnable firstProved) throws IOException {
        if (!(receive(MAX_GREETING_BYTES, endNs) instanceof Message.Hello hello)
                || hello.nonce().length != Handshake.NONCE_BYTES) {
            throw new IOException(NO_GREETING);
        }
        for (Secret secret : expected.get()) {
            if (MessageDigest.isEqual(hello.firstProof(), Handshake.firstProof(secret, hello.nonce()))) {
                firstProved.run();
            }
        }
        byte[] serverNonce = Handshake.nonce();
        send(new Message.Challenge(serverNonce));
        if (!(receive(MAX_GREETING_BYTES, endNs) instanceof Message.Introduction introduction)) {
            throw new IOException(NO_GREETING);
        }
        for (Secret secret : expected.get()) {
            Handshake candidate = new Handshake(secret, hello.nonce(), serverNonce);
            if (candidate.isClientProof(introduction.proof())) {
                send(new Message.Welcome(candidate.serverProof()));
                established(candidate);
                return new Authenticated(this, secret, introduction.startedFor());
            }
        }
        send(new Message.Refused("wrong token"));
        return null;
    }

    record Authenticated(MessageConnection connection, Secret secret, List<String> startedFor) {}

    private void established(Handshake done) throws IOException {
        handshake = done;
        socket.setSoTimeout(OwnJvm.SILENCE_MS);
        byte[] alive = bytes(new Message.Alive());
        Thread.ofPlatform().daemon().name("heartbeat").start(() -> {
            try {
                while (!socket.isClosed()) {
                    send(alive);
                    Thread.sleep(HEARTBEAT_MS);
                }
            } catch (IOException | InterruptedException e) {
                // The connection has ended, which its reader detects.
            }
        });
    }

    String seal(String text) {
        return established().seal(text);
    }

    /** @throws IOException if the text is not sealed by the other end */
    String open(String sealed) throws IOException {
        try {
            return established().open(sealed);
        } catch (IllegalArgumentException e) {
            throw new IOException("a sealed text is invalid", e);
        }
    }

    List<String> open(List<String> sealed) throws IOException {
        List<String> texts = new ArrayList<>();
        for (String text : sealed) {
            texts.add(open(text));
        }
        return texts;
    }

    private Handshake established() {
        Handshake done = handshake;
        if (done == null) {
            throw new IllegalStateException("the connection is not authenticated");
        }
        return done;
    }

    static byte[] bytes(Message message) {
        // By its interface, so that the type is written.
        return (JSON.writerFor(Message.class).writeValueAsString(message) + "\n").getBytes(StandardCharsets.UTF_8);
    }

    void send(Message message) throws IOException {
        send(bytes(message));
    }

    void send(byte[] bytes) throws IOException {
        synchronized (out) {
            out.write(bytes);
            out.flush();
        }
    }

    /**
     * Waits for the next message other than heartbeats; null if the other side has closed the connection. Throws
     * {@link SocketTimeoutException} if nothing arrived for {@link OwnJvm#SILENCE_MS}: the other process hangs.
     */
    @Nullable
    Message receive() throws IOException {
        Message message = receive(MAX_BYTES, NO_DEADLINE);
        while (message instanceof Message.Alive) {
            message = receive(MAX_BYTES, NO_DEADLINE);
        }
        return message;
    }

    /** Receives one message before a deadline, even if its bytes arrive slowly: its sender may be unauthenticated. */
    private @Nullable Message receive(int maxBytes, long endNs) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = read(endNs); next != '\n'; next = read(endNs)) {
            if (next < 0) {
                return null;
            }
            if (line.size() >= maxBytes) {
                throw new IOException("a message is too long");
            }
            line.write(next);
        }
        try {
            Message message = JSON.readValue(line.toByteArray(), Message.class);
            if (message != null) {
                return message;
            }
        } catch (JacksonException e) {
            throw new IOException("invalid message: check that both are the same version of Reprobe", e);
        }
        throw new IOException("invalid message");
    }

    private int read(long endNs) throws IOException {
        if (endNs != NO_DEADLINE && in.available() == 0) {
            long leftNs = endNs - System.nanoTime();
            if (leftNs <= 0) {
                throw new SocketTimeoutException("too slow");
            }
            socket.setSoTimeout((int) TimeUnit.NANOSECONDS.toMillis(leftNs) + 1);
        }
        return in.read();
    }

    /** Returns the address of this host that the other side uses. */
    String localHost() {
        return socket.getLocalAddress().getHostAddress();
    }

    boolean isLoopback() {
        return socket.getInetAddress().isLoopbackAddress();
    }

    void end(String why) {
        try {
            send(new Message.End(why));
        } catch (IOException e) {
            // The other side has ended already.
        }
        close();
    }

    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // A socket that fails to close is not used any more either.
        }
    }
}
