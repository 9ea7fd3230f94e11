package org.reprobe.fabric.tcp;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.reprobe.fabric.Completions;
import org.reprobe.fabric.ConnectionOptions;
import org.reprobe.fabric.FabricException;
import org.reprobe.fabric.QueuePair;
import org.reprobe.fabric.RemoteRegion;
import org.reprobe.fabric.Servers;
import org.reprobe.trust.Handshake;

/**
 * READs of 64 bytes per second over one connection, in posted batches; beside an echo of the same sizes without READs:
 * a Netty server that replies to each 24 bytes with 72, and a client with one blocking socket, the minimum. Read
 * {@code requests}, not the score, which counts batches.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(value = 2, jvmArgsAppend = "--enable-native-access=ALL-UNNAMED")
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class TcpBenchmark {
    private static final int REQUEST_BYTES = 24;
    private static final int ANSWER_BYTES = 72;
    private static final int READ_BYTES = 64;
    private static final int SLOTS = 1 << 16;
    /** Batches per turn: about a millisecond. */
    private static final int TURN = 40;

    /** Replies; JMH divides them by the time. */
    @AuxCounters(AuxCounters.Type.OPERATIONS)
    @State(Scope.Thread)
    public static class Counted {
        public long requests;
    }

    @State(Scope.Thread)
    public static class Reads {
        @Param({"EPOLL", "IO_URING", "NIO"})
        private Transport transport = Transport.NIO;

        private @Nullable TcpServer server;
        private @Nullable ClientLoop loop;
        private @Nullable QueuePair queuePair;
        private @Nullable RemoteRegion region;
        private @Nullable Arena arena;
        private final Completions completions = new Completions(16);
        private int at;

        @Setup(Level.Trial)
        public void open() throws Exception {
            TcpSettings settings = TcpSettings.defaults().with(transport);
            server = TcpServer.onLoopback(settings);
            region = server.register(server.allocate((long) SLOTS * READ_BYTES));
            arena = Arena.ofConfined();
            loop = new ClientLoop(List.of(TcpEndpoint.parse(server.endpoint())), settings, false, false);
            TcpClient client = new TcpClient(0, Servers.NONE, () -> {}, arena, loop);
            queuePair = client.connect(client.allocate(16 * READ_BYTES), new ConnectionOptions(64, 16));
        }

        @TearDown(Level.Trial)
        public void close() {
            Objects.requireNonNull(loop).close();
            Objects.requireNonNull(server).close();
            Objects.requireNonNull(arena).close();
        }

        private void read(int batch) throws FabricException {
            QueuePair connection = Objects.requireNonNull(queuePair);
            RemoteRegion remote = Objects.requireNonNull(region);
            for (int i = 0; i < batch; i++) {
                at = (at + 40503) & (SLOTS - 1);
                long address = remote.address() + (long) at * READ_BYTES;
                connection.read(i, (long) i * READ_BYTES, address, remote.key(), READ_BYTES, i == batch - 1);
            }
            connection.doorbell();
            connection.await(completions);
        }
    }

    @State(Scope.Thread)
    public static class Echo {
        private @Nullable EventLoopGroup loops;
        private @Nullable SocketChannel socket;
        private final ByteBuffer request = ByteBuffer.allocateDirect(16 * REQUEST_BYTES);
        private final ByteBuffer answer = ByteBuffer.allocateDirect(16 * ANSWER_BYTES);

        @Setup(Level.Trial)
        public void open() throws Exception {
            Transport transport = Transport.best();
            loops = new MultiThreadIoEventLoopGroup(1, transport.factory());
            Channel server = new ServerBootstrap()
                    .group(loops)
                    .channel(transport.serverChannel())
                    .childOption(ChannelOption.TCP_NODELAY, true)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Answering());
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            socket = SocketChannel.open(server.localAddress());
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }

        @TearDown(Level.Trial)
        public void close() throws Exception {
            Objects.requireNonNull(socket).close();
            Objects.requireNonNull(loops)
                    .shutdownGracefully(0, 1, TimeUnit.SECONDS)
                    .sync();
        }

        private void ask(int batch) throws IOException {
            SocketChannel channel = Objects.requireNonNull(socket);
            request.clear().limit(batch * REQUEST_BYTES);
            while (request.hasRemaining()) {
                channel.write(request);
            }
            answer.clear().limit(batch * ANSWER_BYTES);
            while (answer.hasRemaining()) {
                channel.read(answer);
            }
        }

        /** Replies to each 24 bytes with 72. */
        private static final class Answering extends ChannelInboundHandlerAdapter {
            private int had;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ByteBuf in = (ByteBuf) message;
                int bytes = had + in.readableBytes();
                had = bytes % REQUEST_BYTES;
                in.release();
                int answers = bytes / REQUEST_BYTES;
                if (answers > 0) {
                    ByteBuf out = context.alloc().directBuffer(answers * ANSWER_BYTES);
                    out.writeZero(answers * ANSWER_BYTES);
                    context.write(out, context.voidPromise());
                }
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext context) {
                context.flush();
            }
        }
    }

    @Benchmark
    public void readListOf16(Reads reads, Counted counted) throws Exception {
        reads.read(16);
        counted.requests += 16;
    }

    @Benchmark
    public void readOne(Reads reads, Counted counted) throws Exception {
        reads.read(1);
        counted.requests++;
    }

    @Benchmark
    public void echoListOf16(Echo echo, Counted counted) throws Exception {
        echo.ask(16);
        counted.requests += 16;
    }

    @Benchmark
    public void echoOne(Echo echo, Counted counted) throws Exception {
        echo.ask(1);
        counted.requests++;
    }

    /**
     * Alternating times of both: other load of the machine affects both alike, so their ratio is stable where rates are
     * not.
     */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Turns {
        public long readNs;
        public long echoNs;
    }

    @Benchmark
    public void turnsOfLists(Reads reads, Echo echo, Turns turns) throws Exception {
        takeTurns(reads, echo, turns, 16);
    }

    @Benchmark
    public void turnsOfOne(Reads reads, Echo echo, Turns turns) throws Exception {
        takeTurns(reads, echo, turns, 1);
    }

    private static void takeTurns(Reads reads, Echo echo, Turns turns, int batch) throws Exception {
        long startNs = System.nanoTime();
        for (int i = 0; i < TURN; i++) {
            reads.read(batch);
        }
        long halfNs = System.nanoTime();
        for (int i = 0; i < TURN; i++) {
            echo.ask(batch);
        }
        turns.readNs += halfNs - startNs;
        turns.echoNs += System.nanoTime() - halfNs;
    }

    /** Two ends without a socket between them: the cost of encoding, serving and decoding a batch of 16 READs. */
    @State(Scope.Thread)
    public static class Codec implements TcpPeer.Events, TcpQueuePair.Program {
        private final TcpRegions regions = new TcpRegions();
        private final Arena arena = Arena.ofConfined();
        private final TcpPeer server = new TcpPeer(regions, this, chunk -> toClient(chunk), true);
        private final TcpPeer client = new TcpPeer(new TcpRegions(), this, chunk -> toServer(chunk), false);
        private final TcpQueuePair queuePair = new TcpQueuePair(
                client, this, this::produce, arena.allocate(16 * READ_BYTES), new ConnectionOptions(64, 16));
        private final RemoteRegion region = regions.register(arena.allocate((long) SLOTS * READ_BYTES, 64));
        private final Completions completions = new Completions(16);
        private int at;

        @Setup(Level.Trial)
        public void greet() {
            client.use(queuePair);
            client.hello(new byte[Handshake.NONCE_BYTES], new byte[Handshake.PROOF_BYTES], Frames.QUEUE_PAIR, 0);
        }

        private void toServer(Chunk chunk) {
            pass(chunk, server);
        }

        private void toClient(Chunk chunk) {
            pass(chunk, client);
        }

        private static void pass(Chunk chunk, TcpPeer to) {
            int bytes = chunk.buffer.readableBytes();
            MemorySegment.copy(chunk.memory, 0, to.input().memory, to.to(), bytes);
            chunk.buffer.release();
            try {
                to.received(to.to() + bytes);
                to.produce();
            } catch (MalformedFrameException e) {
                throw new IllegalStateException(e);
            }
        }

        private void produce() {
            try {
                client.produce();
            } catch (MalformedFrameException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void look(TcpQueuePair end) {
            // All is done at the doorbell.
        }

        @Override
        public void step(TcpQueuePair end) {
            throw new IllegalStateException("all is done at the doorbell");
        }

        @Override
        public byte[] hello(MemorySegment memory, long at) {
            return new byte[Handshake.NONCE_BYTES]; // no stranger
        }

        @Override
        public byte[] proven(byte[] proof) {
            return new byte[Handshake.PROOF_BYTES];
        }

        @Override
        public byte[] challenged(byte[] nonce) {
            return new byte[Handshake.PROOF_BYTES];
        }

        @Override
        public void welcomed(byte[] proof) {
            // Always authenticated.
        }

        @Override
        public void ended(int clients) {
            // Never.
        }

        @Override
        public void close() {
            // Never.
        }
    }

    @Benchmark
    public void codecBatchOf16(Codec codec, Counted counted) throws Exception {
        for (int i = 0; i < 16; i++) {
            codec.at = (codec.at + 40503) & (SLOTS - 1);
            codec.queuePair.read(
                    i,
                    (long) i * READ_BYTES,
                    codec.region.address() + (long) codec.at * READ_BYTES,
                    codec.region.key(),
                    READ_BYTES,
                    i == 15);
        }
        codec.queuePair.doorbell();
        if (codec.queuePair.poll(codec.completions) != 1) {
            throw new IllegalStateException("no completion");
        }
        counted.requests += 16;
    }
}
