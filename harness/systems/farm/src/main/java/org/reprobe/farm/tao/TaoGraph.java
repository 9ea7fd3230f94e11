package org.reprobe.farm.tao;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.reprobe.farm.memory.Address;
import org.reprobe.farm.memory.ObjectLayout;
import org.reprobe.farm.memory.ObjectWriter;
import org.reprobe.farm.table.BucketLayout;
import org.reprobe.workload.Rng;

/**
 * Graph over machines (FaRM 2014, section 4.4) and its layout. Each machine's memory has its nodes, then the blocks of
 * their edge lists, then free blocks. Nodes are numbered from 0 and distributed round-robin; a list is a node and a
 * type. All machines derive the graph from shape and seed, so each can compute the nodes' fat pointers and those of
 * loaded heads. The paper does not print the placement of objects; here a machine's nodes follow each other in numeric
 * order.
 *
 * <p>An edge's content is a function of its list and time, so that any other content is detected. The n-th edge of a
 * list leads to the n-th node from the list's own node on, as in LinkBench.
 */
public final class TaoGraph {
    /** Incarnation of nodes, which are never freed. */
    static final long NODE_INCARNATION = 1;

    static final long BLOCK_INCARNATION = 1;

    /** Head of an empty list. */
    static final int NO_BLOCK = -1;

    private static final long VERSION = ObjectWriter.ONE_VERSION;

    private static final long DEGREES = 0xDE6;
    private static final long NODE_SIZES = 0x512E;
    private static final long NODE_DATA = 0xDA7A;
    private static final long EDGES = 0xED6E;

    private final TaoLayout layout;
    private final ObjectLayout block;
    private final GraphShape shape;
    private final int machines;
    private final long nodes;
    private final long base;
    private final long seed;
    private final int alignment;
    private final int freeBlocks;

    // By node: distance from the base in alignments; words of payload.
    private final int[] nodeAt;
    private final short[] nodeWords;
    private final ObjectLayout[] nodeLayouts;
    /** Index of each list's head among its machine's blocks. */
    private final int[] heads;

    private final long[] blocksAt;
    private final int[] loadedBlocks;
    private long edges;

    /**
     * Creates a graph of at most 2^31 - 1 lists, from {@code base}, at a cache line of each machine's memory;
     * {@link #load} writes its content. Free blocks are per machine.
     */
    public TaoGraph(
            TaoLayout layout, GraphShape shape, int machines, long nodes, long base, int freeBlocks, long seed) {
        this.layout = layout;
        this.block = layout.block();
        this.shape = shape;
        this.machines = machines;
        this.nodes = nodes;
        this.base = base;
        this.freeBlocks = freeBlocks;
        this.seed = seed;
        this.alignment = block.alignment();
        this.nodeAt = new int[(int) nodes];
        this.nodeWords = new short[(int) nodes];
        this.heads = new int[Math.toIntExact(nodes * layout.types())];
        this.nodeLayouts = new ObjectLayout[layout.nodePayloadBytes(shape.maxNodeBytes()) / Long.BYTES + 1];
        for (int words = 0; words < nodeLayouts.length; words++) {
            nodeLayouts[words] = layout.node(words * Long.BYTES);
        }
        this.blocksAt = new long[machines];
        this.loadedBlocks = new int[machines];
        for (int node = 0; node < nodes; node++) {
            place(node);
        }
        for (int machine = 0; machine < machines; machine++) {
            blocksAt[machine] = base + roundUp(blocksAt[machine], ObjectLayout.LINE_BYTES);
        }
    }

    private void place(int node) {
        int machine = machine(node);
        int payload = layout.nodePayloadBytes(nodeDataBytes(node));
        nodeWords[node] = (short) (payload / Long.BYTES);
        nodeAt[node] = Math.toIntExact(blocksAt[machine] / alignment);
        blocksAt[machine] += roundUp(layoutOf(node).bytes(), alignment);
        for (int type = 0; type < layout.types(); type++) {
            long list = list(node, type);
            long count = loadedEdges(list);
            edges += count;
            int blocks = blocks(list, count);
            heads[(int) list] = blocks == 0 ? NO_BLOCK : loadedBlocks[machine];
            loadedBlocks[machine] += blocks;
        }
    }

    private static long roundUp(long bytes, int multiple) {
        return (bytes + multiple - 1) / multiple * multiple;
    }

    private int blocks(long list, long count) {
        int blocks = 0;
        int left = 0;
        for (long number = 1; number <= count; number++) {
            int bytes = TaoLayout.edgeBytes(edgeDataBytes(list, loadedTime(number)));
            if (bytes > left) {
                blocks++;
                left = layout.roomBytes();
            }
            left -= bytes;
        }
        return blocks;
    }

    TaoLayout layout() {
        return layout;
    }

    ObjectLayout block() {
        return block;
    }

    int machines() {
        return machines;
    }

    public long nodes() {
        return nodes;
    }

    public long edges() {
        return edges;
    }

    GraphShape shape() {
        return shape;
    }

    public static long heapBytes(long nodes, int types) {
        return nodes * (Integer.BYTES + Short.BYTES + (long) types * Integer.BYTES);
    }

    public long endAt(int machine) {
        return freeAt(machine, freeBlocks);
    }

    int machine(long node) {
        return (int) (node % machines);
    }

    long list(long node, int type) {
        return node * layout.types() + type;
    }

    long node(long list) {
        return list / layout.types();
    }

    int type(long list) {
        return (int) (list % layout.types());
    }

    long offset(long node) {
        return base + (long) nodeAt[(int) node] * alignment;
    }

    /** Returns a node's address, its fat pointer without the incarnation. */
    long address(long node) {
        return Address.of(machine(node), offset(node));
    }

    ObjectLayout layoutOf(long node) {
        return nodeLayouts[nodeWords[(int) node]];
    }

    public ObjectLayout layoutAt(int machine, long offset) {
        return offset >= blocksAt[machine] ? block : layoutOf(nodeOf(machine, offset));
    }

    long nodeOf(int machine, long offset) {
        int at = Math.toIntExact((offset - base) / alignment);
        long from = 0;
        long to = (nodes - 1 - machine) / machines;
        while (from < to) {
            long middle = (from + to) / 2;
            if (nodeAt[(int) (middle * machines + machine)] < at) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        return from * machines + machine;
    }

    /** Returns the address of a list's loaded head; 0 for none. */
    public long loadedHead(long list) {
        int machine = machine(node(list));
        int head = heads[(int) list];
        return head == NO_BLOCK ? 0 : Address.of(machine, blockAt(machine, head));
    }

    private long blockAt(int machine, int number) {
        return blocksAt[machine] + number * roundUp(block.bytes(), alignment);
    }

    /** Returns the offset of a free block of a machine, numbered from 0. */
    public long freeAt(int machine, int number) {
        return blockAt(machine, loadedBlocks[machine] + number);
    }

    public EdgeAdds.FreeBlocks freeBlocks(int machine, MemorySegment memory, int thread, int threads) {
        return new EdgeAdds.FreeBlocks() {
            private int number = thread;

            @Override
            public EdgeAdds.@Nullable FreeBlock next() {
                if (number >= freeBlocks) {
                    return null;
                }
                long at = freeAt(machine, number);
                number += threads;
                return new EdgeAdds.FreeBlock(
                        at, ObjectLayout.version(memory, at), ObjectLayout.incarnation(memory, at));
            }
        };
    }

    long loadedEdges(long list) {
        return shape.edges(Rng.at(seed ^ DEGREES, node(list)), type(list));
    }

    private static long loadedTime(long number) {
        return number << TaoLayout.NUMBER_SHIFT;
    }

    private int nodeDataBytes(long node) {
        return shape.nodeBytes(Rng.at(seed ^ NODE_SIZES, node));
    }

    private long nodeMark(long node) {
        return Rng.at(seed ^ NODE_DATA, node);
    }

    private long edgeMark(long list, long time) {
        return Rng.at(Rng.at(seed ^ EDGES, list), time);
    }

    private int edgeDataBytes(long list, long time) {
        return shape.edgeBytes(Rng.at(edgeMark(list, time), 1));
    }

    long destination(long list, long number) {
        return (node(list) + number - 1) % nodes;
    }

    /** Inserts an edge before the others of a block; returns false if it does not fit. */
    boolean add(MemorySegment blockPayload, long list, long time) {
        int data = edgeDataBytes(list, time);
        if (TaoLayout.usedBytes(blockPayload) + TaoLayout.edgeBytes(data) > layout.roomBytes()) {
            return false;
        }
        long destination = destination(list, TaoLayout.number(time));
        layout.addEdge(blockPayload, address(destination), time, data, edgeMark(list, time));
        return true;
    }

    /** Returns true if a node's payload, apart from its lists, is valid. */
    boolean isNode(MemorySegment payload, long node) {
        int data = TaoLayout.dataBytes(payload);
        return data == nodeDataBytes(node) && TaoLayout.isData(payload, layout.dataAt(), data, nodeMark(node));
    }

    boolean isEdge(MemorySegment from, long at, long list) {
        long time = TaoLayout.time(from, at);
        long destination = destination(list, TaoLayout.number(time));
        return TaoLayout.isEdge(from, at, address(destination), edgeDataBytes(list, time), edgeMark(list, time));
    }

    /**
     * Returns true if a block has consecutive edges of a list, newest first, down to the first without a next block.
     */
    boolean isBlock(MemorySegment payload, long list) {
        long at = TaoLayout.EDGES_AT;
        long end = at + TaoLayout.usedBytes(payload);
        long number = 0;
        int count = TaoLayout.edges(payload);
        if (count == 0 || end > layout.blockPayloadBytes()) {
            return false;
        }
        for (int i = 0; i < count; i++) {
            if (at + TaoLayout.edgeBytes(0) > end || at + TaoLayout.bytesAt(payload, at) > end) {
                return false;
            }
            long next = TaoLayout.number(TaoLayout.time(payload, at));
            if ((i > 0 && next != number - 1) || !isEdge(payload, at, list)) {
                return false;
            }
            number = next;
            at += TaoLayout.bytesAt(payload, at);
        }
        return at == end && (BucketLayout.incarnation(payload, 0) == 0) == (number == 1);
    }

    static long newest(MemorySegment blockPayload) {
        return TaoLayout.time(blockPayload, TaoLayout.EDGES_AT);
    }

    /** Writes a machine's part, without concurrent readers. */
    public void load(int machine, MemorySegment memory) {
        MemorySegment blockPayload = block.newPayload();
        for (long node = machine; node < nodes; node += machines) {
            MemorySegment payload = layoutOf(node).newPayload();
            TaoLayout.setDataBytes(payload, nodeDataBytes(node));
            TaoLayout.putData(payload, layout.dataAt(), nodeDataBytes(node), nodeMark(node));
            for (int type = 0; type < layout.types(); type++) {
                long list = list(node, type);
                long count = loadedEdges(list);
                TaoLayout.setCount(payload, type, count);
                if (count > 0) {
                    BucketLayout.putPointer(payload, TaoLayout.headAt(type), loadedHead(list), BLOCK_INCARNATION);
                    loadList(machine, memory, list, count, blockPayload);
                }
            }
            layoutOf(node).write(memory, offset(node), VERSION, NODE_INCARNATION, payload);
        }
        MemorySegment empty = block.newPayload();
        for (int i = 0; i < freeBlocks; i++) {
            block.write(memory, freeAt(machine, i), VERSION, BLOCK_INCARNATION, empty);
            ObjectLayout.incrementIncarnation(memory, freeAt(machine, i)); // this also frees it
        }
    }

    private void loadList(int machine, MemorySegment memory, long list, long count, MemorySegment payload) {
        int at = heads[(int) list] + blocks(list, count) - 1;
        payload.fill((byte) 0);
        for (long number = 1; number <= count; number++) {
            if (add(payload, list, loadedTime(number))) {
                continue;
            }
            block.write(memory, blockAt(machine, at), VERSION, BLOCK_INCARNATION, payload);
            payload.fill((byte) 0);
            BucketLayout.putPointer(payload, 0, Address.of(machine, blockAt(machine, at)), BLOCK_INCARNATION);
            at--;
            add(payload, list, loadedTime(number));
        }
        block.write(memory, blockAt(machine, at), VERSION, BLOCK_INCARNATION, payload);
    }

    /** Number of edges in a machine's part, and an error or null. */
    public record State(long edges, @Nullable String wrong) {}

    /** Checks all lists of a machine at rest. */
    public State state(int machine, MemorySegment memory) {
        long found = 0;
        MemorySegment blockPayload = block.newPayload();
        for (long node = machine; node < nodes; node += machines) {
            MemorySegment payload = layoutOf(node).newPayload();
            if (!isUnlocked(memory, offset(node), layoutOf(node), payload) || !isNode(payload, node)) {
                return new State(found, "node " + node + " is locked or torn at rest");
            }
            for (int type = 0; type < layout.types(); type++) {
                long length = length(memory, payload, list(node, type), blockPayload);
                if (length != TaoLayout.count(payload, type)) {
                    return new State(
                            found,
                            "node " + node + " counts " + TaoLayout.count(payload, type) + " edges of type " + type
                                    + ", and its list " + (length < 0 ? "is broken" : "has " + length));
                }
                found += length;
            }
        }
        return new State(found, null);
    }

    private static boolean isUnlocked(MemorySegment memory, long at, ObjectLayout object, MemorySegment payload) {
        return (ObjectLayout.version(memory, at) & ObjectLayout.LOCK_MODE) == 0
                && ObjectLayout.isAllocated(memory, at)
                && object.read(memory, at, at, payload);
    }

    private boolean isBlockPlace(int machine, long address) {
        long offset = Address.offsetOf(address);
        return Address.regionOf(address) == machine
                && offset >= blocksAt[machine]
                && offset < endAt(machine)
                && (offset - blocksAt[machine]) % roundUp(block.bytes(), alignment) == 0;
    }

    /** Returns the number of edges in a list's blocks; -1 if a block is invalid. */
    private long length(MemorySegment memory, MemorySegment nodePayload, long list, MemorySegment payload) {
        int headAt = TaoLayout.headAt(type(list));
        long address = BucketLayout.address(nodePayload, headAt);
        long incarnation = BucketLayout.incarnation(nodePayload, headAt);
        long length = 0;
        long number = 0;
        while (incarnation != 0) {
            long at = Address.offsetOf(address);
            if (!isBlockPlace(machine(node(list)), address)
                    || !isUnlocked(memory, at, block, payload)
                    || ObjectLayout.incarnation(memory, at) != incarnation
                    || !isBlock(payload, list)
                    || (number != 0 && TaoLayout.number(newest(payload)) != number - 1)) {
                return -1;
            }
            length += TaoLayout.edges(payload);
            number = TaoLayout.number(newest(payload)) - TaoLayout.edges(payload) + 1;
            address = BucketLayout.address(payload, 0);
            incarnation = BucketLayout.incarnation(payload, 0);
        }
        return length;
    }
}
