package org.reprobe.explore;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;

/**
 * Links between machines, of which some may be cut while others are not: what is sent on one that is cut waits, since cards repeat it,
 * until the link is mended or the sender gives up. A machine hears itself always.
 */
final class Links {
    /** Ways that can be cut: both, the requests' and the answers'. */
    enum Way {
        BOTH("both ways"),
        REQUESTS("for what the client's machine sends"),
        ANSWERS("for what the server's machine sends");

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

    /** A link, called after the first of the clients that use it. */
    record Link(int client, int server) {}

    private final int servers;
    private final List<Link> all = new ArrayList<>();
    /** Ways that are cut, from a machine to another. */
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

    /** Those between a client's machine and a server's. */
    List<Link> all() {
        return all;
    }

    /** A client's machine: where there are several servers it is one of theirs, which have the numbers from 0. */
    int machineOf(int client) {
        return servers > 1 ? client % servers : 1 + client;
    }

    private int way(int from, int to) {
        return from * machines + to;
    }

    /** Whether what a machine sends to another arrives. */
    boolean carries(int from, int to) {
        return !cut.get(way(from, to));
    }

    boolean allCarry() {
        return cut.isEmpty();
    }

    /** Whether a link carries packets both ways. */
    boolean isWhole(Link link) {
        int there = machineOf(link.client);
        return carries(there, link.server) && carries(link.server, there);
    }

    /** @param code as {@link #code} makes it */
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

    /** A server and a way in one number, for an {@link Action}. */
    static int code(int server, Way which) {
        return server * Way.ALL.size() + Way.ALL.indexOf(which);
    }

    static int serverOf(int code) {
        return code / Way.ALL.size();
    }

    static Way wayOf(int code) {
        return Way.ALL.get(code % Way.ALL.size());
    }

    /** Of what is cut. */
    int hash() {
        return cut.hashCode();
    }
}
