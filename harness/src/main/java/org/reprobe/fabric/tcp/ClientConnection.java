package org.reprobe.fabric.tcp;

import io.netty.channel.Channel;
import org.jspecify.annotations.Nullable;

/** A connection to the server, driven by the thread that uses it. */
final class ClientConnection extends Connection {
    private static final Regions NONE = new Regions();

    private final String place;
    private int endedKnown;
    /** As {@link ClientLoop} has noticed. */
    long silentSinceNs = System.nanoTime();

    ClientConnection(Channel channel, String place) {
        super(channel, NONE, false);
        this.place = place;
    }

    /** Where the server is, for people. */
    String place() {
        return place;
    }

    @Override
    String lostWords(@Nullable String reason) {
        if (!peer.greeted()) {
            return "the server at " + place + " refused the connection" + (reason == null ? "" : ": " + reason)
                    + "; is the address from a run that has ended?";
        }
        return "the connection to the server at " + place + " was lost" + (reason == null ? "" : ": " + reason);
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
