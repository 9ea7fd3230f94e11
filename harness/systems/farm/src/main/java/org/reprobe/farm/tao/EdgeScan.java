package org.reprobe.farm.tao;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.reprobe.fabric.Requester;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectReader;
import org.reprobe.farm.table.BucketLayout;

/**
 * Tao's assoc_get at the machine of the list (FaRM 2014, section 4.4: "requires a scan of the edge list. So it is
 * implemented by function-shipping"): the edges of a list to given nodes. Single-threaded.
 *
 * <p>Request: {@link #REQUEST}, edge type, fat pointer of the list's node, fat pointer of each given node. Reply:
 * number of edges, and the edges.
 */
final class EdgeScan {
    /** First word of a request; differs from that of any {@code CommitMessage}. */
    static final int REQUEST = 101;

    static final int REQUEST_HEADER_WORDS = 2 + TaoLayout.POINTER_BYTES / Long.BYTES;

    private static final int POINTER_WORDS = TaoLayout.POINTER_BYTES / Long.BYTES;
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;

    private final Requester cpu;
    private final TaoGraph graph;
    private final int machine;
    private final MemorySegment memory;
    private final ObjectReader reader;
    private final MemorySegment node;
    private final MemorySegment block;
    private final long listPs;
    private final long blockPs;
    private final long[] reply;
    private final boolean[] found;
    private int missing;
    private int words;

    /**
     * Creates a thread's scan; {@code listPs} is the CPU time to find a list's first block, {@code blockPs} that of
     * each further one, {@code nodes} the maximum of a request.
     */
    EdgeScan(
            Requester cpu,
            TaoGraph graph,
            int machine,
            MemorySegment memory,
            ObjectReader reader,
            long listPs,
            long blockPs,
            int nodes) {
        this.cpu = cpu;
        this.graph = graph;
        this.machine = machine;
        this.memory = memory;
        this.reader = reader;
        this.node = MemorySegment.ofArray(new byte[graph.layout().maxNodePayloadBytes(graph.shape())]);
        this.block = graph.block().newPayload();
        this.listPs = listPs;
        this.blockPs = blockPs;
        this.reply = new long[replyWords(graph.shape(), nodes)];
        this.found = new boolean[nodes];
    }

    static int requestWords(int nodes) {
        return REQUEST_HEADER_WORDS + nodes * POINTER_WORDS;
    }

    static int replyWords(GraphShape shape, int nodes) {
        return 1 + nodes * (TaoLayout.edgeBytes(shape.maxEdgeBytes()) / Long.BYTES);
    }

    /** Encodes a request without nodes; returns its length in words. */
    static int encodeRequest(TaoGraph graph, long list, long[] words) {
        words[0] = REQUEST;
        words[1] = graph.type(list);
        words[2] = graph.address(graph.node(list));
        words[3] = TaoGraph.NODE_INCARNATION;
        return REQUEST_HEADER_WORDS;
    }

    /** Adds a node to a request; returns the new length in words. */
    static int addEdge(TaoGraph graph, long node, long[] words, int count) {
        words[count] = graph.address(node);
        words[count + 1] = TaoGraph.NODE_INCARNATION;
        return count + POINTER_WORDS;
    }

    /** Runs a request; returns false if the list is being written, so that the scan must be repeated. */
    boolean run(long[] request, int count) {
        cpu.spendCpu(listPs);
        reply[0] = 0;
        words = 1;
        long at = Address.offsetOf(request[2]);
        ObjectLayout layout = graph.layoutAt(machine, at);
        if (reader.readLocal(layout, request[3], memory, at, node) != ObjectReader.Outcome.READ) {
            return false;
        }
        missing = requestedEdges(count);
        Arrays.fill(found, false);
        int headAt = TaoLayout.headAt((int) request[1]);
        long address = BucketLayout.address(node, headAt);
        long incarnation = BucketLayout.incarnation(node, headAt);
        boolean first = true;
        while (incarnation != 0 && missing > 0) {
            cpu.spendCpu(first ? 0 : blockPs);
            first = false;
            if (reader.readLocal(graph.block(), incarnation, memory, Address.offsetOf(address), block)
                    != ObjectReader.Outcome.READ) {
                return false;
            }
            take(request, requestedEdges(count));
            address = BucketLayout.address(block, 0);
            incarnation = BucketLayout.incarnation(block, 0);
        }
        return true;
    }

    private void take(long[] request, int asked) {
        long at = TaoLayout.EDGES_AT;
        for (int i = TaoLayout.edges(block); i > 0 && missing > 0; i--) {
            int bytes = TaoLayout.bytesAt(block, at);
            if (isNewlyFound(TaoLayout.destination(block, at), request, asked)) {
                reply[0]++;
                MemorySegment.copy(block, LONG, at, reply, words, bytes / Long.BYTES);
                words += bytes / Long.BYTES;
            }
            at += bytes;
        }
    }

    private boolean isNewlyFound(long destination, long[] request, int asked) {
        int before = missing;
        for (int i = 0; i < asked; i++) {
            if (!found[i] && requestedEdge(request, i) == destination) {
                found[i] = true;
                missing--;
            }
        }
        return missing < before;
    }

    static int requestedEdges(int words) {
        return (words - REQUEST_HEADER_WORDS) / POINTER_WORDS;
    }

    static long requestedEdge(long[] request, int number) {
        return request[REQUEST_HEADER_WORDS + number * POINTER_WORDS];
    }

    /** Returns the reply of the last run, valid until the next one. */
    long[] reply() {
        return reply;
    }

    int words() {
        return words;
    }
}
