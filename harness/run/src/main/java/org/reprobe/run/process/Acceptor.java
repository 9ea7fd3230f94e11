package org.reprobe.run.process;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.analysis.document.Quantities;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;
import org.reprobe.trust.UnauthenticatedConnections;

/**
 * Acceptor of connections from processes that prove a secret. Unauthenticated connections are closed: each has a total
 * time limit, their number is limited, and none delays the others.
 */
final class Acceptor implements AutoCloseable {
    /** Time limit in ms of a whole greeting: a process just started on a busy machine needs seconds. */
    private static final long GREETING_MS = OwnJvm.patienceMs(20_000);

    static final int MAX_UNAUTHENTICATED = UnauthenticatedConnections.limit();
    /** Connections that may wait to be accepted: the kernel drops others. */
    private static final int BACKLOG = 1_024;

    /**
     * Shortest time in which {@link #MAX_UNAUTHENTICATED} connections are accepted. A connection closed for newer ones
     * is at least half as old, and its first message has been read, however fast others connect; those wait in the
     * kernel's queue.
     */
    private static final long GRACE_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Delay in ms before the next attempt if accepting fails, as when all descriptors are in use. */
    private static final long TRY_AGAIN_MS = 100;

    private final ServerSocket socket;
    private final Supplier<List<Secret>> expected;
    private final long greetingMs;
    private final UnauthenticatedConnections<MessageConnection> unauthenticated =
            new UnauthenticatedConnections<>(MAX_UNAUTHENTICATED);
    private final AtomicInteger unprovenCount = new AtomicInteger();
    private final LinkedBlockingQueue<MessageConnection.Authenticated> authenticated = new LinkedBlockingQueue<>();

    /** @param expected accepted secrets, read for each connection */
    Acceptor(ServerSocket socket, Supplier<List<Secret>> expected) {
        this(socket, expected, GREETING_MS);
    }

    Acceptor(ServerSocket socket, Supplier<List<Secret>> expected, long greetingMs) {
        this.socket = socket;
        this.expected = expected;
        this.greetingMs = greetingMs;
        Thread.ofPlatform().daemon().name("acceptor").start(this::acceptAll);
    }

    static ServerSocket listen(InetSocketAddress at) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.bind(at, BACKLOG);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw new IOException("can't listen on " + HostPort.text(at) + ": " + e.getMessage(), e);
        }
    }

    ServerSocket socket() {
        return socket;
    }

    /** Returns the next authenticated process; null if there is none within {@code ms} milliseconds. */
    MessageConnection.@Nullable Authenticated next(long ms) throws InterruptedException {
        return authenticated.poll(ms, TimeUnit.MILLISECONDS);
    }

    private void acceptAll() {
        long[] acceptedNs = new long[MAX_UNAUTHENTICATED];
        Arrays.fill(acceptedNs, System.nanoTime() - GRACE_NS);
        int next = 0;
        while (!socket.isClosed()) {
            try {
                Socket come = socket.accept();
                LockSupport.parkNanos(acceptedNs[next] + GRACE_NS - System.nanoTime());
                acceptedNs[next] = System.nanoTime();
                next = (next + 1) % MAX_UNAUTHENTICATED;
                begin(come);
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                try {
                    Thread.sleep(TRY_AGAIN_MS); // time limits close connections and free descriptors
                } catch (InterruptedException interrupted) {
                    return;
                }
            }
        }
    }

    private void begin(Socket come) throws IOException {
        MessageConnection connection;
        try {
            connection = new MessageConnection(come);
        } catch (SocketException e) {
            come.close(); // closed by the other side: not an error
            return;
        }
        MessageConnection evicted = unauthenticated.admit(connection, come.getInetAddress());
        if (evicted != null) {
            evicted.close();
        }
        try {
            Thread.ofVirtual().start(() -> welcome(connection));
        } catch (OutOfMemoryError e) {
            unauthenticated.forget(connection);
            connection.close();
            throw e;
        }
    }

    /** Returns a clause on connections without a valid proof, after a blank; empty if there were none. */
    String unauthenticatedNote() {
        int count = unprovenCount.get();
        return count == 0
                ? ""
                : "; " + Quantities.count(count, "connection") + " to "
                        + HostPort.text(socket.getInetAddress().getHostAddress(), socket.getLocalPort())
                        + " without a valid token: check which other programs connect there";
    }

    private void welcome(MessageConnection connection) {
        boolean welcome = false;
        try {
            MessageConnection.Authenticated accepted = connection.welcome(
                    expected,
                    System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(greetingMs),
                    () -> unauthenticated.expect(connection));
            if (accepted != null) {
                authenticated.add(accepted);
                welcome = true;
            }
        } catch (IOException e) {
            // Unauthenticated or closed by the other side.
        } finally {
            unauthenticated.forget(connection);
            if (!welcome) {
                unprovenCount.incrementAndGet();
                connection.close();
            }
        }
    }

    /** Stops accepting; processes that were not needed are ended. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // A socket that fails to close does not accept either.
        }
        for (MessageConnection.Authenticated accepted = authenticated.poll();
                accepted != null;
                accepted = authenticated.poll()) {
            accepted.connection().end(Message.End.DONE);
        }
    }
}
