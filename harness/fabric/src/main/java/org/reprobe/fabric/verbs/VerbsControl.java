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
 * TCP connection of a client process, in addition to its queue pairs. The client sends the token, its number of clients
 * and a message at each client's end; the server replies with the self-test's region. Both send one heartbeat per
 * second, since RDMA does not reveal that an idle client has lost power. The client closes the connection first and
 * waits until the server has closed it.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the heartbeat ends with its executor
final class VerbsControl implements AutoCloseable {
    static final byte HEARTBEAT = 0;
    static final byte CLIENT_ENDED = 1;

    private final Socket socket;
    private final DataInputStream in;
    private final DataOutputStream out;
    private final ScheduledExecutorService heartbeat;
    private final CountDownLatch atEnd = new CountDownLatch(1);

    VerbsControl(Socket socket) throws IOException {
        this.socket = socket;
        socket.setTcpNoDelay(true);
        socket.setSoTimeout(Waits.GONE_MS);
        this.in = new DataInputStream(socket.getInputStream());
        this.out = new DataOutputStream(socket.getOutputStream());
        this.heartbeat = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("verbs-heartbeat").daemon().factory());
    }

    DataInputStream in() {
        return in;
    }

    DataOutputStream out() {
        return out;
    }

    void startHeartbeat() {
        heartbeat.scheduleAtFixedRate(
                () -> {
                    try {
                        send(HEARTBEAT);
                    } catch (IOException _) {
                        heartbeat.shutdown(); // the reader detects the failure as well
                    }
                },
                Waits.HEARTBEAT_MS,
                Waits.HEARTBEAT_MS,
                TimeUnit.MILLISECONDS);
    }

    void send(byte what) throws IOException {
        synchronized (out) {
            out.writeByte(what);
            out.flush();
        }
    }

    /** Reads until the other side has closed the connection, which unblocks {@link #end}. */
    void readUntilEnd() throws IOException {
        try {
            while (in.read() >= 0) {
                // Heartbeat: no payload.
            }
        } finally {
            atEnd.countDown();
        }
    }

    /** Closes, and waits until a live peer has removed this process; another thread must {@link #readUntilEnd}. */
    void end() {
        heartbeat.shutdownNow();
        boolean interrupted =
                Thread.interrupted(); // the server must remove this process even if the thread is interrupted
        try {
            socket.shutdownOutput();
            atEnd.await(Waits.GONE_MS, TimeUnit.MILLISECONDS);
        } catch (IOException _) {
            // The other side has closed it already.
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
        heartbeat.shutdownNow();
        close(socket);
    }

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException _) {
            // already closed
        }
    }
}
