package org.reprobe.fabric.tcp;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import org.reprobe.trust.Handshake;

/** Connection to the server, driven by the thread that uses it. */
final class ClientConnection extends TcpConnection {
    private static final TcpRegions NONE = new TcpRegions();

    private final TcpEndpoint endpoint;
    private final byte[] nonce = Handshake.nonce();
    private @Nullable Handshake handshake;
    private int endedKnown;
    /** Maintained by {@link ClientLoop}. */
    long silentSinceNs = System.nanoTime();

    ClientConnection(Channel channel, TcpEndpoint endpoint) {
        super(channel, NONE, false);
        this.endpoint = endpoint;
    }

    void hello(int kind, int number) {
        peer.hello(nonce, Handshake.firstProof(endpoint.token(), nonce), kind, number);
    }

    @Override
    public byte[] challenged(byte[] serverNonce) {
        Handshake begun = new Handshake(endpoint.token(), nonce, serverNonce);
        handshake = begun;
        return begun.clientProof();
    }

    @Override
    public void welcomed(byte[] proof) throws MalformedFrameException {
        if (handshake == null || !handshake.isServerProof(proof)) {
            throw new MalformedFrameException("the server did not prove the token");
        }
    }

    String place() {
        return endpoint.place();
    }

    @Override
    String lostWords(@Nullable String reason) {
        String why = reason == null ? "" : ": " + reason;
        if (peer.greeted()) {
            return "the connection to the server at " + place() + " was lost" + why;
        }
        if (peer.challenged()) {
            return "the server at " + place() + " refused the connection" + why
                    + "; the address may be that of a run that has ended";
        }
        return "the server at " + place() + " closed the connection before the greeting" + why
                + "; it has ended, or has too many unauthenticated connections";
    }

    @Override
    public void ended(int clients) {
        endedKnown += clients;
    }

    /** Returns the number of ended clients that the server has acknowledged. */
    int endedKnown() {
        return endedKnown;
    }

    /** Sends CLOSE; the server closes the connection when it has processed everything. */
    void finish() {
        peer.sendClose();
        produce();
    }

    @Override
    public void close() {
        peer.lose("the queue pair is closed");
        finish();
    }
}
