package org.reprobe.fabric.tcp;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ManualIoEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.RunOverException;
import org.reprobe.fabric.Servers;

/**
 * An event loop that its user drives: the thread that waits for an answer does the input and output itself, so nothing is
 * handed from thread to thread. For one thread, but for {@link #end}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // how a write or a close ends is told by the channel's events
final class ClientLoop implements AutoCloseable {
    /** Attempts to connect while the server closes connections during the greeting, as it does when it has too many. */
    private static final int TRIES = 8;

    private static final long TRY_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Only a bound: {@link #end} wakes the thread. */
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How long the last bytes of a client may take to leave once its program has ended. */
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(1);

    private final List<TcpEndpoint> endpoints;
    private final TcpSettings settings;
    private final ManualIoEventLoop loop;
    private final List<ClientConnection> connections = new ArrayList<>();
    private final boolean serversMayBeLost;
    private final boolean ofServer;
    private volatile boolean ended;

    /**
     * @param endpoints of the servers, by number
     * @param serversMayBeLost whether a connection that is lost is no error
     * @param ofServer whether its thread is a server program's, which is ended by an interrupt
     */
    ClientLoop(List<TcpEndpoint> endpoints, TcpSettings settings, boolean serversMayBeLost, boolean ofServer) {
        this.serversMayBeLost = serversMayBeLost;
        this.endpoints = endpoints;
        this.settings = settings;
        this.ofServer = ofServer;
        this.loop = new ManualIoEventLoop(
                Thread.currentThread(), settings.transport().factory());
    }

    /** Whether a connection that is lost is no error. */
    boolean serversMayBeLost() {
        return serversMayBeLost;
    }

    /** Whether a connection is lost, and may be. */
    boolean isForgotten(ClientConnection connection) {
        return serversMayBeLost && connection.peer.lost() != null;
    }

    /** Ends all waits. From any thread. */
    void end() {
        ended = true;
        loop.wakeup();
    }

    /** Ends the wait that is going on. From any thread. */
    void wake() {
        loop.wakeup();
    }

    /** Throws when the run was ended. */
    void check() throws FabricException {
        if (ended || (ofServer && Thread.currentThread().isInterrupted())) {
            throw new RunOverException("the run was ended");
        }
    }

    /**
     * Connects and says hello.
     *
     * @param server its number
     * @param kind of {@link Frames}
     * @param number index of the client or number of clients
     */
    ClientConnection connect(int server, int kind, int number) throws FabricException {
        Servers.check(server, endpoints.size());
        for (int tried = 1; ; tried++) {
            ClientConnection connection = begin(endpoints.get(server), kind, number);
            while (!connection.peer.greeted() && connection.peer.lost() == null) {
                step(connection);
            }
            if (connection.peer.greeted() || tried == TRIES) {
                connection.peer.check();
                connections.add(connection);
                return connection;
            }
            connection.channel().close();
            pause(tried * TRY_AGAIN_NS);
        }
    }

    private ClientConnection begin(TcpEndpoint endpoint, int kind, int number) throws FabricException {
        @Nullable ClientConnection[] made = new ClientConnection[1];
        Bootstrap bootstrap = new Bootstrap()
                .group(loop)
                .channel(settings.transport().channel())
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, TcpConnection.millis(settings.silence()))
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        ClientConnection connection = new ClientConnection(channel, endpoint);
                        made[0] = connection;
                        channel.pipeline().addLast(connection);
                    }
                });
        TcpConnection.options(settings).forEach((option, value) -> option(bootstrap, option, value));
        ChannelFuture connecting = bootstrap.connect(endpoint.resolve());
        while (!connecting.isDone()) {
            run(WAIT_NS);
        }
        Throwable why = connecting.cause();
        if (why != null) {
            throw new FabricException("can't connect to the server at " + endpoint.place() + ": " + reason(why), why);
        }
        ClientConnection connection = Objects.requireNonNull(made[0]);
        connection.hello(kind, number);
        return connection;
    }

    /** Netty's message ends with the address, which is said already. */
    private static String reason(Throwable why) {
        String message = String.valueOf(why.getMessage());
        return message.contains("refused") ? "nobody listens there" : message;
    }

    @SuppressWarnings("unchecked") // an option and its value are put together in one place
    private static <T> void option(Bootstrap bootstrap, ChannelOption<T> option, Object value) {
        bootstrap.option(option, (T) value);
    }

    private void run(long ns) throws FabricException {
        loop.run(ns);
        check();
    }

    /** Does what input and output is ready. */
    void look() throws FabricException {
        loop.runNow();
        check();
    }

    /** Waits for input or output of any connection, not for ever. Throws when {@code connection} is silent for too long. */
    void step(ClientConnection connection) throws FabricException {
        if (loop.run(WAIT_NS) == 0) {
            check();
            listen(connection);
        } else if (ended) {
            check();
        }
    }

    /** Waits for input or output of any connection, not for ever. Throws when one of {@code watched} is silent for too long. */
    void step(List<ClientConnection> watched) throws FabricException {
        run(WAIT_NS);
        for (ClientConnection connection : watched) {
            if (!isForgotten(connection)) {
                listen(connection);
            }
        }
    }

    /** Waits likewise, {@code maxNs} at most; throws when one of those that are not lost is silent for too long. */
    void stepAll(List<ClientConnection> awaited, long maxNs) throws FabricException {
        if (loop.run(Math.min(WAIT_NS, maxNs)) == 0) {
            check();
            for (ClientConnection connection : awaited) {
                if (connection.peer.lost() == null) {
                    listen(connection);
                }
            }
        } else if (ended) {
            check();
        }
    }

    /** Waits for input or output of any connection, not for ever. */
    void stepAny() throws FabricException {
        run(WAIT_NS);
    }

    private void listen(ClientConnection connection) throws FabricException {
        long nowNs = System.nanoTime();
        if (connection.heard) {
            connection.heard = false;
            connection.silentSinceNs = nowNs;
        } else if (nowNs - connection.silentSinceNs > settings.silence().toNanos()) {
            connection.peer.lose("the server at " + connection.place() + " has been silent for "
                    + settings.silence().toMillis() + " ms: it hangs, or the network does");
            connection.channel().close();
            if (!serversMayBeLost) {
                connection.peer.check();
            }
        }
    }

    /** Lets at least {@code ns} pass. */
    void pause(long ns) throws FabricException {
        long untilNs = System.nanoTime() + ns;
        loop.runNow();
        check();
        for (long left = untilNs - System.nanoTime(); left > 0; left = untilNs - System.nanoTime()) {
            run(Math.min(left, WAIT_NS));
        }
    }

    /** Lets what was posted come to its end, and tells the server that nothing is wrong. */
    void finish() {
        long untilNs = System.nanoTime() + LINGER_NS;
        while (!ended && !drained() && System.nanoTime() < untilNs) {
            loop.run(TimeUnit.MILLISECONDS.toNanos(20));
        }
        for (ClientConnection connection : connections) {
            connection.finish();
        }
        while (!ended && open() && System.nanoTime() < untilNs) {
            loop.run(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    private boolean drained() {
        for (ClientConnection connection : connections) {
            if (connection.peer.lost() == null && !connection.peer.drained()) {
                return false;
            }
        }
        return true;
    }

    private boolean open() {
        for (ClientConnection connection : connections) {
            if (connection.channel().isOpen()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public void close() {
        for (ClientConnection connection : connections) {
            connection.channel().close();
        }
        loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
        while (!loop.isTerminated()) {
            loop.runNow();
        }
    }
}
