package org.reprobe.run.crew;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.reprobe.trust.Secret;
import org.reprobe.trust.Strangers;

/**
 * Where processes come in that prove a secret. Strangers are sent away: each has so much time in all, there are only so many at
 * once, and none holds up the others.
 */
final class Door implements AutoCloseable {
    /** For a whole greeting, however its bytes come. A process that has just started on a busy machine needs seconds for it. */
    private static final long GREETING_MS = OwnJvm.patienceMs(20_000);

    static final int MAX_STRANGERS = 64;
    /** Between tries to take a connection where that fails, as when all descriptors are in use. */
    private static final long TRY_AGAIN_MS = 100;

    private final ServerSocket socket;
    private final Supplier<List<Secret>> expected;
    private final long greetingMs;
    private final Strangers<Line> strangers = new Strangers<>(MAX_STRANGERS);
    private final LinkedBlockingQueue<Line.Guest> guests = new LinkedBlockingQueue<>();

    /** @param expected the secrets of those who may come, asked each time */
    Door(ServerSocket socket, Supplier<List<Secret>> expected) {
        this(socket, expected, GREETING_MS);
    }

    /** @param greetingMs for a whole greeting */
    Door(ServerSocket socket, Supplier<List<Secret>> expected, long greetingMs) {
        this.socket = socket;
        this.expected = expected;
        this.greetingMs = greetingMs;
        Thread.ofPlatform().daemon().name("door").start(this::keep);
    }

    /**
     * Listens.
     *
     * @throws IOException when it can't; in words
     */
    static ServerSocket listen(InetSocketAddress at) throws IOException {
        ServerSocket socket = new ServerSocket();
        try {
            socket.bind(at);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw new IOException(
                    "can't listen on " + at.getHostString() + ":" + at.getPort() + ": " + e.getMessage(), e);
        }
    }

    ServerSocket socket() {
        return socket;
    }

    /** Who has come next; null when nobody has for so long. */
    Line.@Nullable Guest next(long ms) throws InterruptedException {
        return guests.poll(ms, TimeUnit.MILLISECONDS);
    }

    private void keep() {
        while (!socket.isClosed()) {
            try {
                Socket come = socket.accept();
                Line line = new Line(come);
                Line crowdedOut = strangers.admit(line, come.getInetAddress());
                if (crowdedOut != null) {
                    crowdedOut.close();
                }
                Thread.ofVirtual().start(() -> welcome(line));
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                try {
                    Thread.sleep(TRY_AGAIN_MS); // strangers leave, and descriptors with them
                } catch (InterruptedException interrupted) {
                    return;
                }
            }
        }
    }

    private void welcome(Line line) {
        boolean welcome = false;
        try {
            Line.Guest guest = line.welcome(expected, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(greetingMs));
            if (guest != null) {
                line.keepPinging(); // it may be a while until it is needed
                guests.add(guest);
                welcome = true;
            }
        } catch (IOException e) {
            // A stranger, or gone: nobody's business.
        } finally {
            strangers.forget(line);
            if (!welcome) {
                line.close();
            }
        }
    }

    /** Takes nobody any more; who has come and was not needed is told that all is over. */
    @Override
    public void close() {
        try {
            socket.close();
        } catch (IOException e) {
            // Nobody can come in any more, which was wanted.
        }
        for (Line.Guest guest = guests.poll(); guest != null; guest = guests.poll()) {
            guest.line().end(null);
        }
    }
}
