package org.reprobe.fabric.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.Future;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.reprobe.trust.Handshake;
import org.reprobe.trust.HostPort;

/** Server's end of a connection of a queue pair, or of the one on which a process reports ended clients. */
@SuppressWarnings("FutureReturnValueIgnored") // the channel's events report the results of writes and closes
final class TcpServerConnection extends TcpConnection {
    /** Before the greeting. */
    private static final int NONE = -1;

    private final TcpServer server;
    private final String place;
    private @Nullable Future<?> greeting;
    private @Nullable Future<?> heartbeat;
    /** Program at the time of connecting: a late connection of an aborted run must not reach the next program. */
    private final @Nullable TcpServing serving;

    private @Nullable Handshake handshake;
    private volatile int kind = NONE;
    /** Index of the client, or number of clients. */
    private volatile int number;

    private int ended;
    private volatile boolean failed;

    TcpServerConnection(TcpServer server, Channel channel) {
        super(channel, server.regions(), true);
        this.server = server;
        this.serving = server.serving();
        InetSocketAddress from = (InetSocketAddress) channel.remoteAddress();
        this.place = from == null
                ? "an unknown address"
                : HostPort.text(from.getAddress().getHostAddress(), from.getPort());
        greeting = channel.eventLoop()
                .schedule(this::close, server.settings().greeting().toMillis(), TimeUnit.MILLISECONDS);
    }

    @Override
    String lostWords(@Nullable String reason) {
        String peerName = switch (kind) {
            case Frames.GROUP -> "the clients at ";
            case Frames.SERVERS_QUEUE_PAIR -> "the server program at ";
            default -> "client " + number + " at ";
        };
        return "the connection to " + peerName + place + " was lost"
                + (reason == null ? " before it had ended" : ": " + reason);
    }

    @Override
    public byte[] hello(MemorySegment memory, long at) throws MalformedFrameException {
        long word = memory.get(Frames.WORD, at + 16);
        kind = Frames.kind(word);
        number = Frames.number(word);
        if (memory.get(Frames.WORD, at + 8) != Frames.MAGIC) {
            throw new MalformedFrameException("the peer uses another protocol or version");
        }
        if (number < 0 || kind < Frames.QUEUE_PAIR || kind > Frames.SERVERS_QUEUE_PAIR) {
            throw new MalformedFrameException("a connection of an unknown kind");
        }
        byte[] clientNonce = Frames.bytes(memory, at + 24, Handshake.NONCE_BYTES);
        byte[] firstProof = Frames.bytes(memory, at + 24 + Handshake.NONCE_BYTES, Handshake.PROOF_BYTES);
        if (MessageDigest.isEqual(firstProof, Handshake.firstProof(server.token(), clientNonce))) {
            server.expect(channel());
        }
        byte[] nonce = Handshake.nonce();
        handshake = new Handshake(server.token(), clientNonce, nonce);
        return nonce;
    }

    @Override
    public byte[] proven(byte[] proof) throws MalformedFrameException {
        Handshake expected = handshake;
        if (expected == null || !expected.isClientProof(proof)) {
            throw new MalformedFrameException("the client did not prove this server's token");
        }
        forgetUnauthenticated();
        long periodNs = Math.max(1, server.settings().silence().toNanos() / 5);
        heartbeat = channel()
                .eventLoop()
                .scheduleAtFixedRate(this::sendHeartbeat, periodNs, periodNs, TimeUnit.NANOSECONDS);
        TcpServing current = serving;
        if (current != null && (kind == Frames.QUEUE_PAIR || kind == Frames.SERVERS_QUEUE_PAIR)) {
            current.connected(this, kind == Frames.QUEUE_PAIR);
        }
        return expected.serverProof();
    }

    /** Returns true if this is a queue pair of one of {@code count} clients from index {@code first} on. */
    boolean isOfClient(int first, int count) {
        int client = number;
        return (kind == Frames.QUEUE_PAIR || kind == Frames.ONE_SIDED) && client >= first && client < first + count;
    }

    private void forgetUnauthenticated() {
        server.forgetUnauthenticated(channel());
        Future<?> waiting = greeting;
        if (waiting != null) {
            waiting.cancel(false);
        }
    }

    private void sendHeartbeat() {
        peer.sendHeartbeat();
        produce();
    }

    @Override
    public void ended(int clients) throws MalformedFrameException {
        if (kind != Frames.GROUP || clients == 0 || clients > number - ended) {
            throw new MalformedFrameException("more ended clients than there are");
        }
        ended += clients;
        peer.sendEnded(clients);
        TcpServing current = serving;
        if (current != null) {
            current.ended(clients);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        super.channelReadComplete(context);
        TcpServing current = serving;
        if (current != null && peer.queue() != null) {
            current.wake();
        }
        if (peer.closeReceived()) {
            channel().close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        forgetUnauthenticated();
        Future<?> beats = heartbeat;
        if (beats != null) {
            beats.cancel(false);
        }
        server.gone(channel());
        boolean orderly = kind == Frames.GROUP ? ended == number : peer.closeReceived();
        if (!orderly) {
            super.channelInactive(context);
        }
        TcpServing current = serving;
        String why = peer.lost();
        if (current != null && peer.greeted()) {
            if (why != null) {
                current.lost(this, kind == Frames.GROUP ? number - ended : 0, why);
            }
            if (kind == Frames.QUEUE_PAIR) {
                current.disconnected();
            }
        }
    }

    /** Marks the connection as dead after an unexpected end, if the server program continues. */
    void connectionLost() {
        failed = true;
    }

    boolean hasFailed() {
        return failed;
    }

    @Override
    public void close() {
        channel().close();
    }
}
