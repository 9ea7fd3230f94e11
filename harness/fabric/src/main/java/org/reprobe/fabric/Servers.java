package org.reprobe.fabric;

import java.util.List;

/**
 * The servers that the clients of one process reach.
 *
 * @param endpoints what each one's {@link FabricServer#endpoint} says; clients number them in this order
 * @param own the one whose memory this process has; {@link #NONE} when all are elsewhere
 * @param mayBeLost whether clients go on when the process of one has gone: connections to it are broken, or nothing more comes of them; else that
 *     ends the run
 */
public record Servers(List<String> endpoints, int own, boolean mayBeLost) {
    public static final int NONE = -1;

    /** Servers without any of which clients can't go on. */
    public Servers(List<String> endpoints, int own) {
        this(endpoints, own, false);
    }

    public Servers {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("no server");
        }
    }

    /** A single one, elsewhere. */
    public static Servers one(String endpoint) {
        return new Servers(List.of(endpoint), NONE);
    }

    /** Refuses the number of a server that is not there. */
    public static void check(int server, int servers) throws FabricException {
        if (server < 0 || server >= servers) {
            throw new FabricException("there is no server " + server + ": "
                    + (servers == 1 ? "this fabric has one" : "servers are 0 to " + (servers - 1)));
        }
    }
}
