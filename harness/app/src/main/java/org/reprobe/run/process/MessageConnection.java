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
 * A connection between two of our processes that have proved to each other that they know a secret. Both ends send a heartbeat each
 * second, so that silence means that the other process hangs. Sending is safe for many threads; one thread receives.
 */
final class MessageConnection implements AutoCloseable {
    private static final long HEARTBEAT_MS = 1_000;

    /** A scenario, a NIC profile or a run's histogram are the longest messages. */
    private static final int MAX_BYTES = 64 << 20;

    /** The longest message that is read of a process that has not proved itself. */
    private static final int MAX_GREETING_BYTES = 4_096;

    private static final int CONNECT_MS = 10_000;
    /** Attempts to connect while the other side closes connections during the greeting, as it does when it has too many. */
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
    /** Set before anything but the greeting is sent. */
    private @Nullable Handshake handshake;

    MessageConnection(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        this.in = new BufferedInputStream(socket.getInputStream());
        this.out = socket.getOutputStream();
    }

    /**
     * Connects to a process that knows a secret, and proves to it that this one does.
     *
     * @param startedFor see {@link Message.Introduction}
     * @throws IOException in words, when there is none or either end does not know the secret
     */
    static MessageConnection connect(String host, int port, Secret secret, List<String> startedFor) throws IOException {
        Handshake.warmUp(); // made first: the other side waits for seconds only
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
        private static final long serialVersionUID = 1L;

        ClosedEarlyException(@Nullable Throwable cause) {
            super(
                    "it has ended the connection: is it a Reprobe that waits for this process? Or strangers open more"
                            + " connections than it can take",
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
                throw new IOException("it does not know the token: it is not the process that printed it");
            }
            connection.established(handshake);
            done = true;
            return connection;
        } catch (SocketTimeoutException e) {
            throw new IOException("it did not answer within " + OwnJvm.SILENCE_MS / 1000 + " s: is it a Reprobe?", e);
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

    private static final String NO_GREETING = "it does not greet as a Reprobe does";

    /** What a server says before it has proved itself: none of its words is believed. */
    private <T extends Message> T greeting(Class<T> type, long endNs) throws IOException {
        Message message = receive(MAX_GREETING_BYTES, endNs);
        if (message == null) {
            throw new ClosedEarlyException(null);
        }
        if (message instanceof Message.Refused) {
            throw new IOException("wrong token: use the one that it printed");
        }
        if (!type.isInstance(message)) {
            throw new IOException(NO_GREETING);
        }
        return type.cast(message);
    }

    /**
     * The listening process' part of a greeting.
     *
     * @param expected the secrets of those who may come
     * @param firstProved called when the first message had the first proof of one of them
     * @return which one it was, and what it has said of itself; null for a stranger, who was told so
     */
    @Nullable
    Guest welcome(Supplier<List<Secret>> expected, long endNs, Runnable firstProved) throws IOException {
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
                return new Guest(this, secret, introduction.startedFor());
            }
        }
        send(new Message.Refused("wrong token"));
        return null;
    }

    /** A process that has proved itself. */
    record Guest(MessageConnection connection, Secret secret, List<String> startedFor) {}

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
                // The connection has ended, which its reader is told.
            }
        });
    }

    /** A text as only the other end can read it. */
    String seal(String text) {
        return established().seal(text);
    }

    /**
     * What the other end has sealed.
     *
     * @throws IOException when it has not
     */
    String open(String sealed) throws IOException {
        try {
            return established().open(sealed);
        } catch (IllegalArgumentException e) {
            throw new IOException("what came is not sealed as it must be", e);
        }
    }

    /** The same of several texts. */
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
            throw new IllegalStateException("nobody has proved anything");
        }
        return done;
    }

    /** A message as it is sent. */
    static byte[] bytes(Message message) {
        // By its interface: that is what says that the type is to be written.
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
     * Waits for the next message that is no heartbeat; null when the other side has closed the connection.
     *
     * @throws SocketTimeoutException when the other process hangs: nothing came for {@link OwnJvm#SILENCE_MS}
     * @throws IOException also when what came is no message
     */
    @Nullable
    Message receive() throws IOException {
        Message message = receive(MAX_BYTES, NO_DEADLINE);
        while (message instanceof Message.Alive) {
            message = receive(MAX_BYTES, NO_DEADLINE);
        }
        return message;
    }

    /**
     * The next message of at most so many bytes, all of which must have come at a moment: a stranger may send them one by
     * one.
     *
     * @throws SocketTimeoutException when they have not
     */
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
            throw new IOException("what came is no message: is it the same version of Reprobe?", e);
        }
        throw new IOException("what came is no message");
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

    /** The address of this host that the other side uses. */
    String localHost() {
        return socket.getLocalAddress().getHostAddress();
    }

    boolean isLoopback() {
        return socket.getInetAddress().isLoopbackAddress();
    }

    /** Tells the other side to end, and closes. */
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
            // A socket that can't be closed in order is not used any more either.
        }
    }
}
