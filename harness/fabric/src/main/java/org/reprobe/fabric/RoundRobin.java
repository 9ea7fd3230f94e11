package org.reprobe.fabric;

import java.util.List;

/** Round-robin polling of connections. Each poll starts at another connection, so that none starves. */
public final class RoundRobin {
    private int next;

    @FunctionalInterface
    public interface Poll<C> {
        void take(C connection, Completions into) throws FabricException;
    }

    /** Appends completions with their connection numbers; returns the number of entries in {@code into}. */
    public <C> int takeAll(List<C> connections, Poll<C> poll, Completions into) throws FabricException {
        int count = connections.size();
        for (int i = 0; i < count && into.count() < into.capacity(); i++) {
            int connection = next + i < count ? next + i : next + i - count;
            int from = into.count();
            poll.take(connections.get(connection), into);
            into.ofConnection(from, connection);
        }
        if (count > 0) {
            next = (next + 1) % count;
        }
        return into.count();
    }
}
