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
 * The processes of clients at a server, each by its TCP connection ({@link VerbsControl}), and the run of a server program that
 * each belongs to. A process belongs to one run: to the one that is on when it comes, else to the next one that begins while
 * it is there. What it says of its clients counts in no other run, however late its end is noticed.
 */
final class Sessions implements AutoCloseable {
    /** The number of no session: that of who can't say which is its own. */
    static final int UNKNOWN = 0;

    private final ServerSocket socket;
    private final long token;
    private final RemoteRegion selfTest;
    private final Object lock = new Object();
    private final Set<Session> sessions = new HashSet<>();
    private int lastNumber = UNKNOWN;
    private @Nullable ServingRun serving;
    /** Why no run can go on any more. */
    private @Nullable String broken;

    private volatile boolean closed;

    /** A process of clients. */
    private static final class Session {
        private int number;
        private int clients;
        private int ended;
        private @Nullable ServingRun run;
    }

    /** What a server program runs for. */
    static final class ServingRun {
        private final int clients;
        private int ended;
        private @Nullable String failed;

        private ServingRun(int clients) {
            this.clients = clients;
        }
    }

    /**
     * Greets processes from now on.
     *
     * @param socket closed with this
     * @param selfTest the region that each is told
     */
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
                return; // closed
            }
        }
    }

    /** The client closes its connection when this end is closed, so by then the session is forgotten. */
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
                // The process is gone: its clients have ended, whatever they wanted to say.
            } finally {
                end(session);
            }
        } catch (IOException _) {
            // It was no client, or is none any more.
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

    /** Whether a process is still there: what comes late of one that has gone is nobody's any more. */
    boolean isThere(int number) {
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

    /** Begins a run of a server program; processes that are there and belong to no run yet belong to it. */
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

    /** The program of the run that is on has ended. */
    void serveNoMore() {
        synchronized (lock) {
            serving = null;
        }
    }

    /** Ends the run that is on, if there is one. */
    void fail(String why) {
        synchronized (lock) {
            if (serving != null && serving.failed == null) {
                serving.failed = why;
            }
        }
    }

    /** Ends the run that is on and every later one: the server can't serve any more. */
    void breakDown(String why) {
        synchronized (lock) {
            if (broken == null) {
                broken = why;
            }
        }
    }

    /** Whether all clients of a run have ended. Throws when it can't go on. */
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

    /** Greets no more processes; those that are there find out when this process ends. */
    @Override
    public void close() {
        closed = true;
        try {
            socket.close();
        } catch (IOException _) {
            // closed is closed
        }
    }
}
