package org.reprobe.fabric.tcp;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.FabricServer;
import org.reprobe.fabric.OffHeapBuffers;
import org.reprobe.fabric.Peers;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.ServerProgram;
import org.reprobe.trust.Handshake;
import org.reprobe.trust.HostPort;
import org.reprobe.trust.Secret;
import org.reprobe.trust.UnauthenticatedConnections;

/** Server over sockets: event loops execute clients' requests, in order per connection. */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events report the results of writes and closes
public final class TcpServer implements FabricServer {
    private static final int BACKLOG = 1024;

    private final TcpSettings settings;
    private final Secret token = Secret.random();
    private final TcpRegions regions = new TcpRegions();
    private final Map<Long, Arena> memories = new ConcurrentHashMap<>();
    private final Arena programs = Arena.ofShared();

    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private final UnauthenticatedConnections<Channel> unauthenticated =
            new UnauthenticatedConnections<>(UnauthenticatedConnections.limit());
    private final EventLoopGroup loops;
    private final Channel listening;
    private volatile @Nullable TcpServing serving;
    private volatile boolean closed;

    public static TcpServer onLoopback(TcpSettings settings) throws FabricException {
        return new TcpServer(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), settings);
    }

    /** Starts a server that listens on {@code address}, whose port 0 selects a free one. */
    public TcpServer(InetSocketAddress address, TcpSettings settings) throws FabricException {
        if (address.isUnresolved()) {
            throw new FabricException("unknown host to listen on: " + address.getHostString());
        }
        Handshake.warmUp(); // before clients connect: the greeting has a time limit
        this.settings = settings;
        this.loops = new MultiThreadIoEventLoopGroup(
                settings.serverThreads(),
                new DefaultThreadFactory("tcp-server", true),
                settings.transport().factory());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(loops)
                .channel(settings.transport().serverChannel())
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .option(ChannelOption.SO_REUSEADDR, true)
                .childHandler(new Acceptor());
        TcpConnection.options(settings).forEach((option, value) -> childOption(bootstrap, option, value));
        ChannelFuture bound = bootstrap.bind(address).awaitUninterruptibly();
        Throwable why = bound.cause();
        if (why != null) {
            loops.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new FabricException("can't listen on " + HostPort.text(address) + ": " + why.getMessage(), why);
        }
        this.listening = bound.channel();
    }

    @SuppressWarnings("unchecked") // an option and its value are put together in one place
    private static <T> void childOption(ServerBootstrap bootstrap, ChannelOption<T> option, Object value) {
        bootstrap.childOption(option, (T) value);
    }

    private final class Acceptor extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            if (closed) {
                channel.close();
                return;
            }
            InetSocketAddress from = (InetSocketAddress) channel.remoteAddress();
            if (from == null) { // already disconnected
                channel.close();
                return;
            }
            Channel evicted = unauthenticated.admit(channel, from.getAddress());
            if (evicted != null) {
                evicted.close();
            }
            channels.add(channel);
            channel.pipeline().addLast(new TcpServerConnection(TcpServer.this, channel));
        }
    }

    TcpSettings settings() {
        return settings;
    }

    TcpRegions regions() {
        return regions;
    }

    Secret token() {
        return token;
    }

    /** Notes that a connection's first frame had the first proof. */
    void expect(Channel channel) {
        unauthenticated.expect(channel);
    }

    /** Notes that a connection has completed the handshake, or is closed. */
    void forgetUnauthenticated(Channel channel) {
        unauthenticated.forget(channel);
    }

    @Override
    public void awaitEnded(int first, int count) throws FabricException, InterruptedException {
        long untilNs = System.nanoTime() + settings.silence().toNanos();
        while (channels.stream().anyMatch(channel -> isOf(channel, first, count))) {
            if (System.nanoTime() - untilNs > 0) {
                throw new FabricException("a connection of an ended process stays open");
            }
            Thread.sleep(1);
        }
    }

    private static boolean isOf(Channel channel, int first, int count) {
        TcpServerConnection connection = channel.pipeline().get(TcpServerConnection.class);
        return connection != null && connection.isOfClient(first, count);
    }

    void gone(Channel channel) {
        channels.remove(channel);
    }

    @Nullable
    TcpServing serving() {
        return serving;
    }

    boolean isClosed() {
        return closed;
    }

    @Override
    public MemorySegment allocate(long bytes) throws FabricException {
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = OffHeapBuffers.allocate(bytes, arena);
            memories.put(memory.address(), arena);
            return memory;
        } catch (FabricException e) {
            arena.close();
            throw e;
        }
    }

    @Override
    public RemoteRegion register(MemorySegment memory) {
        return regions.register(memory);
    }

    @Override
    public void deregister(RemoteRegion region) {
        regions.deregister(region);
        // A request that found the region before its removal is complete once each event loop has run another task.
        for (EventExecutor loop : loops) {
            if (!loop.inEventLoop() && !loop.isShuttingDown()) {
                loop.submit(() -> {}).awaitUninterruptibly();
            }
        }
    }

    @Override
    public void free(MemorySegment memory) {
        Arena arena = memories.remove(memory.address());
        if (arena == null) {
            throw new IllegalArgumentException("the memory was not allocated by this server, or has been freed");
        }
        arena.close();
    }

    @Override
    public String endpoint() {
        InetSocketAddress address = (InetSocketAddress) listening.localAddress();
        return new TcpEndpoint(host(address), address.getPort(), token).secret();
    }

    private static String host(InetSocketAddress address) {
        if (address.getAddress().isAnyLocalAddress()) {
            try {
                return InetAddress.getLocalHost().getHostAddress();
            } catch (UnknownHostException e) {
                return InetAddress.getLoopbackAddress().getHostAddress();
            }
        }
        return address.getAddress().getHostAddress();
    }

    @Override
    public void serve(int clients, ServerProgram program, Peers peers) throws FabricException, InterruptedException {
        TcpServing current = new TcpServing(clients, programs, this, peers);
        serving = current;
        try {
            program.run(current);
        } catch (FabricException e) {
            if (Thread.interrupted()) {
                throw (InterruptedException) new InterruptedException().initCause(e);
            }
            throw e;
        } finally {
            current.leave();
            if (serving == current) { // otherwise another program has begun
                serving = null;
            }
        }
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        TcpServing current = serving;
        if (current != null) {
            current.lose("the server was closed");
        }
        listening.close().awaitUninterruptibly();
        channels.forEach(Channel::close);
        loops.shutdownGracefully(0, 2, TimeUnit.SECONDS).awaitUninterruptibly();
        memories.values().forEach(Arena::close);
        memories.clear();
        programs.close();
    }
}
