package org.reprobe.farm.tao;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.testing.Nightly;
import org.reprobe.testing.Seeds;

class TaoGraphTest {
    private static final long SEED = Seeds.seed();
    private static final int MACHINES = 3;
    private static final long NODES = 200;
    private static final long BASE = 4096;
    private static final int FREE = 7;

    private static TaoGraph graph(int blockBytes, boolean bothEnds) {
        return new TaoGraph(
                TaoLayout.of(2, blockBytes, bothEnds), new SmallGraph(30), MACHINES, NODES, BASE, FREE, SEED);
    }

    private static MemorySegment loaded(TaoGraph graph, int machine, Arena arena) {
        MemorySegment memory = arena.allocate(graph.endAt(machine), ObjectLayout.LINE_BYTES);
        graph.load(machine, memory);
        return memory;
    }

    @ParameterizedTest
    @CsvSource({"200, false", "384, false", "1024, false", "200, true", "512, true"})
    void loadedObjectsAreComplete(int blockBytes, boolean bothEnds) {
        TaoGraph graph = graph(blockBytes, bothEnds);
        long edges = 0;
        try (Arena arena = Arena.ofConfined()) {
            for (int machine = 0; machine < MACHINES; machine++) {
                TaoGraph.State state = graph.state(machine, loaded(graph, machine, arena));
                assertThat(state.wrong()).isNull();
                edges += state.edges();
            }
        }
        assertThat(edges).isEqualTo(graph.edges()).isPositive();
        assertThat(graph.block().bytes()).isLessThanOrEqualTo(blockBytes);
    }

    @Test
    void unplacedKeysAreConsistent() {
        TaoGraph graph = graph(200, false);
        for (long node = 0; node < NODES; node++) {
            int machine = graph.machine(node);
            assertThat(graph.nodeOf(machine, graph.offset(node))).isEqualTo(node);
            assertThat(graph.layoutAt(machine, graph.offset(node))).isEqualTo(graph.layoutOf(node));
            for (int type = 0; type < 2; type++) {
                long list = graph.list(node, type);
                long head = graph.loadedHead(list);
                assertThat(head == 0).isEqualTo(graph.loadedEdges(list) == 0);
                assertThat(head == 0
                                || graph.layoutAt(machine, Address.offsetOf(head))
                                        .equals(graph.block()))
                        .isTrue();
            }
        }
        assertThat(graph.layoutAt(0, graph.freeAt(0, FREE - 1))).isEqualTo(graph.block());
    }

    /** A changed byte is detected, wherever it is. */
    @Test
    @Nightly(besides = "the other tests of graphs")
    void incompleteOutputIsReported() {
        TaoGraph graph = graph(200, false);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = loaded(graph, 0, arena);
            long firstFree = graph.freeAt(0, 0);
            int told = 0;
            int changed = 0;
            for (long at = BASE; at < firstFree; at += 41) {
                byte before = memory.get(ValueLayout.JAVA_BYTE, at);
                memory.set(ValueLayout.JAVA_BYTE, at, (byte) (before + 1));
                told += graph.state(0, memory).wrong() == null ? 0 : 1;
                changed++;
                memory.set(ValueLayout.JAVA_BYTE, at, before);
            }
            assertThat(graph.state(0, memory).wrong()).isNull();
            // The other bytes are unused, between objects or behind their content.
            assertThat((double) told / changed).isGreaterThan(0.6);
        }
    }

    @Test
    void aCountThatDiffersFromTheListIsReported() {
        TaoGraph graph = graph(200, false);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = loaded(graph, 0, arena);
            long count = graph.offset(0) + ObjectLayout.HEADER_BYTES + TaoLayout.headAt(0) + TaoLayout.POINTER_BYTES;
            ValueLayout.OfLong word = ValueLayout.JAVA_LONG_UNALIGNED;
            memory.set(word, count, memory.get(word, count) + 1);
            assertThat(graph.state(0, memory).wrong()).contains("node 0 counts", "edges of type 0");
        }
    }

    @Test
    void threadsGetTheirOwnFreeBlocks() {
        TaoGraph graph = graph(200, false);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = loaded(graph, 1, arena);
            int given = 0;
            for (int thread = 0; thread < 2; thread++) {
                EdgeAdds.FreeBlocks free = graph.freeBlocks(1, memory, thread, 2);
                for (EdgeAdds.FreeBlock block = free.next(); block != null; block = free.next()) {
                    assertThat(block.offset()).isEqualTo(graph.freeAt(1, thread + 2 * (given - thread * 4)));
                    assertThat(ObjectLayout.isAllocated(memory, block.offset())).isFalse();
                    given++;
                }
            }
            assertThat(given).isEqualTo(FREE);
        }
    }
}
