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
 * Tao's assoc_get where the list is (FaRM 2014, section 4.4: "requires a scan of the edge list. So it is implemented by function-shipping"): the edges of a
 * list that lead to some nodes. For one thread.
 *
 * <p>Its question: {@link #QUESTION}, the type, the fat pointer of the list's node, and of each node asked for. Its answer: how many edges follow, and
 * these.
 */
final class EdgeScan {
    /** Its question's first word, which is that of no {@code CommitMessage}. */
    static final int QUESTION = 101;

    /** The first word, the type, and the node that has the list. */
    static final int QUESTION_HEADER_WORDS = 2 + TaoLayout.POINTER_BYTES / Long.BYTES;

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
    private final long[] answer;
    private final boolean[] found;
    private int missing;
    private int words;

    /**
     * A thread's.
     *
     * @param listPs what it takes the CPU to find a list's first block
     * @param blockPs the same of each further one
     * @param nodes that are asked for at most
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
        this.answer = new long[answerWords(graph.shape(), nodes)];
        this.found = new boolean[nodes];
    }

    /** Words of the longest question. */
    static int questionWords(int nodes) {
        return QUESTION_HEADER_WORDS + nodes * POINTER_WORDS;
    }

    /** Words of the longest answer. */
    static int answerWords(GraphShape shape, int nodes) {
        return 1 + nodes * (TaoLayout.edgeBytes(shape.maxEdgeBytes()) / Long.BYTES);
    }

    /** Puts a question together, but for the nodes that are asked for; its words so far. */
    static int ask(TaoGraph graph, long list, long[] words) {
        words[0] = QUESTION;
        words[1] = graph.type(list);
        words[2] = graph.address(graph.node(list));
        words[3] = TaoGraph.NODE_INCARNATION;
        return QUESTION_HEADER_WORDS;
    }

    /** Adds a node that is asked for; the words so far. */
    static int askFor(TaoGraph graph, long node, long[] words, int count) {
        words[count] = graph.address(node);
        words[count + 1] = TaoGraph.NODE_INCARNATION;
        return count + POINTER_WORDS;
    }

    /** Answers a question; false when it met who writes the list, so that it must be asked again. */
    boolean run(long[] question, int count) {
        cpu.spendCpu(listPs);
        answer[0] = 0;
        words = 1;
        long at = Address.offsetOf(question[2]);
        ObjectLayout layout = graph.layoutAt(machine, at);
        if (reader.here(layout, question[3], memory, at, node) != ObjectReader.Outcome.READ) {
            return false;
        }
        missing = asked(count);
        Arrays.fill(found, false);
        int headAt = TaoLayout.headAt((int) question[1]);
        long address = BucketLayout.address(node, headAt);
        long incarnation = BucketLayout.incarnation(node, headAt);
        boolean first = true;
        while (incarnation != 0 && missing > 0) {
            cpu.spendCpu(first ? 0 : blockPs);
            first = false;
            if (reader.here(graph.block(), incarnation, memory, Address.offsetOf(address), block)
                    != ObjectReader.Outcome.READ) {
                return false;
            }
            take(question, asked(count));
            address = BucketLayout.address(block, 0);
            incarnation = BucketLayout.incarnation(block, 0);
        }
        return true;
    }

    private void take(long[] question, int asked) {
        long at = TaoLayout.EDGES_AT;
        for (int i = TaoLayout.edges(block); i > 0 && missing > 0; i--) {
            int bytes = TaoLayout.bytesAt(block, at);
            if (isNewlyFound(TaoLayout.destination(block, at), question, asked)) {
                answer[0]++;
                MemorySegment.copy(block, LONG, at, answer, words, bytes / Long.BYTES);
                words += bytes / Long.BYTES;
            }
            at += bytes;
        }
    }

    private boolean isNewlyFound(long destination, long[] question, int asked) {
        int before = missing;
        for (int i = 0; i < asked; i++) {
            if (!found[i] && askedFor(question, i) == destination) {
                found[i] = true;
                missing--;
            }
        }
        return missing < before;
    }

    /** How many nodes a question of so many words asks for. */
    static int asked(int words) {
        return (words - QUESTION_HEADER_WORDS) / POINTER_WORDS;
    }

    /** Where the node is that a question asks for, of their numbers. */
    static long askedFor(long[] question, int number) {
        return question[QUESTION_HEADER_WORDS + number * POINTER_WORDS];
    }

    /** The answer of the last run, valid until the next. */
    long[] answer() {
        return answer;
    }

    int words() {
        return words;
    }
}
