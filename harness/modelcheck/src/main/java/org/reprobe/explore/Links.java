package org.reprobe.explore;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Links between machines, some of which may be cut. Requests on a cut link wait, since cards retry, until the link is
 * mended or the sender gives up. A machine always reaches itself.
 */
final class Links {
    /** Direction of a cut: both, requests or replies. */
    enum Way {
        BOTH("in both directions"),
        REQUESTS("from the client's machine"),
        ANSWERS("from the server's machine");

        static final List<Way> ALL = List.of(values());

        final String words;

        Way(String words) {
            this.words = words;
        }

        boolean cutsRequests() {
            return this != ANSWERS;
        }

        boolean cutsAnswers() {
            return this != REQUESTS;
        }
    }

    /** Link between two machines, identified by a server and the first client that uses it. */
    record Link(int client, int server) {}

    private final int servers;
    private final List<Link> all = new ArrayList<>();
    private final BitSet cut = new BitSet();

    private final int machines;

    Links(int clients, int servers) {
        this.servers = servers;
        this.machines = servers > 1 ? servers : 1 + clients;
        BitSet known = new BitSet();
        for (int client = 0; client < clients; client++) {
            for (int server = 0; server < servers; server++) {
                int there = machineOf(client);
                int pair = way(Math.min(there, server), Math.max(there, server));
                if (there != server && !known.get(pair)) {
                    known.set(pair);
                    all.add(new Link(client, server));
                }
            }
        }
    }

    List<Link> all() {
        return all;
    }

    /** Returns the machine of a client, numbered from 0. With several servers it is a server's machine. */
    int machineOf(int client) {
        return servers > 1 ? client % servers : 1 + client;
    }

    private int way(int from, int to) {
        return from * machines + to;
    }

    boolean carries(int from, int to) {
        return !cut.get(way(from, to));
    }

    boolean allCarry() {
        return cut.isEmpty();
    }

    /** Returns true if a link carries packets in both directions. */
    boolean isWhole(Link link) {
        int there = machineOf(link.client);
        return carries(there, link.server) && carries(link.server, there);
    }

    void cut(int client, int code) {
        Way which = wayOf(code);
        int there = machineOf(client);
        if (which.cutsRequests()) {
            cut.set(way(there, serverOf(code)));
        }
        if (which.cutsAnswers()) {
            cut.set(way(serverOf(code), there));
        }
    }

    void mend(int client, int code) {
        int there = machineOf(client);
        cut.clear(way(there, serverOf(code)));
        cut.clear(way(serverOf(code), there));
    }

    void mendAll() {
        cut.clear();
    }

    /** Encodes a server and a direction for an {@link Action}. */
    static int code(int server, Way which) {
        return server * Way.ALL.size() + Way.ALL.indexOf(which);
    }

    static int serverOf(int code) {
        return code / Way.ALL.size();
    }

    static Way wayOf(int code) {
        return Way.ALL.get(code % Way.ALL.size());
    }

    int hash() {
        return cut.hashCode();
    }
}
