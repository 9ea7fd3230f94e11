package org.reprobe.fabric.verbs;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RemoteRegion;

/**
 * Client processes of a server, one per TCP connection ({@link VerbsControl}), and the run of each. A process belongs
 * to exactly one run: the one that is current when it connects, otherwise the next one that begins while it is
 * connected. Its reports count in this run only, however late its end is detected.
 */
final class Sessions implements AutoCloseable {
    /** Session number of a client without a known session. */
    static final int UNKNOWN = 0;

    private final ServerSocket socket;
    private final long token;
    private final RemoteRegion selfTest;
    private final Object lock = new Object();
    private final Set<Session> sessions = new HashSet<>();
    private int lastNumber = UNKNOWN;
    private @Nullable ServingRun serving;
    private @Nullable String broken;

    private volatile boolean closed;

    private static final class Session {
        private int number;
        private int clients;
        private int ended;
        private @Nullable ServingRun run;
    }

    static final class ServingRun {
        private final int clients;
        private int ended;
        private @Nullable String failed;

        private ServingRun(int clients) {
            this.clients = clients;
        }
    }

    /** Starts to accept processes. Each receives the self-test's region. {@link #close} closes the socket. */
    Sessions(ServerSocket socket, long token, RemoteRegion selfTest) {
        this.socket = socket;
        this.token = token;
        this.selfTest = selfTest;
        Thread.ofPlatform().name("verbs-control").daemon().start(this::accept);
    }

    InetSocketAddress address() {
        return (InetSocketAddress) socket.getLocalSocketAddress();
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = socket.accept();
                Thread.ofPlatform().name("verbs-session").daemon().start(() -> serve(client));
            } catch (IOException _) {
                return; // the socket was closed
            }
        }
    }

    /** Serves one process. Its connection is closed after the session has been removed, not before. */
    private void serve(Socket client) {
        try (VerbsControl control = new VerbsControl(client)) {
            if (control.in().readLong() != token) {
                return;
            }
            Session session = new Session();
            session.clients = control.in().readInt();
            begin(session);
            try {
                listen(session, control);
            } catch (IOException _) {
                // The process has ended, and so have all its clients, whatever it has reported.
            } finally {
                end(session);
            }
        } catch (IOException _) {
            // Not a client, or disconnected.
        }
    }

    private void listen(Session session, VerbsControl control) throws IOException {
        control.out().writeLong(selfTest.address());
        control.out().writeLong(selfTest.bytes());
        control.out().writeInt(selfTest.key());
        control.out().writeInt(session.number);
        control.out().flush();
        control.startHeartbeat();
        for (int what = control.in().read(); what >= 0; what = control.in().read()) {
            if (what == VerbsControl.CLIENT_ENDED) {
                ended(session, 1);
            }
        }
    }

    private void begin(Session session) {
        synchronized (lock) {
            session.number = ++lastNumber;
            session.run = serving;
            sessions.add(session);
        }
    }

    private void end(Session session) {
        synchronized (lock) {
            ended(session, session.clients - session.ended);
            sessions.remove(session);
        }
    }

    /** Returns true if a process is still connected. Late connections of processes that are not are discarded. */
    boolean isPresent(int number) {
        synchronized (lock) {
            return number == UNKNOWN || sessions.stream().anyMatch(session -> session.number == number);
        }
    }

    private void ended(Session session, int clients) {
        synchronized (lock) {
            session.ended += clients;
            if (session.run != null) {
                session.run.ended += clients;
            }
        }
    }

    /** Begins a run of a server program; connected processes without a run join it. */
    ServingRun serve(int clients) {
        ServingRun run = new ServingRun(clients);
        synchronized (lock) {
            if (serving != null) {
                throw new IllegalStateException("a server program runs already");
            }
            for (Session session : sessions) {
                if (session.run == null) {
                    session.run = run;
                    run.ended += session.ended;
                }
            }
            serving = run;
        }
        return run;
    }

    void stopServing() {
        synchronized (lock) {
            serving = null;
        }
    }

    /** Fails the current run, if any. */
    void fail(String why) {
        synchronized (lock) {
            if (serving != null && serving.failed == null) {
                serving.failed = why;
            }
        }
    }

    /** Fails the current run and all later ones. */
    void breakDown(String why) {
        synchronized (lock) {
            if (broken == null) {
                broken = why;
            }
        }
    }

    /** Returns true if all clients of a run have ended; throws if the run can't continue. */
    boolean clientsHaveEnded(ServingRun run) throws FabricException {
        synchronized (lock) {
            String why = run.failed != null ? run.failed : broken;
            if (why != null) {
                throw new FabricException(why);
            }
            if (closed || Thread.currentThread().isInterrupted()) {
                throw new FabricException("the run was ended");
            }
            return run.ended >= run.clients;
        }
    }

    /** Stops accepting processes. Connected ones detect the end when this process exits. */
    @Override
    public void close() {
        closed = true;
        try {
            socket.close();
        } catch (IOException _) {
            // already closed
        }
    }
}
