package org.reprobe.fabric.tcp;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;
import org.reprobe.trust.Handshake;

/** A connection to the server, driven by the thread that uses it. */
final class ClientConnection extends TcpConnection {
    private static final TcpRegions NONE = new TcpRegions();

    private final TcpEndpoint endpoint;
    private final byte[] nonce = Handshake.nonce();
    private @Nullable Handshake handshake;
    private int endedKnown;
    /** As {@link ClientLoop} has noticed. */
    long silentSinceNs = System.nanoTime();

    ClientConnection(Channel channel, TcpEndpoint endpoint) {
        super(channel, NONE, false);
        this.endpoint = endpoint;
    }

    /** Begins the greeting. */
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
            throw new MalformedFrameException("it does not know the token that it should");
        }
    }

    /** Where the server is, for people. */
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
                    + "; is the address from a run that has ended?";
        }
        return "the server at " + place() + " closed the connection before it had greeted" + why
                + "; it has ended, or strangers open more connections than it can take";
    }

    @Override
    public void ended(int clients) {
        endedKnown += clients;
    }

    /** How many of our ends the server has heard of. */
    int endedKnown() {
        return endedKnown;
    }

    /** Says good-bye; the server closes the connection when it has taken all. */
    void finish() {
        peer.sayBye();
        produce();
    }

    @Override
    public void close() {
        peer.lose("the queue pair is closed");
        finish();
    }
}
