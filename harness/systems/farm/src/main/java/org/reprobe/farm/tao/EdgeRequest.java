package org.reprobe.farm.tao;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Request for the edges of a list to given nodes; a reply must have all loaded edges to them. One at a time. */
final class EdgeRequest {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final TaoGraph graph;
    private final long[] words;
    /** Numbers of requested edges that were not found; 0 for edges found. */
    private final long[] missing;

    private long list;
    private int count;
    private long result;

    /** @param nodes maximum number of nodes of a request */
    EdgeRequest(TaoGraph graph, int nodes) {
        this.graph = graph;
        this.words = new long[EdgeScan.requestWords(nodes)];
        this.missing = new long[nodes];
    }

    void begin(long of) {
        list = of;
        count = EdgeScan.encodeRequest(graph, list, words);
    }

    /** Adds the destination of an edge's number to the request; the edge need not exist. */
    void addEdge(long number) {
        missing[EdgeScan.requestedEdges(count)] = number;
        count = EdgeScan.addEdge(graph, graph.destination(list, number), words, count);
    }

    long[] words() {
        return words;
    }

    int count() {
        return count;
    }

    /** Returns true if a reply has only requested edges of the list, and all of them that were loaded. */
    boolean take(MemorySegment reply, long at, int bytes) {
        int asked = EdgeScan.requestedEdges(count);
        long loaded = graph.loadedEdges(list);
        long edge = at + Long.BYTES;
        long newest = 0;
        boolean right = true;
        for (long i = reply.get(WORD, at); i > 0 && right; i--) {
            right = found(TaoLayout.destination(reply, edge), asked) && graph.isEdge(reply, edge, list);
            newest = Math.max(newest, TaoLayout.number(TaoLayout.time(reply, edge)));
            edge += TaoLayout.bytesAt(reply, edge);
        }
        long first = TaoLists.NONE_MISSING;
        for (int node = 0; node < asked; node++) {
            right &= missing[node] == 0 || missing[node] > loaded;
            if (missing[node] > loaded) {
                first = Math.min(first, missing[node] - loaded);
            }
        }
        result = TaoLists.got(Math.max(0, newest - loaded), first);
        return right && edge == at + bytes;
    }

    private boolean found(long destination, int asked) {
        boolean wanted = false;
        for (int node = 0; node < asked; node++) {
            if (EdgeScan.requestedEdge(words, node) == destination) {
                wanted = true;
                missing[node] = 0;
            }
        }
        return wanted;
    }

    /** Returns the result for a history, {@link TaoLists#got}. */
    long result() {
        return result;
    }
}
