package org.reprobe.farm.tao;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.Damage;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.table.BucketLayout;
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

    /** Nodes and lists of one machine, in few bytes. */
    private static final class Part implements AutoCloseable {
        final Arena arena = Arena.ofConfined();
        final TaoGraph graph;
        final MemorySegment memory;

        Part(boolean bothEnds) {
            // The same graph in each run: another time of an edge without data may be valid.
            graph = new TaoGraph(TaoLayout.of(2, 200, bothEnds), new SmallGraph(30), MACHINES, 9, BASE, FREE, 1);
            memory = loaded(graph, 0, arena);
        }

        @Nullable
        String wrong() {
            return graph.state(0, memory).wrong();
        }

        MemorySegment payload(ObjectLayout layout, long at) {
            MemorySegment payload = layout.newPayload();
            assertThat(layout.read(memory, at, at, payload)).isTrue();
            return payload;
        }

        /** Returns the offsets of a list's blocks. */
        List<Long> blocks(long list) {
            List<Long> all = new ArrayList<>();
            long head = graph.loadedHead(list);
            long incarnation = head == 0 ? 0 : TaoGraph.BLOCK_INCARNATION;
            for (long address = head; incarnation != 0; ) {
                all.add(Address.offsetOf(address));
                MemorySegment block = payload(graph.block(), all.getLast());
                address = BucketLayout.address(block, 0);
                incarnation = BucketLayout.incarnation(block, 0);
            }
            return all;
        }

        @Override
        public void close() {
            arena.close();
        }
    }

    /** Locks, versions, allocation, pointers, counts, lengths and data of nodes, blocks and edges. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void eachDamagedFieldIsReported(boolean bothEnds) {
        try (Part part = new Part(bothEnds)) {
            List<Damage> all = new ArrayList<>();
            for (long node = 0; node < part.graph.nodes(); node += MACHINES) {
                addNode(part, node, all);
                for (int type = 0; type < 2; type++) {
                    for (long at : part.blocks(part.graph.list(node, type))) {
                        addBlock(part, at, all);
                    }
                }
            }
            assertThat(all).hasSizeGreaterThan(500);
            Damage.assertEachIsReported(all, part.memory, part::wrong);
        }
    }

    private static void addNode(Part part, long node, List<Damage> all) {
        TaoGraph graph = part.graph;
        ObjectLayout layout = graph.layoutOf(node);
        long at = graph.offset(node);
        all.addAll(Damage.ofVersions("node", layout, at));
        all.add(Damage.ofAllocation("node", at));
        addPayload("node's length", layout, at, 0, all);
        for (int type = 0; type < 2; type++) {
            if (graph.loadedHead(graph.list(node, type)) != 0) {
                addPointer("list's head", layout, at, TaoLayout.headAt(type), all);
            }
            addPayload("list's length", layout, at, TaoLayout.headAt(type) + TaoLayout.POINTER_BYTES, all);
        }
        int bytes = TaoLayout.dataBytes(part.payload(layout, at));
        for (int i = 0; i < bytes; i++) {
            addPayload("node's data", layout, at, graph.layout().dataAt() + i, all);
        }
    }

    private static void addBlock(Part part, long at, List<Damage> all) {
        ObjectLayout layout = part.graph.block();
        MemorySegment payload = part.payload(layout, at);
        all.addAll(Damage.ofVersions("block", layout, at));
        all.add(Damage.ofAllocation("block", at));
        all.add(Damage.ofIncarnation("block", at));
        if (BucketLayout.incarnation(payload, 0) != 0) {
            addPointer("next block", layout, at, 0, all);
        }
        addPayload("number of edges", layout, at, TaoLayout.POINTER_BYTES, all);
        all.add(Damage.ofPayload("length", layout, at, TaoLayout.POINTER_BYTES + Integer.BYTES, Long.BYTES));
        long edge = TaoLayout.EDGES_AT;
        for (int i = 0; i < TaoLayout.edges(payload); i++) {
            addPointer("destination", layout, at, edge, all);
            addPayload("number", layout, at, edge + TaoLayout.POINTER_BYTES + Integer.BYTES, all);
            addPayload("edge's length", layout, at, edge + TaoLayout.EDGE_HEADER_BYTES, all);
            int bytes = payload.get(ValueLayout.JAVA_BYTE, edge + TaoLayout.EDGE_HEADER_BYTES);
            if (bytes >= Integer.BYTES) { // other data, or none, may be right for another writer
                addPayload("writer", layout, at, edge + TaoLayout.POINTER_BYTES, all);
            }
            for (int j = 1; j <= bytes; j++) {
                addPayload("edge's data", layout, at, edge + TaoLayout.EDGE_HEADER_BYTES + j, all);
            }
            edge += TaoLayout.edgeBytes(bytes);
        }
    }

    private static void addPayload(String field, ObjectLayout layout, long at, long offset, List<Damage> all) {
        all.add(Damage.ofPayload(field, layout, at, offset, 1));
    }

    /** Adds damage to the offset, the region and the incarnation. */
    private static void addPointer(String field, ObjectLayout layout, long at, long offset, List<Damage> all) {
        addPayload(field + ", offset", layout, at, offset, all);
        addPayload(field + ", region", layout, at, offset + Integer.BYTES, all);
        all.add(Damage.ofPayload(field + ", incarnation", layout, at, offset + Long.BYTES, 2));
    }

    /** A list without one of its blocks, whose remaining edges are counted. */
    @Test
    void aMissingBlockIsReported() {
        try (Part part = new Part(false)) {
            TaoGraph graph = part.graph;
            long list = 0;
            while (part.blocks(list).size() < 3) {
                list++;
                assertThat(graph.machine(graph.node(list))).isZero();
            }
            List<Long> blocks = part.blocks(list);
            MemorySegment first = part.payload(graph.block(), blocks.get(0));
            long edges = TaoLayout.edges(part.payload(graph.block(), blocks.get(1)));
            BucketLayout.putPointer(first, 0, Address.of(0, blocks.get(2)), TaoGraph.BLOCK_INCARNATION);
            graph.block().write(part.memory, blocks.get(0), 4, TaoGraph.BLOCK_INCARNATION, first);
            long node = graph.node(list);
            ObjectLayout layout = graph.layoutOf(node);
            MemorySegment payload = part.payload(layout, graph.offset(node));
            int type = graph.type(list);
            TaoLayout.setCount(payload, type, TaoLayout.count(payload, type) - edges);
            layout.write(part.memory, graph.offset(node), 4, TaoGraph.NODE_INCARNATION, payload);
            assertThat(part.wrong()).contains("node " + node, "is broken");
        }
    }

    /** Edges of a block are consecutive, and the first edge of a list is in the last block. */
    @ParameterizedTest
    @CsvSource({
        "1, 0, true",
        "1 2 3, 0, true",
        "2 3, 1, true",
        "1 2 3, 1, false",
        "2 3, 0, false",
        "1 3, 0, false",
        "2 1, 0, false",
        "2 4, 1, false",
        "3 3, 1, false",
        "'', 0, false",
        "'', 1, false"
    })
    void aBlockIsOfConsecutiveEdgesOfItsList(String numbers, int next, boolean right) {
        TaoGraph graph = graph(384, false);
        MemorySegment block = graph.block().newPayload();
        BucketLayout.putPointer(block, 0, 0, next);
        Arrays.stream(numbers.split(" "))
                .filter(number -> !number.isEmpty())
                .mapToLong(Long::parseLong)
                .forEach(number -> assertThat(graph.add(block, 5, number << TaoLayout.NUMBER_SHIFT))
                        .isTrue());
        assertThat(graph.isBlock(block, 5)).isEqualTo(right);
        assertThat(graph.isBlock(block, 6)).as("of another list").isFalse();
    }

    @Test
    void aCountThatDiffersFromTheListIsReported() {
        TaoGraph graph = graph(200, false);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = loaded(graph, 0, arena);
            long count = graph.offset(0) + ObjectLayout.HEADER_BYTES + TaoLayout.headAt(0) + TaoLayout.POINTER_BYTES;
            ValueLayout.OfLong word = ValueLayout.JAVA_LONG_UNALIGNED;
            memory.set(word, count, memory.get(word, count) + 1);
            long edges = graph.loadedEdges(graph.list(0, 0));
            assertThat(graph.state(0, memory).wrong())
                    .isEqualTo("node 0 counts %d edges of type 0, and its list has %d".formatted(edges + 1, edges));
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
