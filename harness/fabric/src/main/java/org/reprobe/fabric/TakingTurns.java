package org.reprobe.fabric;

import java.util.List;

/** How a server program takes the completions of its connections: it begins with another one each time, so that none starves. */
public final class TakingTurns {
    private int next;

    /** Appends what a connection has. */
    @FunctionalInterface
    public interface Taking<C> {
        void take(C connection, Completions into) throws FabricException;
    }

    /** Appends what connections have, and says of each completion whose it is; the number of all that is there then. */
    public <C> int takeAll(List<C> connections, Taking<C> taking, Completions into) throws FabricException {
        int count = connections.size();
        for (int i = 0; i < count && into.count() < into.capacity(); i++) {
            int connection = next + i < count ? next + i : next + i - count;
            int from = into.count();
            taking.take(connections.get(connection), into);
            into.ofConnection(from, connection);
        }
        if (count > 0) {
            next = (next + 1) % count;
        }
        return into.count();
    }
}
