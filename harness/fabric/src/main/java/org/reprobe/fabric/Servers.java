package org.reprobe.fabric;

import java.util.List;

/**
 * Servers that the clients of one process reach.
 *
 * @param endpoints results of {@link FabricServer#endpoint}, by server number
 * @param own the server in this process; {@link #NONE} if all are remote
 * @param mayBeLost true if clients continue when a server's process ends; false if that ends the run
 */
public record Servers(List<String> endpoints, int own, boolean mayBeLost) {
    public static final int NONE = -1;

    /** Servers that must all survive the run. */
    public Servers(List<String> endpoints, int own) {
        this(endpoints, own, false);
    }

    public Servers {
        endpoints = List.copyOf(endpoints);
        if (endpoints.isEmpty()) {
            throw new IllegalArgumentException("the list of servers is empty");
        }
    }

    /** A single remote server. */
    public static Servers one(String endpoint) {
        return new Servers(List.of(endpoint), NONE);
    }

    /** Throws a {@link FabricException} if a server's number is not in [0, servers). */
    public static void check(int server, int servers) throws FabricException {
        if (server < 0 || server >= servers) {
            throw new FabricException("there is no server " + server + ": "
                    + (servers == 1 ? "this fabric has one" : "servers are 0 to " + (servers - 1)));
        }
    }
}
