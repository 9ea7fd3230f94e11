package org.reprobe.fabric.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.util.UncheckedBooleanSupplier;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Socket and its {@link TcpPeer}. Netty reads into the peer's chunk and writes the outbox's chunks, so no message needs
 * an allocation. Everything except {@link #close} runs on the channel's event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events report the results of writes and closes
abstract class TcpConnection extends ChannelInboundHandlerAdapter implements TcpPeer.Events {
    /** Marks with which the channel is writable only while nothing is being sent; {@link Outbox} relies on this. */
    private static final WriteBufferWaterMark NOTHING = new WriteBufferWaterMark(1, 1);

    final TcpPeer peer;
    private final Channel channel;
    boolean received;

    private boolean reading = true;

    TcpConnection(Channel channel, TcpRegions regions, boolean server) {
        this.channel = channel;
        this.peer = new TcpPeer(regions, this, this::write, server);
        channel.config().setRecvByteBufAllocator(InputChunk::new);
        channel.config().setWriteBufferWaterMark(NOTHING);
        channel.config().setAutoClose(true);
    }

    static Map<ChannelOption<?>, Object> options(TcpSettings settings) {
        Map<ChannelOption<?>, Object> options = new java.util.HashMap<>();
        options.put(ChannelOption.TCP_NODELAY, true);
        options.put(ChannelOption.SO_KEEPALIVE, true);
        ChannelOption<Integer> userTimeout = settings.transport().userTimeout();
        if (userTimeout != null) {
            options.put(userTimeout, millis(settings.silence()));
        }
        return options;
    }

    static int millis(Duration duration) {
        return Math.clamp(duration.toMillis(), 1, Integer.MAX_VALUE);
    }

    Channel channel() {
        return channel;
    }

    abstract String lostWords(@Nullable String reason);

    final void produce() {
        try {
            peer.produce();
        } catch (MalformedFrameException | RuntimeException e) {
            fail(e);
            return;
        }
        if (reading == peer.paused()) {
            reading = !reading;
            channel.config().setAutoRead(reading);
        }
    }

    /** Ends this connection only. */
    private void fail(Throwable cause) {
        // Exceptions of closed memory have no message for users.
        peer.lose(lostWords(cause instanceof MalformedFrameException ? cause.getMessage() : "its memory was freed"));
        channel.close();
    }

    private void write(Chunk chunk) {
        channel.writeAndFlush(chunk.buffer, channel.voidPromise());
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf buffer = (ByteBuf) message;
        int end = buffer.writerIndex();
        buffer.release();
        received = true;
        try {
            peer.received(end);
        } catch (MalformedFrameException | RuntimeException e) {
            fail(e);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        produce();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        if (channel.isWritable()) {
            produce();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        peer.lose(lostWords(null));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        peer.lose(lostWords(cause instanceof IOException ? cause.getMessage() : null));
        channel.close();
    }

    @Override
    public byte[] challenged(byte[] nonce) throws MalformedFrameException {
        throw new MalformedFrameException("CHALLENGE to a server");
    }

    @Override
    public void welcomed(byte[] proof) throws MalformedFrameException {
        throw new MalformedFrameException("WELCOME to a server");
    }

    @Override
    public byte[] hello(MemorySegment memory, long at) throws MalformedFrameException {
        throw new MalformedFrameException("HELLO from a server");
    }

    @Override
    public byte[] proven(byte[] proof) throws MalformedFrameException {
        throw new MalformedFrameException("PROOF from a server");
    }

    /** Hands the peer's chunk to Netty. */
    @SuppressWarnings("deprecation") // Handle is; its successor extends it
    private final class InputChunk implements RecvByteBufAllocator.ExtendedHandle {
        private int attempted;
        private int last;

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            ByteBuf buffer = peer.input().buffer;
            buffer.setIndex(0, peer.to());
            return buffer.retain();
        }

        @Override
        public int guess() {
            return Chunk.BYTES;
        }

        @Override
        public void reset(ChannelConfig config) {
            last = 0;
        }

        @Override
        public void incMessagesRead(int messages) {
            // Not needed: reading continues as long as chunks are full.
        }

        @Override
        public void lastBytesRead(int bytes) {
            last = bytes;
        }

        @Override
        public int lastBytesRead() {
            return last;
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            attempted = bytes;
        }

        @Override
        public int attemptedBytesRead() {
            return attempted;
        }

        @Override
        public boolean continueReading() {
            return false;
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return false;
        }

        @Override
        public void readComplete() {
            // Nothing to adapt: chunks have one size.
        }
    }
}
