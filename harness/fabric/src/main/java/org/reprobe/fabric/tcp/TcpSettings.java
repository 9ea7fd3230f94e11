package org.reprobe.fabric.tcp;

import java.time.Duration;

/**
 * Settings of either side of the fabric.
 *
 * @param serverThreads event loops of a server
 * @param silence time without data, or of a blocked connection, after which a peer counts as lost; heartbeats are five
 * times as frequent
 * @param greeting time limit for a new connection to prove the token
 */
public record TcpSettings(Transport transport, int serverThreads, Duration silence, Duration greeting) {

    /** Fastest transport of this machine, one thread per two cores, 20 s of silence, 20 s for the greeting. */
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
