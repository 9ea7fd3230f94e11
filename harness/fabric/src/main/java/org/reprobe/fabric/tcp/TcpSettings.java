package org.reprobe.fabric.tcp;

import java.time.Duration;

/**
 * How either half of the fabric behaves.
 *
 * @param transport how sockets are driven
 * @param serverThreads event loops of a server
 * @param silence how long a peer may say nothing, or let a connection wait, before it counts as lost. A server that lives
 *     says something five times as often
 * @param greeting how long a new connection may take to show its token
 */
public record TcpSettings(Transport transport, int serverThreads, Duration silence, Duration greeting) {

    /** The fastest transport of this machine, a thread for every second core, 20 s of silence, 20 s for the token. */
    public static TcpSettings defaults() {
        int threads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
        return new TcpSettings(Transport.best(), threads, Duration.ofSeconds(20), Duration.ofSeconds(20));
    }

    /** The same with another transport. */
    public TcpSettings with(Transport other) {
        return new TcpSettings(other, serverThreads, silence, greeting);
    }

    /** The same with another time of silence. */
    public TcpSettings withSilence(Duration other) {
        return new TcpSettings(transport, serverThreads, other, greeting);
    }

    /** The same with another time for the token. */
    public TcpSettings withGreeting(Duration other) {
        return new TcpSettings(transport, serverThreads, silence, other);
    }
}
