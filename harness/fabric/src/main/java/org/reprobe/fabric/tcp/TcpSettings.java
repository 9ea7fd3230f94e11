package org.reprobe.fabric.tcp;

import java.time.Duration;

/**
 * Settings of either side of the fabric.
 *
 * @param serverThreads event loops of a server
 * @param silence time without data, or with output blocked, after which a peer counts as lost; the interval of
 *     heartbeats is a fifth of it
 * @param greeting time limit for a new connection to prove the token
 */
public record TcpSettings(Transport transport, int serverThreads, Duration silence, Duration greeting) {

    /** Returns the fastest transport of this machine, one event loop per two cores, 20 s for silence and greeting. */
    public static TcpSettings defaults() {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        return new TcpSettings(Transport.best(), threads, Duration.ofSeconds(20), Duration.ofSeconds(20));
    }

    public TcpSettings with(Transport other) {
        return new TcpSettings(other, serverThreads, silence, greeting);
    }

    public TcpSettings withSilence(Duration other) {
        return new TcpSettings(transport, serverThreads, other, greeting);
    }

    public TcpSettings withGreeting(Duration other) {
        return new TcpSettings(transport, serverThreads, silence, other);
    }
}
