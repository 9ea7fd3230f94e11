package org.reprobe.fabric.verbs;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * A TCP connection beside the queue pairs of a process of clients. The client says the token, its number of clients, and each
 * end of one; the server answers with the region of the self-test. Both say every second that they live: RDMA alone would
 * not tell a server that its idle client has lost power. The client ends it and waits until the server has ended it, too.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the heartbeat ends with its executor
final class Control implements AutoCloseable {
    static final byte ALIVE = 0;
    static final byte CLIENT_ENDED = 1;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final ScheduledExecutorService heart;
    private final CountDownLatch atEnd = new CountDownLatch(1);

    Control(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Waits.GONE_MS);
        this.in = new DataInputStream(socket.getInputStream());
        this.out = new DataOutputStream(socket.getOutputStream());
        this.heart = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("verbs-heartbeat").daemon().factory());
    }

    DataInputStream in() {
        return in;
    }

    DataOutputStream out() {
        return out;
    }

    void startHeartbeat() {
        heart.scheduleAtFixedRate(
                () -> {
                    try {
                        say(ALIVE);
                    } catch (IOException _) {
                        heart.shutdown(); // the reader notices as well
                    }
                },
                Waits.HEARTBEAT_MS,
                Waits.HEARTBEAT_MS,
                TimeUnit.MILLISECONDS);
    }

    void say(byte what) throws IOException {
        synchronized (out) {
            out.writeByte(what);
            out.flush();
        }
    }

    /** Reads what the other side says until it has ended the connection; then {@link #end} goes on. */
    void readToTheEnd() throws IOException {
        try {
            while (in.read() >= 0) {
                // it lives
            }
        } finally {
            atEnd.countDown();
        }
    }

    /**
     * Ends the connection in order: when this returns the other side knows, if it lives, and has forgotten this process. Some
     * thread must be {@link #readToTheEnd reading}.
     */
    void end() {
        heart.shutdownNow();
        boolean interrupted = Thread.interrupted(); // who is told to stop must not leave a process behind at the server
        try {
            socket.shutdownOutput();
            atEnd.await(Waits.GONE_MS, TimeUnit.MILLISECONDS);
        } catch (IOException _) {
            // The other side has ended it already.
        } catch (InterruptedException _) {
            interrupted = true;
        }
        close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        heart.shutdownNow();
        close(socket);
    }

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // closed is closed
        }
    }
}
