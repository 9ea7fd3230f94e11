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
import org.reprobe.fabric.RunEndedException;
import org.reprobe.fabric.Servers;

/**
 * Event loop without a thread of its own: the thread that waits for a reply performs the input and output, which avoids
 * thread switches. Confined to one thread, except for {@link #end} and {@link #wake}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events report the results of writes and closes
final class ClientLoop implements AutoCloseable {
    /** Maximum number of attempts to connect. A server with too many connections closes some during the greeting. */
    private static final int TRIES = 8;

    private static final long TRY_AGAIN_NS = TimeUnit.MILLISECONDS.toNanos(20);

    /** Maximum time between checks; {@link #end} wakes the thread earlier. */
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Time limit for sending a client's last bytes after the end of its program. */
    private static final long LINGER_NS = TimeUnit.SECONDS.toNanos(1);

    private final List<TcpEndpoint> endpoints;
    private final TcpSettings settings;
    private final ManualIoEventLoop loop;
    private final List<ClientConnection> connections = new ArrayList<>();
    private final boolean serversMayBeLost;
    private final boolean ofServer;
    private volatile boolean ended;

    /** @param ofServer true for the thread of a server program, which an interrupt ends */
    ClientLoop(List<TcpEndpoint> endpoints, TcpSettings settings, boolean serversMayBeLost, boolean ofServer) {
        this.serversMayBeLost = serversMayBeLost;
        this.endpoints = endpoints;
        this.settings = settings;
        this.ofServer = ofServer;
        this.loop = new ManualIoEventLoop(
                Thread.currentThread(), settings.transport().factory());
    }

    boolean serversMayBeLost() {
        return serversMayBeLost;
    }

    boolean isForgotten(ClientConnection connection) {
        return serversMayBeLost && connection.peer.lost() != null;
    }

    /** Ends all waits. Thread-safe. */
    void end() {
        ended = true;
        loop.wakeup();
    }

    /** Ends the current wait. Thread-safe. */
    void wake() {
        loop.wakeup();
    }

    void check() throws FabricException {
        if (ended || (ofServer && Thread.currentThread().isInterrupted())) {
            throw new RunEndedException("the run was ended");
        }
    }

    /** Connects, and completes a greeting of a {@link Frames} kind with the client's index or the number of clients. */
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

    /** Returns the reason without the address, since the caller's message contains it. */
    private static String reason(Throwable why) {
        String message = String.valueOf(why.getMessage());
        return message.contains("refused") ? "no server listens there" : message;
    }

    @SuppressWarnings("unchecked") // an option and its value are put together in one place
    private static <T> void option(Bootstrap bootstrap, ChannelOption<T> option, Object value) {
        bootstrap.option(option, (T) value);
    }

    private void run(long ns) throws FabricException {
        loop.run(ns);
        check();
    }

    void look() throws FabricException {
        loop.runNow();
        check();
    }

    /** Waits up to 100 ms for input or output. Throws if {@code connection} is silent too long, or the run is over. */
    void step(ClientConnection connection) throws FabricException {
        if (loop.run(WAIT_NS) == 0) {
            check();
            listen(connection);
        } else if (ended) {
            check();
        }
    }

    void step(List<ClientConnection> watched) throws FabricException {
        run(WAIT_NS);
        for (ClientConnection connection : watched) {
            if (!isForgotten(connection)) {
                listen(connection);
            }
        }
    }

    /** Waits for input or output; throws if an awaited, not lost connection is silent too long or the run is over. */
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

    void stepAny() throws FabricException {
        run(WAIT_NS);
    }

    private void listen(ClientConnection connection) throws FabricException {
        long nowNs = System.nanoTime();
        if (connection.received) {
            connection.received = false;
            connection.silentSinceNs = nowNs;
        } else if (nowNs - connection.silentSinceNs > settings.silence().toNanos()) {
            connection.peer.lose("no data from the server at " + connection.place() + " for "
                    + settings.silence().toMillis() + " ms: the server hangs, or the network is down");
            connection.channel().close();
            if (!serversMayBeLost) {
                connection.peer.check();
            }
        }
    }

    void pause(long ns) throws FabricException {
        long untilNs = System.nanoTime() + ns;
        loop.runNow();
        check();
        for (long left = untilNs - System.nanoTime(); left > 0; left = untilNs - System.nanoTime()) {
            run(Math.min(left, WAIT_NS));
        }
    }

    /** Completes the posted requests, then closes the connections. */
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
        return connections.stream().allMatch(connection -> connection.peer.lost() != null || connection.peer.drained());
    }

    private boolean open() {
        return connections.stream().anyMatch(connection -> connection.channel().isOpen());
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
