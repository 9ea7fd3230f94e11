package org.reprobe.farm.tao;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Asks for the edges of a list that lead to some nodes, as an {@link EdgeScan} answers it, and holds the answer against the list: all that was
 * loaded is in it. For one operation at a time.
 */
final class EdgeQuestion {
    private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG;

    private final TaoGraph graph;
    private final long[] words;
    /** The numbers of the edges to the nodes asked for that were not found; 0 of those that were. */
    private final long[] missing;

    private long list;
    private int count;
    private long result;

    /** @param nodes that are asked for at most */
    EdgeQuestion(TaoGraph graph, int nodes) {
        this.graph = graph;
        this.words = new long[EdgeScan.questionWords(nodes)];
        this.missing = new long[nodes];
    }

    /** Begins one about a list, for no node so far. */
    void begin(long of) {
        list = of;
        count = EdgeScan.ask(graph, list, words);
    }

    /** Asks for the node that the edge of a number leads to, whether there is such an edge or not. */
    void askFor(long number) {
        missing[EdgeScan.asked(count)] = number;
        count = EdgeScan.askFor(graph, graph.destination(list, number), words, count);
    }

    long[] words() {
        return words;
    }

    int count() {
        return count;
    }

    /** Takes an answer; whether it has edges of the list only, which were asked for, and all of them that were loaded. */
    boolean take(MemorySegment answer, long at, int bytes) {
        int asked = EdgeScan.asked(count);
        long loaded = graph.loadedEdges(list);
        long edge = at + Long.BYTES;
        long newest = 0;
        boolean right = true;
        for (long i = answer.get(WORD, at); i > 0 && right; i--) {
            right = found(TaoLayout.destination(answer, edge), asked) && graph.isEdge(answer, edge, list);
            newest = Math.max(newest, TaoLayout.number(TaoLayout.time(answer, edge)));
            edge += TaoLayout.bytesAt(answer, edge);
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
            if (EdgeScan.askedFor(words, node) == destination) {
                wanted = true;
                missing[node] = 0;
            }
        }
        return wanted;
    }

    /** What a history says of the answer. */
    long result() {
        return result;
    }
}
